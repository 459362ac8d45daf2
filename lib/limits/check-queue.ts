import { setImmediate } from 'node:timers/promises'
import PQueue from 'p-queue'
import { LoginTimedOutError, OverloadedError } from '../shared/errors.ts'
import { demand, demandSettings, demandTime, isCount } from '../shared/option-rules.ts'
import { within } from '../shared/within.ts'

/**
 * How much the logins may take from the rest of the server. A password hash keeps a thread of Node busy, and while
 * all four of them hash, every file and every name lookup waits.
 */
export interface CheckLimits {
  /**
   * Credential checks at a time. Default: 3. Raise it for a checker that waits for a network instead of hashing. A crowd
   * behind one address waits when more are being checked than may fail from there (`throttle.address`).
   */
  concurrency?: number | undefined
  /** Logins that may wait for their check; one more is refused with 503. Default: 500. */
  waiting?: number | undefined
  /** Seconds that one login may take, the waiting included; then it is refused with 503. Default: 10. */
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

/** Lets a few logins at a time have their credentials checked; the others wait in the order they came. */
export class CheckQueue {
  readonly #queue: PQueue
  readonly #most: number
  readonly #seconds: number
  #inside = 0

  constructor({ concurrency, waiting, timeout }: CheckSettings) {
    this.#queue = new PQueue({ concurrency })
    this.#most = concurrency + waiting
    this.#seconds = timeout
  }

  /**
   * Runs a check when it is its turn.
   *
   * @param signal whose abortion gives up the place among the waiting
   * @param check returns null when it cannot be done yet
   * @param untilReady waits, outside of the queue, until it may be tried again
   * @throws OverloadedError when too many wait
   */
  async run<T>(
    signal: AbortSignal,
    check: () => Promise<T | null>,
    untilReady: () => Promise<unknown> = setImmediate
  ): Promise<T> {
    if (this.#inside >= this.#most) throw new OverloadedError()
    this.#inside++
    try {
      let result = await this.#take(signal, check)
      while (result === null) {
        await untilReady()
        result = await this.#take(signal, check)
      }
      return result
    } finally {
      this.#inside--
    }
  }

  async #take<T>(signal: AbortSignal, check: () => Promise<T>): Promise<T> {
    signal.throwIfAborted()
    const waiting = new AbortController()
    const leave = () => waiting.abort(signal.reason)
    signal.addEventListener('abort', leave)
    const started = () => {
      // From here on the place is kept, because the hash goes on when its client has gone; but not by one that never ends.
      signal.removeEventListener('abort', leave)
      return within(this.#seconds, check(), () => new LoginTimedOutError())
    }
    return this.#queue.add(started, { signal: waiting.signal })
  }
}
