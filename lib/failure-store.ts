import { LRUCache } from 'lru-cache'
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'

/** What the throttle asks of a limiter of rate-limiter-flexible. */
export interface FailureStore {
  get(key: string): Promise<{ consumedPoints: number; msBeforeNext: number } | null>
  penalty(key: string): Promise<{ consumedPoints: number }>
  block(key: string, seconds: number): Promise<unknown>
  delete(key: string): Promise<unknown>
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

/** Counters that are held of each kind: some 13 MB each when full. */
const MOST_COUNTERS = 20_000

/**
 * Counts in this process, and drops the oldest counter when there are too many: the library sets no bound, and the
 * names that are tried come from the client.
 */
export class BoundedMemory extends RateLimiterMemory {
  readonly #keys = new LRUCache<string, true>({
    max: MOST_COUNTERS,
    dispose: (_, key, reason) => reason === 'evict' && this.delete(key)
  })

  override penalty(key: string): Promise<RateLimiterRes> {
    this.#keys.set(key, true)
    return super.penalty(key)
  }
}
