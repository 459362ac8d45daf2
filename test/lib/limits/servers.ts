import { RateLimiterMemory } from 'rate-limiter-flexible'
import type { Test } from 'tap'
import type { FailureCount, FailureStore, FailureStoreOptions } from '../../../lib/index.ts'
import { countingHost } from './attempts.ts'
import type { stopClock } from './clock.ts'

type Clock = ReturnType<typeof stopClock>

/** Servers that share a store, each call of which takes its own time, there and back: up to so many seconds each. */
export async function serversWithOneStore(
  t: Test,
  clock: Clock,
  count: number,
  overrides: { checks?: object; throttle?: object; checkCredentials?: unknown },
  random: () => number = Math.random,
  seconds = 0.002
) {
  const limiters = new Map<string, FailureStore>()
  const wait = () => clock.sleep(random() * seconds)
  const note = (count: FailureCount) => {
    lowest = Math.min(lowest, count.consumedPoints)
    return count
  }
  const store = (options: FailureStoreOptions) => {
    const limiter = limiters.get(options.keyPrefix) ?? slow(new RateLimiterMemory(options), wait, note)
    limiters.set(options.keyPrefix, limiter)
    return limiter
  }
  let lowest = 0
  const servers: Awaited<ReturnType<typeof countingHost>>[] = []
  for (let i = 0; i < count; i++) {
    const throttle = { ...overrides.throttle, store }
    const server = await countingHost(t, {
      ...overrides,
      throttle,
      checks: { timeout: 300, ...overrides.checks }
    })
    servers.push(server)
  }
  return {
    /** The server whose turn it is. */
    app: (i: number) => (servers[i % count] as (typeof servers)[number]).app,
    checks: () => servers.reduce((sum, { checks }) => sum + checks(), 0),
    /** The lowest number of points that a counter had: with less than none there were more checks than may be. */
    lowest: () => lowest
  }
}

function slow(
  limiter: RateLimiterMemory,
  wait: () => Promise<void>,
  note: (count: FailureCount) => FailureCount
): FailureStore {
  const delayed = <Args extends unknown[], T>(call: (...args: Args) => Promise<T>) => {
    return async (...args: Args) => {
      await wait()
      const result = await call.apply(limiter, args)
      await wait()
      return result
    }
  }
  return {
    get: delayed((key: string) => limiter.get(key)),
    penalty: delayed((key: string, points: number) => limiter.penalty(key, points).then(note)),
    reward: delayed((key: string, points: number) => limiter.reward(key, points).then(note)),
    block: delayed((key: string, seconds: number) => limiter.block(key, seconds)),
    delete: delayed((key: string) => limiter.delete(key))
  }
}
