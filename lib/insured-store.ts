import { within } from './deadline.ts'
import { BoundedMemory, type FailureStore, type FailureStoreOptions } from './failure-store.ts'

/** Seconds that the shared store may take for one answer. */
const TIMEOUT = 2

/**
 * A store of the throttle for several processes that counts in the memory of each, like the default, what the shared
 * one does not count within 2 seconds. Unlike with the `insuranceLimiter` of rate-limiter-flexible both are added up: a
 * Redis that is full, or a replica, can still be read, and would say for ever that nobody has failed.
 *
 * @param shared any limiter of rate-limiter-flexible that has `get`, `penalty`, `block` and `delete`
 *
 * @example
 * throttle: {
 *   store: options => insuredStore(new RateLimiterRedis({ storeClient: redis, ...options }), options)
 * }
 */
export function insuredStore(shared: FailureStore, options: FailureStoreOptions): FailureStore {
  const memory = new BoundedMemory(options)
  const quietly = <T>(ask: () => Promise<T>) => orElse(ask, () => null)
  return {
    async get(key) {
      const [all, own] = await Promise.all([quietly(() => shared.get(key)), memory.get(key)])
      if (all === null || own === null) return all ?? own
      return {
        consumedPoints: all.consumedPoints + own.consumedPoints,
        msBeforeNext: Math.max(all.msBeforeNext, own.msBeforeNext)
      }
    },
    penalty: key =>
      orElse(
        () => shared.penalty(key),
        () => memory.penalty(key)
      ),
    // In both, lest the shared one forgets it, or can be written and not be read.
    block: (key, seconds) =>
      Promise.all([quietly(() => shared.block(key, seconds)), memory.block(key, seconds)]),
    delete: key => Promise.all([quietly(() => shared.delete(key)), memory.delete(key)])
  }
}

async function orElse<T>(ask: () => Promise<T>, instead: () => T | Promise<T>): Promise<T> {
  try {
    return await within(TIMEOUT, ask())
  } catch {
    return instead()
  }
}
