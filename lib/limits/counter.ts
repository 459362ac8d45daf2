import { checkCount, FAILURE, type FailureStore, failuresIn, readCount } from './failure-store.ts'
import type { FailureLimit } from './options.ts'

/** A running check, which the counter counts until the check has a result. */
export interface Reservation {
  /** Turns the reservation into a failure. */
  fail(): Promise<unknown>
  /** Removes the reservation. Never rejects: if the store fails, the reservation expires with the counter. */
  release(): Promise<unknown>
  /** Removes the reservation and the counted failures. Never rejects. */
  releaseAndReset(): Promise<unknown>
}

/** Counts the failures and running checks of each key. A count expires `limit.seconds` after its first check. */
export class Counter {
  readonly #limit: FailureLimit
  readonly #store: FailureStore

  constructor(limit: FailureLimit, store: FailureStore) {
    this.#limit = limit
    this.#store = store
  }

  /**
   * Counts a check before it runs, so that parallel guesses get no more checks than sequential ones.
   *
   * @param owner `unlock` resets all counters of one owner. Default: the key itself
   * @returns the reservation, or the seconds until the block ends; 0 if the caller must wait for running checks
   */
  async reserve(key: string, owner = key): Promise<Reservation | number> {
    const sentAt = Date.now()
    const { consumedPoints, msBeforeNext } = checkCount(await this.#store.penalty(key, 1))
    const roundTrip = Date.now() - sentAt
    const failures = failuresIn(consumedPoints)
    const running = consumedPoints - failures * FAILURE
    const reservation = this.#reservation(key, sentAt + msBeforeNext - roundTrip)
    const isBlocked = failures >= this.#limit.failures
    if (!isBlocked && failures + running <= this.#limit.failures) return reservation

    const [, unlocked] = await Promise.all([reservation.release(), readCount(this.#store, `unlock:${owner}`)])
    // The counter and the unlock mark have the same lifetime, so the one that expires later is newer.
    const isUnlocked = unlocked !== null && unlocked.msBeforeNext >= msBeforeNext
    if (isUnlocked) await this.#store.delete(key)
    return isBlocked && !isUnlocked ? Math.max(1, Math.ceil(msBeforeNext / 1000)) : 0
  }

  async unlock(owner: string): Promise<void> {
    await this.#store.block(`unlock:${owner}`, this.#limit.seconds)
  }

  /** @param restart the earliest time at which the counter expires, and the reservation with it */
  #reservation(key: string, restart: number): Reservation {
    // Stops earlier than `restart`, because a command takes time to reach the store.
    const end = restart - Math.min(2000, this.#limit.seconds * 100)
    /** Subtracts points, and returns the points of the remaining failures. */
    const takeBack = async (points: number): Promise<number> => {
      if (Date.now() >= end) return 0
      const { consumedPoints } = checkCount(await this.#store.reward(key, points))
      return failuresIn(consumedPoints) * FAILURE
    }
    const releaseAndReset = async () => {
      const failures = await takeBack(1)
      // The result is negative if another success has subtracted the same failures too.
      if (failures > 0 && (await takeBack(failures)) < 0) await this.#store.penalty(key, failures)
    }
    return {
      // If the counter has restarted, rounding still turns these points into one failure.
      fail: async () => this.#store.penalty(key, FAILURE - 1),
      release: () => takeBack(1).catch(() => {}),
      releaseAndReset: () => releaseAndReset().catch(() => {})
    }
  }
}
