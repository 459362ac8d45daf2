import { type RateLimiterAbstract, RateLimiterMemory } from 'rate-limiter-flexible'
import t from 'tap'
import type { FailureStoreOptions } from '../../../lib/index.ts'
import { host } from '../../helpers.ts'
import { attempt, countingHost, RIGHT, repeat } from './attempts.ts'
import { stopClock } from './clock.ts'

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
