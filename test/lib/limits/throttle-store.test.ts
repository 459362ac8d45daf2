import t from 'tap'
import type { FailureStoreOptions } from '../../../lib/index.ts'
import { collectLog, host } from '../../helpers.ts'
import { attempt, countingHost, emitted, never, RIGHT, repeat, storeWith } from './attempts.ts'
import { stopClock, turns } from './clock.ts'

const down = () => {
  throw new Error('redis://user:hunter2@store is down')
}

t.test('two servers can share the counters in a store of rate-limiter-flexible', async t => {
  const store = storeWith()
  const throttle = { store: async (options: FailureStoreOptions) => store(options) }
  const [one, other] = [await countingHost(t, { throttle }), await countingHost(t, { throttle })]
  await repeat(5, () => attempt(one.app))
  await repeat(5, () => attempt(other.app))
  t.equal((await attempt(one.app, RIGHT)).isBlocked, true)
  t.equal((await attempt(other.app, RIGHT)).isBlocked, true)
})

t.test('the store factory receives the key prefix, points and duration of each counter', async t => {
  const made: unknown[] = []
  const store = storeWith((_, { keyPrefix, points, duration }) => {
    made.push([keyPrefix, points, duration])
    return {}
  })
  await (await host(t, { throttle: { store } })).ready()
  t.strictSame(made, [
    ['screen_auth_usernameAndAddress', 10, 900],
    ['screen_auth_address', 100, 3600],
    ['screen_auth_username', 50, 3600],
    ['screen_auth_network', 1, 2_592_000]
  ])
})

t.test('the keys in a store contain no username as entered', async t => {
  const keys: string[] = []
  const store = storeWith(memory => ({
    penalty: (key: string, points: number) => {
      keys.push(key)
      return memory.penalty(key, points)
    }
  }))
  const { app } = await countingHost(t, { throttle: { store } })
  await attempt(app, { username: 'my-password-by-mistake'.repeat(100) })
  // Each of three counters reserves an attempt, and then counts the failure.
  t.equal(keys.length, 6)
  t.ok(keys.every(key => !key.includes('mistake') && key.length < 100))
})

t.test('the plugin does not modify a store of the host', async t => {
  const none = async () => null
  const penalty = async () => ({ consumedPoints: 1, msBeforeNext: 60_000 })
  const store = () => Object.freeze({ get: none, penalty, reward: penalty, block: none, delete: none })
  const { app } = await countingHost(t, { throttle: { store } })
  t.match(await attempt(app), { statusCode: 200, success: false })
})

for (const times of [1, 2])
  t.test(`a counter at ${times} times its limit in the store blocks the login`, async t => {
    const store = storeWith((_, { points }) => ({
      penalty: async () => ({ consumedPoints: times * points * 100_000, msBeforeNext: 60_000 })
    }))
    const { app, checks } = await countingHost(t, { throttle: { store } })
    t.match(await attempt(app, RIGHT), { statusCode: 200, isBlocked: true, retryAfter: 60 })
    t.equal(checks(), 0)
  })

t.test('the no-auth mode creates no store', async t => {
  const store = () => t.fail('made')
  await (await host(t, { enabled: false, throttle: { store } })).ready()
  t.pass()
})

for (const method of ['get', 'penalty', 'block'] as const)
  t.test(`the login responds 503 with Retry-After if ${method} of the store fails`, async t => {
    const log = collectLog()
    const throttle = { store: storeWith(() => ({ [method]: down })) }
    const { app, checks } = await countingHost(t, { throttle }, log)
    t.match(await attempt(app, method === 'block' ? RIGHT : {}), {
      statusCode: 503,
      isBlocked: true,
      success: false,
      token: null,
      error: /Try again later/
    })
    const failure = log.lines.find(({ level }) => level === 50)
    t.match(failure, { err: { code: 'FST_SCREEN_AUTH_THROTTLE_FAILED' } })
    t.match(log.text(), /store is down/)
    if (method !== 'block') t.equal(checks(), 0)
  })

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
  t.test(`the login responds 503 if ${method} of the store returns ${JSON.stringify(value)}`, async t => {
    const log = collectLog()
    const throttle = { store: storeWith(() => ({ [method]: async () => value })) }
    const { app, checks } = await countingHost(t, { throttle }, log)
    t.match(await attempt(app), { statusCode: 503, success: false })
    t.match(log.text(), /FST_SCREEN_AUTH_THROTTLE_FAILED/)
    if (Object(value) === value) t.match(log.text(), /the store of the throttle must return numbers/)
    t.equal(checks(), 0)
  })

for (const value of [
  undefined,
  null,
  {},
  { consumedPoints: 'many' },
  { consumedPoints: 100_000 },
  { consumedPoints: -1e9 }
])
  t.test(`a store whose reward returns ${JSON.stringify(value)} delays no login`, async t => {
    const store = storeWith(() => ({ reward: async () => value }))
    const { app } = await countingHost(t, { throttle: { store } })
    await repeat(3, async () => t.equal((await attempt(app, RIGHT)).success, true))
  })

for (const method of ['get', 'penalty', 'block'] as const)
  t.test(`a store whose ${method} first rejects and then throws leaves no rejection unhandled`, async t => {
    const unhandled = emitted(t, 'unhandledRejection')
    let [isDown, calls] = [false, 0]
    const store = storeWith(memory => ({
      [method]: (key: string, n: number) => {
        if (!isDown) return memory[method](key, n as never)
        if (calls++ % 2 === 0) return turns(5).then(down)
        return down()
      }
    }))
    // The second call of penalty in a login counts its failure.
    const checkCredentials = async () => {
      isDown = true
      return null
    }
    const app = await host(t, { throttle: { store }, checkCredentials })
    await app.ready()
    isDown = method !== 'penalty'
    if (method === 'block')
      await t.rejects(app.screenAuth.unlock({ username: 'ada' }), {
        code: 'FST_SCREEN_AUTH_THROTTLE_FAILED'
      })
    else t.equal((await attempt(app)).statusCode, 503)
    await turns()
    t.strictSame(unhandled, [])
  })

t.test('a counter that rejects after another one has thrown leaves no rejection unhandled', async t => {
  const unhandled = emitted(t, 'unhandledRejection')
  const store = storeWith((_, { keyPrefix }) => ({
    penalty: () => (keyPrefix === 'screen_auth_usernameAndAddress' ? turns(5).then(down) : down())
  }))
  const { app } = await countingHost(t, { throttle: { store } })
  t.equal((await attempt(app)).statusCode, 503)
  await turns()
  t.strictSame(unhandled, [])
})

t.test('a login whose store never responds times out with 503 and frees its check', async t => {
  const clock = stopClock(t)
  let isDown = true
  const store = storeWith(memory => ({ get: (key: string) => (isDown ? never() : memory.get(key)) }))
  const checks = { concurrency: 1, waiting: 0, timeout: 1 }
  const { app } = await countingHost(t, { throttle: { store }, checks })
  const stuck = Promise.all([attempt(app), attempt(app, { username: 'bob' })])
  for (const { statusCode } of await clock.during(stuck)) t.equal(statusCode, 503)
  isDown = false
  t.equal((await attempt(app, RIGHT)).success, true)
})

for (const name of ['usernameAndAddress', 'address', 'username'])
  t.test(`a store that fails while it counts by ${name} leaves no attempt counted`, async t => {
    let isDown = true
    const store = storeWith((memory, { keyPrefix }) => ({
      penalty: (key: string, points: number) =>
        isDown && keyPrefix.endsWith(`_${name}`) ? down() : memory.penalty(key, points)
    }))
    const limit = { failures: 2, seconds: 60 }
    const throttle = { store, usernameAndAddress: limit, address: limit, username: limit }
    const { app } = await countingHost(t, { throttle })
    await repeat(5, async () => t.equal((await attempt(app)).statusCode, 503))
    isDown = false
    t.equal((await attempt(app, RIGHT)).success, true)
  })
