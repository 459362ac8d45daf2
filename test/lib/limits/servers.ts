import { RateLimiterMemory } from 'rate-limiter-flexible'
import type { Test } from 'tap'
import type { FailureStore, FailureStoreOptions } from '../../../lib/index.ts'
import { countingHost } from './attempts.ts'
import type { stopClock } from './clock.ts'

type Clock = ReturnType<typeof stopClock>

/** Servers that share a store, each call of which takes its own time, there and back. */
export async function serversWithOneStore(
  t: Test,
  clock: Clock,
  count: number,
  overrides: { checks?: object; throttle?: object; checkCredentials?: unknown },
  random: () => number = Math.random
) {
  const limiters = new Map<string, FailureStore>()
  const store = (options: FailureStoreOptions) => {
    const limiter = limiters.get(options.keyPrefix) ?? slow(new RateLimiterMemory(options), clock, random)
    limiters.set(options.keyPrefix, limiter)
    return limiter
  }
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
    checks: () => servers.reduce((sum, { checks }) => sum + checks(), 0)
  }
}

function slow(limiter: RateLimiterMemory, clock: Clock, random: () => number): FailureStore {
  const wait = () => clock.sleep(random() * 0.002)
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
    penalty: delayed((key: string, points: number) => limiter.penalty(key, points)),
    reward: delayed((key: string, points: number) => limiter.reward(key, points)),
    block: delayed((key: string, seconds: number) => limiter.block(key, seconds)),
    delete: delayed((key: string) => limiter.delete(key))
  }
}
