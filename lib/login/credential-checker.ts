import type { FastifyRequest } from 'fastify'
import { InvalidAnswerError, LoginFailedError, type ScreenUser, toScreenUser } from '../shared/index.ts'
import type { CheckCredentials, LoginFields } from './options.ts'

/**
 * What came of a check: the user; the host's message why not, null when it has none; or the seconds for which nothing is
 * checked.
 */
export type CheckResult = { user: ScreenUser } | { error: string | null } | { blockedFor: number }

/** What bounds the checks: LoginLimits in limits/. */
export interface Limiter {
  /** Seconds that a login may take. */
  readonly timeout: number
  /** Runs a check when it may run, and resolves to its result; or to the seconds for which it may not. */
  run<T extends object>(
    username: string,
    request: FastifyRequest,
    signal: AbortSignal,
    check: () => Promise<T>,
    hasFailed: (result: T) => boolean
  ): Promise<T | { blockedFor: number }>
}

/** Checks credentials with the host's function, within the limits. */
export class CredentialChecker {
  readonly #check: CheckCredentials
  readonly #limiter: Limiter

  constructor(check: CheckCredentials, limiter: Limiter) {
    this.#check = check
    this.#limiter = limiter
  }

  /** Seconds that a login may take. */
  get timeout(): number {
    return this.#limiter.timeout
  }

  /**
   * @param signal aborted when nobody waits for the result any more
   * @throws LoginFailedError when the host's function fails
   * @throws OverloadedError, ThrottleFailedError when the credentials cannot be checked
   */
  async check(fields: LoginFields, request: FastifyRequest, signal: AbortSignal): Promise<CheckResult> {
    const check = () => this.#ask(fields, request, signal)
    const hasFailed = (result: CheckResult) => 'error' in result
    return this.#limiter.run(fields.username, request, signal, check, hasFailed)
  }

  async #ask(fields: LoginFields, request: FastifyRequest, signal: AbortSignal): Promise<CheckResult> {
    signal.throwIfAborted()
    try {
      return toCheckResult(await this.#check(fields, request, signal))
    } catch (cause) {
      // A status of the host's own error must not pass: a 401 here would send the client round in circles.
      throw new LoginFailedError({ cause })
    }
  }
}

/**
 * The result for what `checkCredentials` has returned. An error is looked at first, so that a mixed one fails closed.
 *
 * @throws InvalidAnswerError
 */
function toCheckResult(value: unknown): CheckResult {
  if (value === null) return { error: null }
  const { error } = Object(value) as { error?: unknown }
  if (typeof error === 'string' && error !== '') return { error }
  const user = toScreenUser(value)
  if (user !== null) return { user }
  throw new InvalidAnswerError(
    'checkCredentials must return a user ({ username, displayName }), null or { error }'
  )
}
