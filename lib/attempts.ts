import type { FastifyRequest } from 'fastify'
import type PQueue from 'p-queue'
import { addressOf, isBehindUnknownProxy } from './address.ts'
import type { CheckQueue } from './check-queue.ts'
import { unlessAborted } from './deadline.ts'
import { Lanes } from './lanes.ts'
import { type Keys, keysOf, type Throttle } from './throttle.ts'
import type { Verdict } from './verdict.ts'

/** Makes attempts to log in: not too many at a time, and none after too many that failed. */
export class Attempts {
  readonly #throttle: Throttle
  readonly #queue: CheckQueue
  readonly #lanes = new Lanes()
  #hasWarned = false

  constructor(throttle: Throttle, queue: CheckQueue) {
    this.#throttle = throttle
    this.#queue = queue
  }

  /**
   * @param signal aborted when nobody waits for the verdict any more
   * @param check is not called while the attempt is blocked
   * @throws ThrottleFailedError, OverloadedError, and what `check` throws, which does not count
   */
  async make(
    request: FastifyRequest,
    username: string,
    signal: AbortSignal,
    check: () => Promise<Verdict>
  ): Promise<Verdict> {
    const keys = keysOf(username, addressOf(request))
    return this.#lanes.use(keys.username, async lane => {
      const { left, wait } = await unlessAborted(signal, this.#throttle.allowance(keys))
      if (left <= 0) return this.#blocked(request, wait)

      // Failures count when the check is over, so parallel guesses could get past: no more run than may fail.
      lane.concurrency = Math.min(lane.concurrency, left)
      return this.#queue.run(lane, signal, () => this.#judge(request, keys, lane, check))
    })
  }

  async #judge(
    request: FastifyRequest,
    keys: Keys,
    lane: PQueue,
    check: () => Promise<Verdict>
  ): Promise<Verdict> {
    // The turn may have come late: what has failed meanwhile is looked up again.
    const { left, wait } = await this.#throttle.allowance(keys)
    if (left <= 0) return this.#blocked(request, wait)

    const verdict = await check()
    if ('user' in verdict) {
      await this.#throttle.succeeded(keys)
      lane.concurrency = Math.max((await this.#throttle.allowance(keys)).left, 1)
    } else {
      await this.#throttle.failed(keys)
      lane.concurrency = Math.max(lane.concurrency - 1, 1)
    }
    return verdict
  }

  #blocked(request: FastifyRequest, seconds: number): Verdict {
    if (isBehindUnknownProxy(request) && !this.#hasWarned) {
      this.#hasWarned = true
      request.log.warn(
        { address: addressOf(request) },
        'screen-auth: a login was blocked that came through a proxy; set `trustProxy` to the address of the proxy, or all clients share it'
      )
    }
    const error = `Too many failed logins. Please try again in ${inWords(seconds)}.`
    return { error, retryAfter: seconds }
  }
}

function inWords(seconds: number): string {
  const [unit, number] = seconds < 120 ? ['second', seconds] : ['minute', Math.ceil(seconds / 60)]
  return new Intl.NumberFormat('en', { style: 'unit', unitDisplay: 'long', unit }).format(number)
}
