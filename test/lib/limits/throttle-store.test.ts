import { type RateLimiterAbstract, RateLimiterMemory } from 'rate-limiter-flexible'
import t from 'tap'
import type { FailureStoreOptions } from '../../../lib/index.ts'
import { collectLog, host } from '../../helpers.ts'
import { attempt, countingHost, never, RIGHT, repeat } from './attempts.ts'
import { stopClock, turns } from './clock.ts'

t.test(
  'the counters can be in any store of rate-limiter-flexible, and two servers can share them',
  async t => {
    const stores = new Map<string, RateLimiterAbstract>()
    const store = async (options: FailureStoreOptions) => {
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
  }
)

t.test('the store is told what each counter is for, how many points it has, and for how long', async t => {
  const made: unknown[] = []
  const store = (options: FailureStoreOptions) => {
    made.push([options.keyPrefix, options.points, options.duration])
    return new RateLimiterMemory(options)
  }
  await (await host(t, { throttle: { store } })).ready()
  t.strictSame(made, [
    ['screen_auth_usernameAndAddress', 10, 900],
    ['screen_auth_address', 100, 3600],
    ['screen_auth_username', 50, 3600],
    ['screen_auth_network', 1, 2_592_000]
  ])
})

t.test('no name is kept in a store as it was typed', async t => {
  const keys: string[] = []
  const store = (options: FailureStoreOptions) => {
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
  // A place in each of three counters, and each is settled.
  t.equal(keys.length, 6)
  t.ok(keys.every(key => !key.includes('mistake') && key.length < 100))
})

t.test("a store of the host's own is left as it is", async t => {
  const none = async () => null
  const penalty = async () => ({ consumedPoints: 1, msBeforeNext: 60_000 })
  const store = () => Object.freeze({ get: none, penalty, reward: penalty, block: none, delete: none })
  const { app } = await countingHost(t, { throttle: { store } })
  t.match(await attempt(app), { statusCode: 200, success: false })
})

t.test('a store that says that all failures are used up blocks', async t => {
  stopClock(t)
  const store = (options: FailureStoreOptions) => {
    const count = { consumedPoints: options.points * 100_000, msBeforeNext: 60_000 }
    return Object.assign(new RateLimiterMemory(options), { penalty: async () => count })
  }
  const { app, checks } = await countingHost(t, { throttle: { store } })
  t.match(await attempt(app, RIGHT), { statusCode: 200, isBlocked: true, retryAfter: 60 })
  t.equal(checks(), 0)
})

t.test('in the no-auth mode no store is made', async t => {
  const store = () => t.fail('made')
  await (await host(t, { enabled: false, throttle: { store } })).ready()
  t.pass()
})

for (const method of ['get', 'penalty', 'block'] as const)
  t.test(
    `a store whose ${method} fails makes the login a 503 with Retry-After: what cannot be counted is not tried`,
    async t => {
      let isDown = false
      const store = (options: FailureStoreOptions) => {
        const limiter = new RateLimiterMemory(options)
        const call = limiter[method].bind(limiter) as (...args: unknown[]) => Promise<never>
        limiter[method] = async (...args: unknown[]) => {
          if (isDown) throw new Error('redis://user:hunter2@store is down')
          return call(...args)
        }
        return limiter
      }
      const log = collectLog()
      const { app, checks } = await countingHost(t, { throttle: { store } }, log)
      isDown = true
      t.match(await attempt(app, method === 'block' ? RIGHT : {}), {
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
      if (method !== 'block') t.equal(checks(), 0)
    }
  )

for (const [method, value] of [
  ['get', { consumedPoints: 1 }],
  ['get', { consumedPoints: 1, msBeforeNext: Number.POSITIVE_INFINITY }],
  ['get', 'nonsense'],
  ['get', undefined],
  ['penalty', {}],
  ['penalty', { consumedPoints: 'many', msBeforeNext: 1 }],
  ['penalty', { consumedPoints: 1 }],
  ['penalty', undefined]
] as const)
  t.test(
    `a store whose ${method} returns ${JSON.stringify(value)} makes the login a 503, and does not open it`,
    async t => {
      const store = (options: FailureStoreOptions) =>
        Object.assign(new RateLimiterMemory(options), { [method]: async () => value })
      const log = collectLog()
      const { app, checks } = await countingHost(t, { throttle: { store } }, log)
      t.match(await attempt(app), { statusCode: 503, success: false })
      t.match(log.text(), /FST_SCREEN_AUTH_THROTTLE_FAILED/)
      if (Object(value) === value) t.match(log.text(), /the store of the throttle must return numbers/)
      t.equal(checks(), 0)
    }
  )

for (const value of [
  undefined,
  null,
  {},
  { consumedPoints: 'many' },
  { consumedPoints: 100_000 },
  { consumedPoints: -1e9 }
])
  t.test(`a store whose reward returns ${JSON.stringify(value)} keeps nobody waiting`, async t => {
    const store = (options: FailureStoreOptions) =>
      Object.assign(new RateLimiterMemory(options), { reward: async () => value })
    const { app } = await countingHost(t, { throttle: { store } })
    await repeat(3, async () => t.equal((await attempt(app, RIGHT)).success, true))
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
      const fail = () => {
        if (!isFirst) throw new Error('at once')
        return turns(5).then(() => Promise.reject(new Error('later')))
      }
      return { get: fail, penalty: fail, reward: fail, block: fail, delete: fail }
    }
    const { app } = await countingHost(t, { throttle: { store } })
    t.equal((await attempt(app)).statusCode, 503)
    await turns()
    t.strictSame(unhandled, [])
  }
)

for (const method of ['get', 'penalty', 'block'] as const)
  t.test(`a store whose ${method} rejects and then throws is an error, and nothing is unhandled`, async t => {
    const unhandled: unknown[] = []
    const note = (error: unknown) => unhandled.push(error)
    process.on('unhandledRejection', note)
    t.teardown(() => process.off('unhandledRejection', note))
    let isDown = false
    let calls = 0
    const store = (options: FailureStoreOptions) => {
      const limiter = new RateLimiterMemory(options)
      const call = limiter[method].bind(limiter) as (...args: unknown[]) => Promise<never>
      limiter[method] = (...args: unknown[]) => {
        if (!isDown) return call(...args)
        if (calls++ % 2 === 0) return turns(5).then(() => Promise.reject(new Error('later')))
        throw new Error('at once')
      }
      return limiter
    }
    const checkCredentials = async () => {
      isDown = method === 'penalty'
      return null
    }
    const app = await host(t, { throttle: { store }, checkCredentials })
    await app.ready()
    isDown = method !== 'penalty'
    if (method === 'block')
      await t.rejects(app.screenAuth.unlock({ username: 'ada' }), { code: 'FST_SCREEN_AUTH_THROTTLE_FAILED' })
    else t.equal((await attempt(app)).statusCode, 503)
    await turns()
    t.strictSame(unhandled, [])
  })

t.test('a store that never responds is a 503 after the time, and takes no place', async t => {
  const clock = stopClock(t)
  let isDown = true
  const store = (options: FailureStoreOptions) => {
    const limiter = new RateLimiterMemory(options)
    const get = limiter.get.bind(limiter)
    return Object.assign(limiter, { get: (key: string) => (isDown ? never() : get(key)) })
  }
  const checks = { concurrency: 1, waiting: 0, timeout: 1 }
  const { app } = await countingHost(t, { throttle: { store }, checks })
  const stuck = Promise.all([attempt(app), attempt(app, { username: 'bob' })])
  for (const answer of await clock.during(stuck)) t.equal(answer.statusCode, 503)
  isDown = false
  t.equal((await attempt(app, RIGHT)).success, true)
})

for (const name of ['usernameAndAddress', 'address', 'username'])
  t.test(`a store that fails in the midst of counting by ${name} leaves nothing counted`, async t => {
    let isDown = true
    const store = (options: FailureStoreOptions) => {
      const limiter = new RateLimiterMemory(options)
      const { penalty } = limiter
      return Object.assign(limiter, {
        penalty: (key: string, points: number) => {
          if (isDown && options.keyPrefix === `screen_auth_${name}`) throw new Error('down')
          return penalty.call(limiter, key, points)
        }
      })
    }
    const limit = { failures: 2, seconds: 60 }
    const throttle = { store, usernameAndAddress: limit, address: limit, username: limit }
    const { app } = await countingHost(t, { throttle })
    await repeat(5, async () => t.equal((await attempt(app)).statusCode, 503))
    isDown = false
    t.equal((await attempt(app, RIGHT)).success, true)
  })
