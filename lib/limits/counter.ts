import { FAILURE, type FailureStore, finite } from '../failure-stores/index.ts'
import type { FailureLimit } from './options.ts'

/** Milliseconds before a counter starts again in which it is left alone: a change could come too late, to the next one. */
const MARGIN = 100

/** The place of a check in a counter, reserved before it runs: so parallel guesses gain nothing. */
export interface Place {
  /** Seconds for which nobody may try; 0 when it may be tried. */
  wait: number
  /** Whether others have to end before. */
  isFull: boolean
  /** The check has failed. */
  fail(): Promise<unknown>
  giveBack(): Promise<unknown>
  /** Empties the counter. */
  clear(): Promise<unknown>
  /** Lets the counter start again if it was unlocked after it had started. Resolves to whether it was. */
  restart(): Promise<boolean>
}

/** Counts failures, and the checks that may become some, for so many seconds from the first one. */
export class Counter {
  readonly #limit: FailureLimit
  readonly #store: FailureStore

  constructor(limit: FailureLimit, store: FailureStore) {
    this.#limit = limit
    this.#store = store
  }

  /** @param owner whose counters are unlocked together. Default: the key itself */
  async reserve(key: string, owner = key): Promise<Place> {
    const count = await this.#store.penalty(key, 1)
    const { consumedPoints, msBeforeNext, countedBy: store = this.#store } = count
    // Rounded, because less than none are running when one ends after the counter was emptied.
    const failures = Math.round(finite(consumedPoints) / FAILURE)
    const running = consumedPoints - failures * FAILURE
    const end = Date.now() + finite(msBeforeNext) - MARGIN
    return {
      wait: failures < this.#limit.failures ? 0 : Math.max(1, Math.ceil(msBeforeNext / 1000)),
      isFull: failures + running > this.#limit.failures,
      // A counter that has started again does not know of the place.
      fail: () => store.penalty(key, Date.now() < end ? FAILURE - 1 : FAILURE),
      giveBack: async () => Date.now() < end && store.reward(key, 1),
      clear: () => this.#store.delete(key),
      restart: async () => {
        const unlocked = await this.#store.get(`unlock:${owner}`)
        // Of the two, the one that is kept longer from now is the newer.
        if (unlocked === null || finite(unlocked.msBeforeNext) < msBeforeNext) return false
        await this.#store.delete(key)
        return true
      }
    }
  }

  unlock(owner: string): Promise<unknown> {
    return this.#store.block(`unlock:${owner}`, this.#limit.seconds)
  }
}
