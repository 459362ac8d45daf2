import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import { addressOf, isBehindUnknownProxy, LoginTimedOutError } from '../shared/index.ts'
import { CheckQueue } from './check-queue.ts'
import type { LimitSettings } from './options.ts'
import { Throttle } from './throttle.ts'

/** Milliseconds between two tries to begin, from and up to; not always the same, so that servers take turns. */
const PAUSE = [5, 100] as const

/** Why a check did not run, and for how many seconds it may not. */
interface Blocked {
  blockedFor: number
}

/** Runs the checks of logins: not too many at a time, and none after too many that have failed. */
export class LoginLimits {
  /** Seconds that one login may take. */
  readonly timeout: number
  /** Null when failures are not limited. */
  readonly #throttle: Throttle | null
  readonly #queue: CheckQueue
  #hasWarned = false

  private constructor({ checks }: LimitSettings, throttle: Throttle | null) {
    this.timeout = checks.timeout
    this.#throttle = throttle
    this.#queue = new CheckQueue(checks)
  }

  /** @throws InvalidOptionError when a store of the throttle cannot be made */
  static async create(settings: LimitSettings, log: FastifyBaseLogger): Promise<LoginLimits> {
    const { throttle, checks } = settings
    return new LoginLimits(settings, throttle && (await Throttle.create(throttle, checks.timeout, log)))
  }

  /**
   * @param signal aborted when nobody waits for the result any more
   * @returns the result of the check, or for how long it may not run
   * @throws OverloadedError when too many logins wait
   * @throws ThrottleFailedError when a store of the throttle fails
   */
  async run<T extends object>(
    username: string,
    request: FastifyRequest,
    signal: AbortSignal,
    check: () => Promise<T>,
    hasFailed: (result: T) => boolean
  ): Promise<T | Blocked> {
    if (this.#throttle === null) return this.#queue.run(signal, () => this.#inTime(check()))

    const attempt = await this.#throttle.begin(username, addressOf(request))
    if (typeof attempt === 'number') return this.#blocked(request, attempt)
    let isFailure = false
    const countedCheck = async () => {
      try {
        const admission = await attempt.admit()
        if (admission === 'full') return null
        if (admission !== 'admitted') return this.#blocked(request, admission)
        const result = await check()
        isFailure = hasFailed(result)
        await (isFailure ? attempt.failed() : attempt.succeeded())
        return result
      } finally {
        await attempt.release()
      }
    }
    return this.#queue.run<T | Blocked>(
      signal,
      () =>
        this.#inTime(countedCheck()).catch(error => {
          // It may still run, but nobody is told of its result. A failure that is not counted yet keeps its place.
          if (!isFailure) attempt.release()
          throw error
        }),
      // As many are being checked as may still fail: this one waits until it is known what came of them.
      async () => {
        do await sleep(randomInt(...PAUSE), undefined, { signal })
        while (await attempt.isFull())
      }
    )
  }

  /** Makes the limit of failures by username hold again in all networks. */
  async forgetNetworks(username: string): Promise<void> {
    await this.#throttle?.forgetNetworks(username)
  }

  /** Waits as long as a login may take, so that a check that never ends does not keep its place. */
  async #inTime<T>(work: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new LoginTimedOutError()), this.timeout * 1000)
    })
    try {
      return await Promise.race([work, late])
    } finally {
      clearTimeout(timer)
    }
  }

  #blocked(request: FastifyRequest, blockedFor: number): Blocked {
    if (isBehindUnknownProxy(request) && !this.#hasWarned) {
      this.#hasWarned = true
      request.log.warn(
        { address: addressOf(request) },
        'screen-auth: a login was blocked that came through a proxy; set `trustProxy` to the address of the proxy, or all clients share it'
      )
    }
    return { blockedFor }
  }
}
