import { checkCount, FAILURE, type FailureStore, failuresIn, readCount } from './failure-store.ts'
import type { FailureLimit } from './options.ts'

/** A check that the counter counts until its result is known. */
export interface Reservation {
  /** Turns the reservation into a failure. */
  fail(): Promise<unknown>
  /** Removes the reservation. Never rejects: a restart of the counter removes it too. */
  release(): Promise<unknown>
  /** Removes the reservation and the counted failures. Never rejects. */
  releaseAndReset(): Promise<unknown>
}

/** Counts failures and running checks, for `limit.seconds` from the first check. */
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
   * @param owner groups the counters that `unlock` resets together. Default: the key itself
   * @returns the reservation, or the seconds for which the key is blocked; 0 if running checks have to end first
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
    // Both last equally long, so the later one to expire is newer.
    const isUnlocked = unlocked !== null && unlocked.msBeforeNext >= msBeforeNext
    if (isUnlocked) await this.#store.delete(key)
    return isBlocked && !isUnlocked ? Math.max(1, Math.ceil(msBeforeNext / 1000)) : 0
  }

  /** Resets all counters of an owner. */
  async unlock(owner: string): Promise<void> {
    await this.#store.block(`unlock:${owner}`, this.#limit.seconds)
  }

  /** @param restart the earliest time at which the counter restarts, which removes the reservation */
  #reservation(key: string, restart: number): Reservation {
    // A margin for the time that a command takes to reach the store.
    const end = restart - Math.min(2000, this.#limit.seconds * 100)
    /** Returns the points of the remaining failures. */
    const takeBack = async (points: number): Promise<number> => {
      if (Date.now() >= end) return 0
      const { consumedPoints } = checkCount(await this.#store.reward(key, points))
      return failuresIn(consumedPoints) * FAILURE
    }
    const releaseAndReset = async () => {
      const failures = await takeBack(1)
      // Negative if another success has taken back the same failures.
      if (failures > 0 && (await takeBack(failures)) < 0) await this.#store.penalty(key, failures)
    }
    return {
      // A restarted counter counts this as a failure too, because of rounding.
      fail: async () => this.#store.penalty(key, FAILURE - 1),
      release: () => takeBack(1).catch(() => {}),
      releaseAndReset: () => releaseAndReset().catch(() => {})
    }
  }
}
