import type { FastifyRequest } from 'fastify'
import { addressOf, isBehindUnknownProxy } from './address.ts'
import type { CheckQueue } from './check-queue.ts'
import type { Deadline } from './deadline.ts'
import type { Gate } from './gate.ts'
import { Lanes } from './lanes.ts'
import { type Allowance, type Keys, keysOf, type Throttle } from './throttle.ts'
import type { Verdict } from './verdict.ts'

/** Makes attempts to log in: not too many at a time, and none after too many that failed. */
export class Attempts {
  readonly #throttle: Throttle
  readonly #queue: CheckQueue
  readonly #lanes = new Lanes()
  /** Changes with every failure, before it is counted and after. */
  #changes = 0
  #hasWarned = false

  constructor(throttle: Throttle, queue: CheckQueue) {
    this.#throttle = throttle
    this.#queue = queue
  }

  /**
   * @param deadline when nobody waits for the verdict any more
   * @param check is not called while the attempt is blocked
   * @throws ThrottleFailedError, OverloadedError, and what `check` throws, which does not count
   */
  make(
    request: FastifyRequest,
    username: string,
    deadline: Deadline,
    check: () => Promise<Verdict>
  ): Promise<Verdict> {
    const keys = keysOf(username, addressOf(request))
    return this.#lanes.use(keys.username, async lane => {
      const before = this.#changes
      const isOld = () => this.#changes !== before
      const allowance = await deadline.wait(this.#throttle.allowance(keys))
      if (allowance.left <= 0) return this.#blocked(request, allowance)

      // Failures count when the check is over, so parallel guesses could get past: no more run than may fail.
      lane.most = Math.min(lane.most, allowance.left)
      return this.#queue.run(lane, deadline, async hasWaited => {
        // What has failed meanwhile is looked up again.
        const current = hasWaited || isOld() ? await this.#throttle.allowance(keys) : allowance
        if (current.left <= 0) return this.#blocked(request, current)

        const verdict = await check()
        if ('error' in verdict) await this.#fail(keys, lane)
        else if (current.hasFailed || isOld()) await this.#clear(keys, lane)
        return verdict
      })
    })
  }

  async #fail(keys: Keys, lane: Gate): Promise<void> {
    this.#changes++
    await this.#throttle.failed(keys)
    this.#changes++
    lane.most = Math.max(lane.most - 1, 1)
  }

  async #clear(keys: Keys, lane: Gate): Promise<void> {
    await this.#throttle.succeeded(keys)
    lane.most = Math.max((await this.#throttle.allowance(keys)).left, 1)
  }

  #blocked(request: FastifyRequest, { wait }: Allowance): Verdict {
    if (isBehindUnknownProxy(request) && !this.#hasWarned) {
      this.#hasWarned = true
      request.log.warn(
        { address: addressOf(request) },
        'screen-auth: a login was blocked that came through a proxy; set `trustProxy` to the address of the proxy, or all clients share it'
      )
    }
    const error = `Too many failed logins. Please try again in ${inWords(wait)}.`
    return { error, retryAfter: wait }
  }
}

function inWords(seconds: number): string {
  const [unit, number] = seconds < 120 ? ['second', seconds] : ['minute', Math.ceil(seconds / 60)]
  return new Intl.NumberFormat('en', { style: 'unit', unitDisplay: 'long', unit }).format(number)
}
