import PQueue from 'p-queue'
import { demand, demandSettings, isCount, isTime, LONGEST_TIME } from './demand.ts'
import { OverloadedError } from './errors.ts'

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
  demand(
    isTime(timeout),
    'checks.timeout',
    `must be a whole number of seconds greater than 0, at most ${LONGEST_TIME}`
  )
  return { concurrency, waiting, timeout }
}

/** Lets a few logins at a time have their credentials checked. */
export class CheckQueue {
  readonly #queue: PQueue
  readonly #most: number
  #inside = 0

  constructor({ concurrency, waiting, timeout }: CheckSettings) {
    // A check that never answers must not keep its place for ever.
    this.#queue = new PQueue({ concurrency, timeout: timeout * 1000 })
    this.#most = concurrency + waiting
  }

  /**
   * Runs a check when it is its turn, in its lane and then among all.
   *
   * @param signal a check whose turn comes after this was aborted is not run
   * @throws OverloadedError when too many wait
   */
  async run<T>(lane: PQueue, signal: AbortSignal, check: () => Promise<T>): Promise<T> {
    if (this.#inside >= this.#most) throw new OverloadedError()
    this.#inside++
    const inTime = () => {
      signal.throwIfAborted()
      return check()
    }
    try {
      return await lane.add(() => this.#queue.add(inTime))
    } finally {
      this.#inside--
    }
  }
}
