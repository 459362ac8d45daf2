import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import { CheckQueue } from '../limits/check-queue.ts'
import { type Attempt, Throttle } from '../limits/throttle.ts'
import type { CheckCredentials, LoginFields, Settings } from '../options.ts'
import { addressOf, isBehindUnknownProxy } from '../shared/client-address.ts'
import { InvalidAnswerError, LoginFailedError, LoginTimedOutError } from '../shared/errors.ts'
import { type ScreenUser, toScreenUser } from '../shared/user.ts'
import { within } from '../shared/within.ts'
import { messages } from './messages.ts'

/** Milliseconds between two attempts to be admitted, from and up to; not always the same, so that servers take turns. */
const PAUSE = [5, 100] as const

/** How credentials were judged: the user, or why not, and after how many seconds to try again if nobody looked. */
export type Verdict = { user: ScreenUser } | { error: string; retryAfter?: number }

/** Checks credentials: not too many at a time, and none after too many that were wrong. */
export class Credentials {
  /** Null when failures are not limited. */
  readonly throttle: Throttle | null
  readonly #check: CheckCredentials
  readonly #queue: CheckQueue
  readonly #seconds: number
  #hasWarned = false

  private constructor({ checkCredentials, checks }: Settings, throttle: Throttle | null) {
    this.throttle = throttle
    this.#check = checkCredentials
    this.#queue = new CheckQueue(checks)
    this.#seconds = checks.timeout
  }

  /** @throws InvalidOptionError when a store of the throttle cannot be made */
  static async of(settings: Settings, log: FastifyBaseLogger): Promise<Credentials> {
    const { throttle, checks } = settings
    return new Credentials(settings, throttle && (await Throttle.of(throttle, checks.timeout, log)))
  }

  /**
   * @param signal aborted when nobody waits for the verdict any more
   * @throws LoginFailedError when the host's function fails
   * @throws OverloadedError, ThrottleFailedError when the credentials cannot be looked at
   */
  async check(fields: LoginFields, request: FastifyRequest, signal: AbortSignal): Promise<Verdict> {
    const check = () => this.#ask(fields, request, signal)
    if (this.throttle === null) return this.#queue.run(signal, check)

    const attempt = await this.throttle.begin(fields.username, addressOf(request))
    if (typeof attempt === 'number') return this.#blocked(request, attempt)
    return this.#queue.run(
      signal,
      () => this.#try(attempt, request, check),
      // As many are being checked as may still fail: this one waits until it is known what came of them.
      async () => {
        do await sleep(randomInt(...PAUSE), undefined, { signal })
        while (await attempt.isFull())
      }
    )
  }

  /** @returns null when others have to be checked before */
  async #try(
    attempt: Attempt,
    request: FastifyRequest,
    check: () => Promise<Verdict>
  ): Promise<Verdict | null> {
    const admission = await attempt.admit()
    if (admission === 'full') return null
    if (admission !== 'admitted') return this.#blocked(request, admission)

    let verdict: Verdict
    try {
      // What comes later is not counted: nobody is told whether it was right.
      verdict = await within(this.#seconds, check(), () => new LoginTimedOutError())
    } catch (error) {
      await attempt.leave()
      throw error
    }
    await ('error' in verdict ? attempt.failed() : attempt.succeeded())
    return verdict
  }

  async #ask(fields: LoginFields, request: FastifyRequest, signal: AbortSignal): Promise<Verdict> {
    signal.throwIfAborted()
    try {
      return toVerdict(await this.#check(fields, request, signal))
    } catch (cause) {
      // A status of the host's own error must not pass: a 401 here would send the client round in circles.
      throw new LoginFailedError({ cause })
    }
  }

  #blocked(request: FastifyRequest, seconds: number): Verdict {
    if (isBehindUnknownProxy(request) && !this.#hasWarned) {
      this.#hasWarned = true
      request.log.warn(
        { address: addressOf(request) },
        'screen-auth: a login was blocked that came through a proxy; set `trustProxy` to the address of the proxy, or all clients share it'
      )
    }
    return { error: messages.blocked(seconds), retryAfter: seconds }
  }
}

/**
 * What `checkCredentials` has returned. An error is looked at first, so that a mixed one fails closed.
 *
 * @throws InvalidAnswerError
 */
function toVerdict(answer: unknown): Verdict {
  if (answer === null) return { error: messages.wrong }
  const { error } = Object(answer) as { error?: unknown }
  if (typeof error === 'string' && error !== '') return { error }
  const user = toScreenUser(answer)
  if (user !== null) return { user }
  throw new InvalidAnswerError(
    'checkCredentials must answer a user ({ username, displayName }), null or { error }'
  )
}
