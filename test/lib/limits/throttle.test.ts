import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type RateLimiterAbstract, RateLimiterMemory } from 'rate-limiter-flexible'
import t from 'tap'
import { ADA, collectLog, host, logIn, PASSWORD } from '../../helpers.ts'
import { attempt, countingHost, RIGHT, repeat } from './attempts.ts'

const never = { failures: 1000, seconds: 60 }

t.test(
  'W1: after ten failures of a username from an address a login is a rejection that says how long to wait',
  async t => {
    const { app, checks } = await countingHost(t)
    await repeat(10, async () => t.equal((await attempt(app)).isBlocked, false))
    const { retryAfter, ...answer } = await attempt(app)
    t.strictSame(answer, {
      statusCode: 200,
      isBlocked: true,
      success: false,
      token: null,
      error: 'Too many tries. Try again in 15 minutes.',
      screen: null
    })
    t.ok(retryAfter > 890 && retryAfter <= 900)
    t.equal(checks(), 10)
  }
)

t.test('while blocked the checker is not called, not even for the right password', async t => {
  const { app, checks } = await countingHost(t)
  await repeat(10, () => attempt(app))
  t.match(await attempt(app, RIGHT), { isBlocked: true, success: false, token: null })
  t.equal(checks(), 10)
})

t.test(
  'the same username from another address, and another username from the same, are not blocked',
  async t => {
    const { app } = await countingHost(t)
    await repeat(10, () => attempt(app))
    t.equal((await attempt(app, { ...RIGHT, address: '192.0.2.2' })).success, true)
    t.equal((await attempt(app, { ...RIGHT, username: 'bob' })).success, true)
  }
)

t.test('a success starts the row of failures again', async t => {
  const { app } = await countingHost(t)
  await repeat(3, async () => {
    await repeat(9, () => attempt(app))
    t.equal((await attempt(app, RIGHT)).success, true)
  })
})

t.test('whoever is blocked is told so while no place for a check is free', async t => {
  for (const kind of ['usernameAndAddress', 'address', 'username']) {
    let letGo = (_: null) => {}
    const held = new Promise<null>(resolve => {
      letGo = resolve
    })
    const checkCredentials = ({ password }: { password: string }) => (password === 'held' ? held : null)
    const app = await host(t, {
      checkCredentials,
      checks: { concurrency: 1, waiting: 0 },
      throttle: { [kind]: { failures: 1, seconds: 60 } }
    })
    await attempt(app)
    const other = attempt(app, { username: 'bob', password: 'held', address: '192.0.2.2' })
    t.match(await attempt(app), { statusCode: 200, isBlocked: true, retryAfter: 60 }, kind)
    letGo(null)
    await other
  }
})

t.test('after the time a login is possible again', async t => {
  const limit = { failures: 2, seconds: 1 }
  const { app } = await countingHost(t, { throttle: { usernameAndAddress: limit } })
  await repeat(2, () => attempt(app))
  const { error, retryAfter } = await attempt(app, RIGHT)
  t.match(error, / in 1 second\.$/)
  t.equal(retryAfter, 1)
  await sleep(1100)
  t.equal((await attempt(app, RIGHT)).success, true)
})

t.test('the wait begins with the last failure, not with the first', async t => {
  const limit = { failures: 2, seconds: 2 }
  const { app } = await countingHost(t, { throttle: { usernameAndAddress: limit } })
  await attempt(app)
  await sleep(1500)
  await attempt(app)
  t.equal((await attempt(app)).retryAfter, 2)
})

t.test('the message counts in the largest unit of which there are two', async t => {
  for (const [seconds, words] of [
    [119, '119 seconds'],
    [120, '2 minutes'],
    [121, '3 minutes'],
    [7199, '120 minutes'],
    [7200, '2 hours'],
    [2_147_483, '597 hours']
  ] as const) {
    const { app } = await countingHost(t, { throttle: { usernameAndAddress: { failures: 1, seconds } } })
    await attempt(app)
    const { error } = await attempt(app)
    t.match(error, ` in ${words}.`)
    t.ok(error.length <= 42, error)
  }
})

t.test('a hundred failures from one address block it for an hour, whatever the usernames', async t => {
  const { app, checks } = await countingHost(t)
  await repeat(100, i => attempt(app, { username: `user-${i}` }))
  const { isBlocked, retryAfter } = await attempt(app, { ...RIGHT, username: 'somebody-else' })
  t.ok(isBlocked && retryAfter > 3590 && retryAfter <= 3600)
  t.equal(checks(), 100)
  t.equal((await attempt(app, { ...RIGHT, address: '192.0.2.2' })).success, true)
})

t.test('of IPv6 a /56 is one address, and the other spellings of an address are the same', async t => {
  const throttle = { address: { failures: 1, seconds: 60 } }
  for (const [one, other, isSame] of [
    ['2001:db8:0:1::1', '2001:db8:0:ff:ffff::2', true],
    ['2001:db8:0:1::1', '2001:db8:0:100::1', false],
    ['2001:db8:1::1', '2001:db8:2::1', false],
    ['fe80::1%eth0', 'fe80::2', true],
    ['192.0.2.1', '::ffff:192.0.2.1', true],
    ['192.0.2.1', '192.0.2.1:4711', true],
    ['192.0.2.1:80', '192.0.2.2:80', false],
    ['2001:db8::1', '[2001:db8::1]', true],
    ['[2001:db8::1]:443', '[2001:db9::1]:443', false],
    ['::ffff:192.0.2.1', '::ffff:192.0.2.2', false],
    ['2001:db8:0:100::1', '200:1db8:0:100::1', false],
    // Not quite an address with a port, and an address if one took the port for granted.
    ['2001:[db8::1]', 'unknown', true],
    ['[2001:db8::1]:0:0', 'unknown', true],
    ['::ffff:192.0.2.1:80', 'unknown', true],
    ['192.0.2:80.1', 'unknown', true],
    ['unknown', 'what a proxy may write', true]
  ] as const) {
    const { app } = await countingHost(t, { throttle })
    await attempt(app, { username: 'x', address: one })
    t.equal((await attempt(app, { username: 'y', address: other })).isBlocked, isSame, `${one} ${other}`)
  }
})

t.test('fifty failures of one username from anywhere block it for an hour', async t => {
  const { app, checks } = await countingHost(t)
  await repeat(50, i => attempt(app, { address: `10.0.0.${i}` }))
  const { isBlocked, retryAfter } = await attempt(app, { ...RIGHT, address: '10.0.1.1' })
  t.ok(isBlocked && retryAfter > 3590 && retryAfter <= 3600)
  t.equal(checks(), 50)
  t.equal((await attempt(app, { ...RIGHT, username: 'bob', address: '10.0.1.1' })).success, true)
})

t.test('a success does not clear the failures of the address or of the username', async t => {
  for (const kind of ['address', 'username']) {
    const { app } = await countingHost(t, { throttle: { [kind]: { failures: 2, seconds: 60 } } })
    await attempt(app)
    await attempt(app, { ...RIGHT, ...(kind === 'username' && { address: '192.0.2.2' }) })
    await attempt(app)
    t.equal((await attempt(app)).isBlocked, true, kind)
  }
})

t.test('upper case is how letters are compared, so that one written as two is the same', async t => {
  const { app } = await countingHost(t, { throttle: { username: { failures: 1, seconds: 60 } } })
  await attempt(app, { username: 'straße' })
  t.equal((await attempt(app, { username: 'STRASSE' })).isBlocked, true)
})

t.test('spellings that a user store may take for one name are counted as one', async t => {
  const spellings = ['Zoë', 'zoe\u0308', ' ZOË ', '\uff3aoë', 'zo\u200be', 'z\u0301oe', 'zoe']
  const throttle = { username: { failures: spellings.length, seconds: 60 } }
  const { app } = await countingHost(t, { throttle })
  for (const username of spellings) t.equal((await attempt(app, { username })).isBlocked, false, username)
  t.equal((await attempt(app, { username: 'zoë' })).isBlocked, true)
  t.equal((await attempt(app, { username: 'zo' })).isBlocked, false)
})

t.test(
  'only failures count: not a success, not an empty field, not a malformed body, not a checker that throws',
  async t => {
    const checkCredentials = ({ username, password }: Record<string, string>) => {
      if (password === 'broken') throw new Error('the user store is down')
      return password === PASSWORD ? { username, displayName: '' } : null
    }
    const { app } = await countingHost(t, {
      checkCredentials,
      throttle: { address: { failures: 1, seconds: 60 } }
    })
    await attempt(app, RIGHT)
    await attempt(app, { password: '' })
    await attempt(app, { password: 'broken' })
    await app.inject({ method: 'POST', url: '/auth/login', remoteAddress: '192.0.2.1', payload: 'x' })
    t.equal((await attempt(app)).isBlocked, false)
    t.equal((await attempt(app)).isBlocked, true)
  }
)

t.test("a rejection with the host's own message counts", async t => {
  const checkCredentials = () => ({ error: 'Not today.' })
  const { app } = await countingHost(t, {
    checkCredentials,
    throttle: { address: { failures: 1, seconds: 60 } }
  })
  t.equal((await attempt(app)).error, 'Not today.')
  t.equal((await attempt(app)).isBlocked, true)
})

t.test('parallel guesses do not get round the limit', async t => {
  const { app, checks } = await countingHost(t, { checks: { concurrency: 50 } })
  const answers = await Promise.all(Array.from({ length: 60 }, () => attempt(app)))
  t.equal(checks(), 10)
  t.equal(answers.filter(({ isBlocked }) => isBlocked).length, 50)
})

t.test('parallel guesses after some failures have only what is left', async t => {
  const { app, checks } = await countingHost(t, { checks: { concurrency: 50 } })
  await repeat(7, () => attempt(app))
  await Promise.all(Array.from({ length: 20 }, () => attempt(app)))
  t.equal(checks(), 10)
})

t.test('parallel logins with the right password all succeed', async t => {
  const { app } = await countingHost(t)
  const answers = await Promise.all(Array.from({ length: 200 }, () => attempt(app, RIGHT)))
  t.ok(answers.every(({ success }) => success))
})

t.test('parallel guesses from many addresses have only what one username has left', async t => {
  const { app, checks } = await countingHost(t, { checks: { concurrency: 200 } })
  const guesses = Array.from({ length: 200 }, (_, i) => attempt(app, { address: `10.0.0.${i}` }))
  t.equal((await Promise.all(guesses)).filter(({ isBlocked }) => isBlocked).length, 150)
  t.equal(checks(), 50)
})

t.test('a guess that comes while another is being checked does not get round the limit', async t => {
  let checks = 0
  const checkCredentials = async ({ password }: Record<string, string>) => {
    checks++
    await sleep(password === 'slow' ? 200 : 1)
    return null
  }
  const limit = { failures: 2, seconds: 60 }
  const app = await host(t, { checkCredentials, throttle: { usernameAndAddress: limit } })
  const slow = attempt(app, { password: 'slow' })
  await attempt(app)
  t.equal((await attempt(app)).isBlocked, true)
  t.equal((await slow).isBlocked, false)
  t.equal(checks, 2)
})

t.test('an unknown user is limited like a known one, with the same answers', async t => {
  const checkCredentials = async ({ username }: Record<string, string>) => {
    if (username === 'ada') await sleep(1)
    return null
  }
  const { app } = await countingHost(t, { checkCredentials })
  const answersTo = async (username: string) => {
    const answers: unknown[] = []
    await repeat(12, async () => {
      const { retryAfter, ...answer } = await attempt(app, { username })
      answers.push(answer)
    })
    return answers
  }
  t.strictSame(await answersTo('ada'), await answersTo('eve'))
})

t.test('throttle: false does not limit', async t => {
  const { app, checks } = await countingHost(t, { throttle: false })
  await repeat(150, () => attempt(app))
  t.equal(checks(), 150)
  t.equal((await attempt(app, RIGHT)).success, true)
})

t.test('a limit that is set leaves the others as they are', async t => {
  const { app, checks } = await countingHost(t, { throttle: { usernameAndAddress: never, username: never } })
  await repeat(101, () => attempt(app))
  t.equal(checks(), 100)
})

t.test(
  'the counters can be in any store of rate-limiter-flexible, and two servers can share them',
  async t => {
    const stores = new Map<string, RateLimiterAbstract>()
    const store = async (options: { keyPrefix: string; points: number; duration: number }) => {
      const limiter = stores.get(options.keyPrefix) ?? new RateLimiterMemory(options)
      stores.set(options.keyPrefix, limiter)
      return limiter
    }
    const [one, other] = [
      await countingHost(t, { throttle: { store } }),
      await countingHost(t, { throttle: { store } })
    ]
    await repeat(5, () => attempt(one.app))
    await repeat(5, () => attempt(other.app))
    t.equal((await attempt(one.app, RIGHT)).isBlocked, true)
    t.equal((await attempt(other.app, RIGHT)).isBlocked, true)
    t.strictSame(
      [...stores].map(([prefix, { points, duration }]) => [prefix, points, duration]),
      [
        ['screen_auth_running', 1, 60],
        ['screen_auth_usernameAndAddress', 10, 900],
        ['screen_auth_address', 100, 3600],
        ['screen_auth_username', 50, 3600],
        ['screen_auth_network', 1, 2_592_000]
      ]
    )
  }
)

t.test('no name is kept in a store as it was typed', async t => {
  const keys: string[] = []
  const store = (options: ConstructorParameters<typeof RateLimiterMemory>[0]) => {
    const limiter = new RateLimiterMemory(options)
    const penalty = limiter.penalty.bind(limiter)
    limiter.penalty = (key, ...rest) => {
      keys.push(String(key))
      return penalty(key, ...rest)
    }
    return limiter
  }
  const { app } = await countingHost(t, { throttle: { store } })
  await attempt(app, { username: 'my-password-by-mistake'.repeat(100) })
  t.equal(keys.length, 6)
  t.ok(keys.every(key => !key.includes('mistake') && key.length < 100))
})

t.test(
  'a store that fails is answered 503 with Retry-After: what cannot be counted is not tried',
  async t => {
    for (const method of ['get', 'penalty', 'block', 'delete'] as const) {
      const store = (options: ConstructorParameters<typeof RateLimiterMemory>[0]) => {
        const limiter = new RateLimiterMemory(options)
        limiter[method] = async () => {
          throw new Error('redis://user:hunter2@store is down')
        }
        return limiter
      }
      const log = collectLog()
      const { app } = await countingHost(
        t,
        { throttle: { store, address: { failures: method === 'delete' ? 2 : 1, seconds: 9 } } },
        log
      )
      if (method === 'delete') await attempt(app)
      const answer = await attempt(app, method === 'delete' ? RIGHT : {})
      t.match(answer, {
        statusCode: 503,
        isBlocked: true,
        success: false,
        token: null,
        error: /try again later/
      })
      t.match(
        log.lines.find(({ level }) => level === 50),
        { err: { code: 'FST_SCREEN_AUTH_THROTTLE_FAILED' } }
      )
      t.match(log.text(), /store is down/)
    }
  }
)

t.test("a store of the host's own is left as it is", async t => {
  const none = async () => null
  const penalty = async () => ({ consumedPoints: 1 })
  const store = () => Object.freeze({ get: none, penalty, reward: penalty, block: none, delete: none })
  const { app } = await countingHost(t, { throttle: { store } })
  t.match(await attempt(app), { statusCode: 200, success: false })
})

t.test('a store that answers no numbers is answered 503, and does not open the login', async t => {
  const answers = [
    ['get', { consumedPoints: 'many', msBeforeNext: 1 }],
    ['get', { consumedPoints: 1000 }],
    ['get', { consumedPoints: 1000, msBeforeNext: Number.POSITIVE_INFINITY }],
    ['get', 'nonsense'],
    ['get', undefined],
    ['penalty', {}],
    ['penalty', undefined]
  ] as const
  for (const [method, value] of answers) {
    const store = (options: ConstructorParameters<typeof RateLimiterMemory>[0]) =>
      Object.assign(new RateLimiterMemory(options), { [method]: async () => value })
    const log = collectLog()
    const { app } = await countingHost(t, { throttle: { store } }, log)
    t.match(await attempt(app), { statusCode: 503, success: false }, `${method} ${JSON.stringify(value)}`)
    t.match(log.text(), /FST_SCREEN_AUTH_THROTTLE_FAILED/)
    if (Object(value) === value) t.match(log.text(), /the store of the throttle must return numbers/)
  }
})

t.test('a store that says that all failures are used up blocks', async t => {
  const store = (options: ConstructorParameters<typeof RateLimiterMemory>[0]) => {
    const get = async () => ({ consumedPoints: Number(options.points), msBeforeNext: 60_000 })
    return Object.assign(new RateLimiterMemory(options), { get })
  }
  const { app, checks } = await countingHost(t, { throttle: { store } })
  t.match(await attempt(app, RIGHT), { statusCode: 200, isBlocked: true, retryAfter: 60 })
  t.equal(checks(), 0)
})

t.test('what has failed while an attempt waited for its turn is counted against it', async t => {
  const { app, checks } = await countingHost(t, {
    checks: { concurrency: 1 },
    throttle: { address: { failures: 2, seconds: 60 } }
  })
  const answers = await Promise.all(['a', 'b', 'c', 'd'].map(username => attempt(app, { username })))
  t.strictSame(
    answers.map(({ isBlocked }) => isBlocked),
    [false, false, true, true]
  )
  t.equal(checks(), 2)
})

t.test('what has failed while the store took its time to answer is counted, too', async t => {
  const store = (options: ConstructorParameters<typeof RateLimiterMemory>[0]) => {
    const limiter = new RateLimiterMemory(options)
    const { get } = limiter
    return Object.assign(limiter, {
      get: async (key: string) => sleep(100, await get.call(limiter, key))
    })
  }
  const { app, checks } = await countingHost(t, {
    throttle: { store, address: { failures: 1, seconds: 60 } }
  })
  const first = attempt(app, { username: 'a' })
  await sleep(50)
  t.equal((await attempt(app, { username: 'b' })).isBlocked, true)
  t.equal((await first).isBlocked, false)
  t.equal(checks(), 1)
})

t.test('a success clears also what has failed while it was checked', async t => {
  const checkCredentials = async ({ password }: { password: string }) =>
    password === PASSWORD ? sleep(100, ADA) : null
  const app = await host(t, {
    checkCredentials,
    throttle: { usernameAndAddress: { failures: 3, seconds: 60 } }
  })
  const right = logIn(app)
  for (let i = 0; i < 2; i++) await logIn(app, { username: 'ada', password: 'wrong' })
  t.equal((await right).json().success, true)
  for (let i = 0; i < 2; i++) await logIn(app, { username: 'ada', password: 'wrong' })
  t.equal((await logIn(app)).json().success, true)
})

t.test(
  'a store of which one counter throws while another fails is a 503, and nothing is unhandled',
  async t => {
    const unhandled: unknown[] = []
    const note = (error: unknown) => unhandled.push(error)
    process.on('unhandledRejection', note)
    t.teardown(() => process.off('unhandledRejection', note))
    let made = 0
    const store = () => {
      const isFirst = made++ === 0
      const get = () => {
        if (!isFirst) throw new Error('at once')
        return sleep(5).then(() => Promise.reject(new Error('later')))
      }
      return { get, penalty: get, reward: get, block: get, delete: get }
    }
    const { app } = await countingHost(t, { throttle: { store } })
    t.equal((await attempt(app)).statusCode, 503)
    await sleep(50)
    t.strictSame(unhandled, [])
  }
)

t.test('a store that never answers is a 503 after the time, and takes no place', async t => {
  let isDown = true
  const store = (options: ConstructorParameters<typeof RateLimiterMemory>[0]) => {
    const limiter = new RateLimiterMemory(options)
    const get = limiter.get.bind(limiter)
    return Object.assign(limiter, {
      get: (key: string) => (isDown ? new Promise<never>(() => {}) : get(key))
    })
  }
  const checks = { concurrency: 1, waiting: 0, timeout: 1 }
  const { app } = await countingHost(t, { throttle: { store }, checks })
  for (const answer of await Promise.all([attempt(app), attempt(app, { username: 'bob' })]))
    t.equal(answer.statusCode, 503)
  isDown = false
  t.equal((await attempt(app, RIGHT)).success, true)
})

t.test('in the no-auth mode no store is made', async t => {
  const store = () => t.fail('made')
  await (await host(t, { enabled: false, throttle: { store } })).ready()
  t.pass()
})

t.test('behind a proxy the address is the one that trustProxy believes', async t => {
  const throttle = { address: { failures: 1, seconds: 60 } }
  for (const trustProxy of [true, false]) {
    const { app } = await countingHost(t, { throttle }, { trustProxy })
    const from = (address: string) =>
      app.inject({
        method: 'POST',
        url: '/auth/login',
        headers: { 'x-forwarded-for': address },
        payload: { fields: { username: address, password: 'wrong' } }
      })
    await from('192.0.2.1')
    t.equal('retry-after' in (await from('192.0.2.1')).headers, true)
    t.equal('retry-after' in (await from('192.0.2.2')).headers, !trustProxy)
  }
})

t.test('over a Unix socket, which has no addresses, all clients count as one', async t => {
  const { app } = await countingHost(t, { throttle: { address: { failures: 1, seconds: 60 } } })
  const folder = mkdtempSync(join(tmpdir(), 'screen-auth-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  await app.listen({ path: join(folder, 'socket') })
  const tryOnce = async () => {
    const post = request({
      socketPath: join(folder, 'socket'),
      method: 'POST',
      path: '/auth/login',
      headers: { 'content-type': 'application/json' }
    })
    post.end('{"fields":{"username":"x","password":"y"}}')
    const [answer] = (await once(post, 'response')) as [IncomingMessage]
    answer.resume()
    return [answer.statusCode, 'retry-after' in answer.headers]
  }
  t.strictSame(await tryOnce(), [200, false])
  t.strictSame(await tryOnce(), [200, true])
})

t.test('a login that is blocked for the address of an unknown proxy is warned of once', async t => {
  const warnings = async (headers: object, serverOptions: object) => {
    const log = collectLog()
    const throttle = { address: { failures: 1, seconds: 60 } }
    const { app } = await countingHost(t, { throttle }, { ...log, ...serverOptions })
    const payload = { fields: { username: 'x', password: 'y' } }
    await repeat(3, () =>
      app.inject({ method: 'POST', url: '/auth/login', headers: { ...headers }, payload })
    )
    const lines = log.lines.filter(({ level }) => level === 40)
    return lines.map(({ msg, address }) => (/set `trustProxy`/.test(String(msg)) ? address : msg))
  }
  const forwarded = { 'x-forwarded-for': '192.0.2.1' }
  t.strictSame(await warnings(forwarded, {}), ['127.0.0.1'])
  t.strictSame(await warnings(forwarded, { trustProxy: '10.0.0.1' }), ['127.0.0.1'])
  t.strictSame(await warnings(forwarded, { trustProxy: true }), [])
  t.strictSame(await warnings({}, {}), [])
})

t.test('a blocked login is in the audit trail as such', async t => {
  const log = collectLog()
  const { app } = await countingHost(t, { throttle: { address: { failures: 1, seconds: 60 } } }, log)
  await repeat(2, () => attempt(app))
  const events = log.lines.filter(({ msg }) => String(msg).startsWith('screen-auth: login'))
  t.match(events, [
    { msg: 'screen-auth: login rejected', username: 'ada', address: '192.0.2.1' },
    { msg: 'screen-auth: login blocked', username: 'ada', address: '192.0.2.1' }
  ])
})
