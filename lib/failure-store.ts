import { LRUCache } from 'lru-cache'
import type { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
// @ts-expect-error: the library has types for its index only
import limiter from 'rate-limiter-flexible/lib/RateLimiterMemory.js'
import { isFunction } from './demand.ts'

/** What the throttle asks of a limiter of rate-limiter-flexible. */
export interface FailureStore {
  get(key: string): Promise<{ consumedPoints: number; msBeforeNext: number } | null>
  penalty(key: string): Promise<{ consumedPoints: number }>
  block(key: string, seconds: number): Promise<unknown>
  delete(key: string): Promise<unknown>
}

export function isStore(store: Partial<FailureStore> | null | undefined): boolean {
  return [store?.get, store?.penalty, store?.block, store?.delete].every(isFunction)
}

/** Options of a limiter of rate-limiter-flexible. */
export interface FailureStoreOptions {
  /** Keeps the three counters of the throttle apart within one store. */
  keyPrefix: string
  /** Failures that are allowed. */
  points: number
  /** Seconds until a counter starts again. */
  duration: number
}

/** Without the limiters of some twenty databases, which the index of the library loads as well. */
const MemoryLimiter: typeof RateLimiterMemory = limiter

/** Counters that are held of each kind, and as many again that block: some 13 MB when full. */
const MOST_COUNTERS = 20_000

/**
 * Counts in this process, and drops the oldest counter when there are too many: the library sets no bound, and the
 * names that are tried come from the client. Those that block are kept apart, so that nobody can push them out by
 * failing with other names.
 */
export class BoundedMemory extends MemoryLimiter {
  #bounds: Record<'counting' | 'blocking', LRUCache<string, true>> | undefined

  override async get(key: string): Promise<RateLimiterRes | null> {
    const count = await super.get(key)
    // The library waits for a timer to forget, which is late when the machine has slept.
    return count !== null && count.msBeforeNext > 0 ? count : null
  }

  override penalty(key: string): Promise<RateLimiterRes> {
    const { counting, blocking } = this.#bounded
    if (!blocking.has(key)) counting.set(key, true)
    return super.penalty(key)
  }

  override block(key: string, seconds: number): Promise<RateLimiterRes> {
    const { counting, blocking } = this.#bounded
    counting.delete(key)
    blocking.set(key, true)
    return super.block(key, seconds)
  }

  /** Made with the first failure: the place for so many keys is taken at once, and takes a while. */
  get #bounded() {
    const dispose = (_: true, key: string) => void this.delete(key)
    this.#bounds ??= {
      counting: new LRUCache<string, true>({ max: MOST_COUNTERS, dispose }),
      blocking: new LRUCache<string, true>({ max: MOST_COUNTERS, dispose })
    }
    return this.#bounds
  }
}
