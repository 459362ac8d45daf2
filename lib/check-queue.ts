import { type Deadline, within } from './deadline.ts'
import { demand, demandSettings, demandTime, isCount } from './demand.ts'
import { OverloadedError } from './errors.ts'
import { Gate } from './gate.ts'

/**
 * How much the logins may take from the rest of the server. A password hash keeps a thread of Node busy, and while
 * all four of them hash, every file and every name lookup waits.
 */
export interface CheckLimits {
  /** Credential checks at a time. Default: 3. Raise it for a checker that waits for a network instead of hashing. */
  concurrency?: number | undefined
  /** Logins that may wait for their check; one more is answered 503. Default: 500. */
  waiting?: number | undefined
  /** Seconds that one login may take, the waiting included; then it is answered 503. Default: 10. */
  timeout?: number | undefined
}

/** The limits after checking. */
export type CheckSettings = { [name in keyof CheckLimits]-?: number }

/** @throws InvalidOptionError naming the first setting that is wrong */
export function checkLimits(limits: CheckLimits = {}): CheckSettings {
  demandSettings(limits, 'checks', ['concurrency', 'waiting', 'timeout'])
  const { concurrency = 3, waiting = 500, timeout = 10 } = limits
  demand(isCount(concurrency), 'checks.concurrency', 'must be a whole number greater than 0')
  demand(waiting === 0 || isCount(waiting), 'checks.waiting', 'must be a whole number, 0 or greater')
  demandTime(timeout, 'checks.timeout')
  return { concurrency, waiting, timeout }
}

/** Lets a few logins at a time have their credentials checked. */
export class CheckQueue {
  readonly #places: Gate
  readonly #most: number
  readonly #seconds: number
  #inside = 0

  constructor({ concurrency, waiting, timeout }: CheckSettings) {
    this.#places = new Gate(concurrency)
    this.#most = concurrency + waiting
    this.#seconds = timeout
  }

  /**
   * Runs a check when it is its turn, in its lane and then among all.
   *
   * @param deadline a check whose turn comes after it is not run
   * @param check is told whether it had to wait
   * @throws OverloadedError when too many wait
   */
  async run<T>(lane: Gate, deadline: Deadline, check: (hasWaited: boolean) => Promise<T>): Promise<T> {
    if (this.#inside >= this.#most) throw new OverloadedError()
    this.#inside++
    const hasWaited = lane.isFull || this.#places.isFull
    const inTime = () => {
      deadline.throwIfOver()
      // A check that never answers must not keep its place for ever; one whose client has gone keeps it.
      return within(this.#seconds, check(hasWaited))
    }
    try {
      return await lane.run(() => this.#places.run(inTime))
    } finally {
      this.#inside--
    }
  }
}
