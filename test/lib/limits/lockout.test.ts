import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { collectLog, host, PASSWORD, until } from '../../helpers.ts'
import { attempt, countingHost, heldChecks, RIGHT, repeat } from './attempts.ts'
import { stopClock } from './clock.ts'

const throttle = { address: { failures: 1, seconds: 60 } }

t.test('a hundred failures from one address block it for an hour, whatever the usernames', async t => {
  stopClock(t)
  const { app, checks } = await countingHost(t)
  await repeat(100, i => attempt(app, { username: `user-${i}` }))
  const another = { ...RIGHT, username: 'somebody-else' }
  t.match(await attempt(app, another), { isBlocked: true, retryAfter: 3600 })
  t.equal(checks(), 100)
  t.equal((await attempt(app, { ...RIGHT, address: '192.0.2.2' })).success, true)
})

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
] as const)
  t.test(`${one} and ${other} count as ${isSame ? 'one address' : 'two addresses'}`, async t => {
    const { app } = await countingHost(t, { throttle })
    await attempt(app, { username: 'x', address: one })
    t.equal((await attempt(app, { username: 'y', address: other })).isBlocked, isSame)
  })

for (const trustProxy of [true, false])
  t.test(`behind a proxy the address is the one that trustProxy believes: ${trustProxy}`, async t => {
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
  })

t.test('over a Unix socket, which has no addresses, all clients count as one', async t => {
  const { app } = await countingHost(t, { throttle })
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

const forwarded = { 'x-forwarded-for': '192.0.2.1' }
const proxies: [string, object, object, string[]][] = [
  ['is warned of once', forwarded, {}, ['127.0.0.1']],
  ['is warned of once where another is trusted', forwarded, { trustProxy: '10.0.0.1' }, ['127.0.0.1']],
  ['is not warned of where it is trusted', forwarded, { trustProxy: true }, []],
  ['is not warned of where there is none', {}, {}, []]
]
for (const [outcome, headers, serverOptions, expected] of proxies)
  t.test(`a login that is blocked for the address of a proxy ${outcome}`, async t => {
    const log = collectLog()
    const { app } = await countingHost(t, { throttle }, { ...log, ...serverOptions })
    const payload = { fields: { username: 'x', password: 'y' } }
    await repeat(3, () =>
      app.inject({ method: 'POST', url: '/auth/login', headers: { ...headers }, payload })
    )
    const warnings = log.lines.filter(({ level }) => level === 40)
    t.strictSame(
      warnings.map(({ msg, address }) => (/set `trustProxy`/.test(String(msg)) ? address : msg)),
      expected
    )
  })

t.test(
  'W1: after ten failures of a username from an address a login is a rejection that says how long to wait',
  async t => {
    stopClock(t)
    const { app, checks } = await countingHost(t)
    await repeat(10, async () => t.equal((await attempt(app)).isBlocked, false))
    t.strictSame(await attempt(app), {
      statusCode: 200,
      isBlocked: true,
      retryAfter: 900,
      success: false,
      token: null,
      error: 'Too many tries. Try again in 15 minutes.',
      screen: null
    })
    t.equal(checks(), 10)
  }
)

t.test('while a login is blocked the checker is not called, not even for the right password', async t => {
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

for (const kind of ['usernameAndAddress', 'address', 'username'])
  t.test(`a blocked login is told so while no place for a check is free: ${kind}`, async t => {
    stopClock(t)
    const checks = heldChecks()
    const app = await host(t, {
      checkCredentials: checks.checkCredentials,
      checks: { concurrency: 1, waiting: 0 },
      throttle: { [kind]: { failures: 1, seconds: 60 } }
    })
    const failure = attempt(app)
    await until(() => checks.open.length === 1)
    checks.open.shift()?.()
    await failure
    const other = attempt(app, { ...RIGHT, username: 'bob', address: '192.0.2.2' })
    await until(() => checks.open.length === 1)
    t.match(await attempt(app), { statusCode: 200, isBlocked: true, retryAfter: 60 })
    checks.letGo()
    await other
  })

t.test('when the time is over a login is possible again', async t => {
  const clock = stopClock(t)
  const limit = { failures: 2, seconds: 1 }
  const { app } = await countingHost(t, { throttle: { usernameAndAddress: limit } })
  await repeat(2, () => attempt(app))
  clock.tick(0.999)
  t.match(await attempt(app, RIGHT), { error: / in 1 second\.$/, retryAfter: 1 })
  clock.tick(0.001)
  t.equal((await attempt(app, RIGHT)).success, true)
})

t.test(
  'the time begins with the first failure, and what is tried while blocked makes it no longer',
  async t => {
    const clock = stopClock(t)
    const limit = { failures: 2, seconds: 60 }
    const { app } = await countingHost(t, { throttle: { usernameAndAddress: limit } })
    await attempt(app)
    clock.tick(20)
    await attempt(app)
    t.equal((await attempt(app)).retryAfter, 40)
    clock.tick(30)
    t.equal((await attempt(app)).retryAfter, 10)
    clock.tick(10)
    t.equal((await attempt(app, RIGHT)).success, true)
  }
)

for (const [seconds, words] of [
  [119, '119 seconds'],
  [120, '2 minutes'],
  [121, '3 minutes'],
  [7199, '120 minutes'],
  [7200, '2 hours'],
  [2_147_483, '597 hours']
] as const)
  t.test(
    `the message counts in the largest unit of which there are two: ${seconds} are ${words}`,
    async t => {
      stopClock(t)
      const { app } = await countingHost(t, { throttle: { usernameAndAddress: { failures: 1, seconds } } })
      await attempt(app)
      const { error } = await attempt(app)
      t.match(error, ` in ${words}.`)
      t.ok(error.length <= 42, error)
    }
  )

t.test('an unknown user is limited like a known one, with the same responses', async t => {
  stopClock(t)
  const checkCredentials = async ({ username }: Record<string, string>) => {
    if (username === 'ada') await Promise.resolve()
    return null
  }
  const { app } = await countingHost(t, { checkCredentials })
  const responsesTo = async (username: string) => {
    const responses: unknown[] = []
    await repeat(12, async () => responses.push(await attempt(app, { username })))
    return responses
  }
  t.strictSame(await responsesTo('ada'), await responsesTo('eve'))
})

t.test('throttle: false does not limit', async t => {
  const { app, checks } = await countingHost(t, { throttle: false })
  await repeat(110, () => attempt(app))
  t.equal(checks(), 110)
  t.equal((await attempt(app, RIGHT)).success, true)
})

t.test('a limit that is set leaves the others as they are', async t => {
  const limit = { failures: 1000, seconds: 60 }
  const { app, checks } = await countingHost(t, { throttle: { usernameAndAddress: limit, username: limit } })
  await repeat(101, () => attempt(app))
  t.equal(checks(), 100)
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

t.test('fifty failures of one username from anywhere block it for an hour', async t => {
  stopClock(t)
  const { app, checks } = await countingHost(t)
  await repeat(50, i => attempt(app, { address: `10.0.0.${i}` }))
  t.match(await attempt(app, { ...RIGHT, address: '10.0.1.1' }), { isBlocked: true, retryAfter: 3600 })
  t.equal(checks(), 50)
  t.equal((await attempt(app, { ...RIGHT, username: 'bob', address: '10.0.1.1' })).success, true)
})

t.test('a success does not count', async t => {
  const { app } = await countingHost(t, { throttle })
  await attempt(app, RIGHT)
  t.equal((await attempt(app, RIGHT)).success, true)
})

t.test('an empty field does not count', async t => {
  const { app } = await countingHost(t, { throttle })
  await attempt(app, { password: '' })
  t.equal((await attempt(app, RIGHT)).success, true)
})

t.test('a malformed body does not count', async t => {
  const { app } = await countingHost(t, { throttle })
  await app.inject({ method: 'POST', url: '/auth/login', remoteAddress: '192.0.2.1', payload: 'x' })
  t.equal((await attempt(app, RIGHT)).success, true)
})

t.test('a checker that throws does not count', async t => {
  const checkCredentials = ({ username, password }: Record<string, string>) => {
    if (password === 'broken') throw new Error('the user store is down')
    return password === PASSWORD ? { username, displayName: '' } : null
  }
  const { app } = await countingHost(t, { throttle, checkCredentials })
  t.equal((await attempt(app, { password: 'broken' })).statusCode, 500)
  t.equal((await attempt(app, RIGHT)).success, true)
})

t.test("a rejection with the host's own message counts", async t => {
  const { app } = await countingHost(t, { throttle, checkCredentials: () => ({ error: 'Not today.' }) })
  t.equal((await attempt(app)).error, 'Not today.')
  t.equal((await attempt(app)).isBlocked, true)
})

for (const kind of ['address', 'username'])
  t.test(`a success does not clear the failures of the ${kind}`, async t => {
    const { app } = await countingHost(t, { throttle: { [kind]: { failures: 2, seconds: 60 } } })
    await attempt(app)
    await attempt(app, { ...RIGHT, ...(kind === 'username' && { address: '192.0.2.2' }) })
    await attempt(app)
    t.equal((await attempt(app)).isBlocked, true)
  })
