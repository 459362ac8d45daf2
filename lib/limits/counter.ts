import { checkCount, countOf, FAILURE, type FailureStore, failuresIn } from './failure-store.ts'
import type { FailureLimit } from './options.ts'

/** A place of a check in a counter. */
export interface Place {
  /** The check has failed. */
  fail(): Promise<unknown>
  /** What cannot be given back is forgotten when the counter starts again. */
  giveBack(): Promise<unknown>
  /** Gives back the place, and the failures that are counted. */
  giveBackAll(): Promise<unknown>
}

/** Counts failures, and the checks that may become some, for so many seconds from the first one. */
export class Counter {
  readonly #limit: FailureLimit
  readonly #store: FailureStore

  constructor(limit: FailureLimit, store: FailureStore) {
    this.#limit = limit
    this.#store = store
  }

  /**
   * Reserves a place for a check before it runs, so that parallel guesses gain nothing.
   *
   * @param owner whose counters are unlocked together. Default: the key itself
   * @returns the place, or the seconds for which it is blocked; 0 when others have to end before
   */
  async reserve(key: string, owner = key): Promise<Place | number> {
    const asked = Date.now()
    const { consumedPoints, msBeforeNext } = checkCount(await this.#store.penalty(key, 1))
    const roundTrip = Date.now() - asked
    const failures = failuresIn(consumedPoints)
    const running = consumedPoints - failures * FAILURE
    const place = this.#place(key, asked + msBeforeNext - roundTrip)
    const isBlocked = failures >= this.#limit.failures
    if (!isBlocked && failures + running <= this.#limit.failures) return place

    const [, unlocked] = await Promise.all([place.giveBack(), countOf(this.#store, `unlock:${owner}`)])
    // Of the two, the one that is kept longer from now is the newer.
    const isUnlocked = unlocked !== null && unlocked.msBeforeNext >= msBeforeNext
    if (isUnlocked) await this.#store.delete(key)
    return isBlocked && !isUnlocked ? Math.max(1, Math.ceil(msBeforeNext / 1000)) : 0
  }

  /** Lets the counters of an owner start again. */
  async unlock(owner: string): Promise<void> {
    await this.#store.block(`unlock:${owner}`, this.#limit.seconds)
  }

  /** @param restart when the counter starts again at the earliest: then it knows nothing of the place */
  #place(key: string, restart: number): Place {
    // A change takes its time.
    const end = restart - Math.min(2000, this.#limit.seconds * 100)
    /** Returns the points of the failures that are left. */
    const takeBack = async (points: number): Promise<number> => {
      if (Date.now() >= end) return 0
      const { consumedPoints } = checkCount(await this.#store.reward(key, points))
      return failuresIn(consumedPoints) * FAILURE
    }
    const takeBackAll = async () => {
      const failures = await takeBack(1)
      // Less than none are left when another success has taken back the same failures.
      if (failures > 0 && (await takeBack(failures)) < 0) await this.#store.penalty(key, failures)
    }
    return {
      // A counter that has started again takes it for a failure, too.
      fail: async () => this.#store.penalty(key, FAILURE - 1),
      giveBack: () => takeBack(1).catch(() => {}),
      giveBackAll: () => takeBackAll().catch(() => {})
    }
  }
}
