import type { FastifyRequest } from 'fastify'
import type { LoginLimits } from '../limits/index.ts'
import { InvalidAnswerError, LoginFailedError, type ScreenUser, toScreenUser } from '../shared/index.ts'
import type { CheckCredentials, LoginFields } from './options.ts'

/** Who checks credentials, and how often it may. */
export interface Credentials {
  checkCredentials: CheckCredentials
  limits: LoginLimits
}

/**
 * What came of a check: the user; the host's message why not, null when it has none; or the seconds for which nothing is
 * checked.
 */
export type CheckResult = { user: ScreenUser } | { error: string | null } | { blockedFor: number }

/**
 * Checks credentials with the host's function, within the limits.
 *
 * @param signal aborted when nobody waits for the result any more
 * @throws LoginFailedError when the host's function fails
 * @throws OverloadedError, ThrottleFailedError when the credentials cannot be checked
 */
export function verify(
  { checkCredentials, limits }: Credentials,
  fields: LoginFields,
  request: FastifyRequest,
  signal: AbortSignal
): Promise<CheckResult> {
  return limits.run(fields.username, request, signal, () => ask(checkCredentials, fields, request, signal))
}

/** The result of `checkCredentials`. An error is looked at first, so that a mixed one fails closed. */
async function ask(
  checkCredentials: CheckCredentials,
  ...given: Parameters<CheckCredentials>
): Promise<{ user: ScreenUser } | { error: string | null }> {
  try {
    const value: unknown = await checkCredentials(...given)
    if (value === null) return { error: null }
    const { error } = Object(value) as { error?: unknown }
    if (typeof error === 'string' && error !== '') return { error }
    const user = toScreenUser(value)
    if (user !== null) return { user }
    throw new InvalidAnswerError(
      'checkCredentials must return a user ({ username, displayName }), null or { error }'
    )
  } catch (cause) {
    // A status of the host's own error must not pass: a 401 here would send the client round in circles.
    throw new LoginFailedError({ cause })
  }
}
