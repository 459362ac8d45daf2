import { setImmediate } from 'node:timers/promises'
import PQueue from 'p-queue'
import { OverloadedError } from '../shared/index.ts'
import type { CheckSettings } from './options.ts'

/** Runs a few checks at a time; the others wait in the order in which they came. */
export class CheckQueue {
  readonly #queue: PQueue
  readonly #most: number
  #inside = 0

  constructor({ concurrency, waiting }: CheckSettings) {
    this.#queue = new PQueue({ concurrency })
    this.#most = concurrency + waiting
  }

  /**
   * Runs a check when it is its turn.
   *
   * @param signal gives up the place among the waiting when it is aborted
   * @param check resolves to null when it cannot be done yet
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
      let result = await this.#add(signal, check)
      while (result === null) {
        await untilReady()
        result = await this.#add(signal, check)
      }
      return result
    } finally {
      this.#inside--
    }
  }

  async #add<T>(signal: AbortSignal, check: () => Promise<T>): Promise<T> {
    signal.throwIfAborted()
    const { size, pending, concurrency } = this.#queue
    // It starts at once, so there is nothing to give up.
    if (size === 0 && pending < concurrency) return this.#queue.add(check)
    const waiting = new AbortController()
    const leave = () => waiting.abort(signal.reason)
    signal.addEventListener('abort', leave)
    const started = () => {
      // From here on the place is kept, because a hash goes on when its client has gone.
      signal.removeEventListener('abort', leave)
      return check()
    }
    return this.#queue.add(started, { signal: waiting.signal })
  }
}
