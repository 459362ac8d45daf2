import { type FailureCount, type FailureStore, finite } from './failure-store.ts'
import type { FailureLimit } from './options.ts'
import type { Release, RunningChecks } from './running-checks.ts'

/** Whether a check may run: it may, others have to end before, or not for so many seconds. */
export type Admission = 'admitted' | 'full' | number

/**
 * One limit of failures. Failures and running checks together never exceed it, so that parallel guesses gain nothing, in
 * however many processes. Every step is atomic by itself; what matters is their order.
 *
 * Every method throws what the store throws.
 */
export class FailureCounter {
  readonly #limit: FailureLimit
  readonly #store: FailureStore
  readonly #running: RunningChecks

  constructor(limit: FailureLimit, store: FailureStore, running: RunningChecks) {
    this.#limit = limit
    this.#store = store
    this.#running = running
  }

  /** Seconds for which nobody may try; 0 when it may be tried. */
  async blockedFor(key: string): Promise<number> {
    return this.#wait(await this.#store.get(key))
  }

  /** Whether others have to end before. */
  async isFull(key: string): Promise<boolean> {
    const [running, failures] = await Promise.all([this.#running.count(key), this.#failures(key)])
    return failures < this.#limit.failures && failures + running >= this.#limit.failures
  }

  /**
   * Counts a check as running, and says whether it may run.
   *
   * @param releases gets what takes the check back, which must be called whatever comes of it
   */
  async admit(key: string, releases: Release[]): Promise<Admission> {
    const running = await this.#running.acquire(key, releases)
    // Second: of a check that fails meanwhile, one of the two counts knows already.
    const failures = await this.#store.get(key)
    const wait = this.#wait(failures)
    if (wait > 0) return wait
    return running + (failures?.consumedPoints ?? 0) <= this.#limit.failures ? 'admitted' : 'full'
  }

  /** A check has failed. Count this before the check is released. */
  async failed(key: string): Promise<void> {
    const { failures, seconds } = this.#limit
    const { consumedPoints } = await this.#store.penalty(key)
    // From the last failure on, not from the first: what is left of the time may be next to nothing.
    if (finite(consumedPoints) >= failures) await this.#store.block(key, seconds)
  }

  /** A check has succeeded. It ends no block, because there is none while a check runs. */
  async clear(key: string): Promise<void> {
    await this.#store.delete(key)
  }

  async #failures(key: string): Promise<number> {
    return finite((await this.#store.get(key))?.consumedPoints ?? 0)
  }

  #wait(count: FailureCount | null): number {
    if (count === null || finite(count.consumedPoints) < this.#limit.failures) return 0
    return Math.max(1, Math.ceil(finite(count.msBeforeNext) / 1000))
  }
}
