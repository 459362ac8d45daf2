import type { FastifyRequest } from 'fastify'
import type { LoginLimits } from '../limits/index.ts'
import { InvalidAnswerError, LoginFailedError, type ScreenUser, toScreenUser, UserStoreError } from '../shared/index.ts'
import { MESSAGE_LENGTH, type MessageKey, type Say } from './messages.ts'
import type { CheckCredentials, LoginFields } from './options.ts'

/** Who checks credentials, how often it may, and what the person is told. */
export interface Credentials {
  checkCredentials: CheckCredentials
  limits: LoginLimits
  say: Say
}

/**
 * Checks credentials with the host's function, within the limits.
 *
 * @param signal aborted when nobody waits for the result any more
 * @param wrong the message for wrong ones, when the host has none
 * @returns the user, or what makes the message for the person; with `retryAfter`, in seconds, while nothing is checked
 * @throws LoginFailedError when the host's function fails, UserStoreError when it says that its directory is down
 * @throws OverloadedError, ThrottleFailedError when the credentials cannot be checked
 */
export async function verify(
  { checkCredentials, limits, say }: Credentials,
  fields: LoginFields,
  request: FastifyRequest,
  signal: AbortSignal,
  wrong: MessageKey
): Promise<{ user: ScreenUser } | { message: () => string; retryAfter?: number }> {
  const check = () => ask(checkCredentials, fields, request, signal)
  const result = await limits.run(fields.username, request, signal, check)
  signal.throwIfAborted()
  if ('user' in result) return result
  if ('error' in result) return { message: () => result.error ?? say(wrong, request) }
  const { blockedFor: retryAfter } = result
  return { message: () => say('blocked', request, retryAfter), retryAfter }
}

/** The result of `checkCredentials`. An error is looked at first, so that a mixed one fails closed. */
async function ask(
  checkCredentials: CheckCredentials,
  fields: LoginFields,
  request: FastifyRequest,
  signal: AbortSignal
): Promise<{ user: ScreenUser } | { error: string | null }> {
  try {
    const value: unknown = await checkCredentials(fields, request, signal)
    if (value === null) return { error: null }
    const { error } = Object(value) as { error?: unknown }
    if (typeof error === 'string' && error !== '') {
      warnOfLength(error, checkCredentials, request)
      return { error }
    }
    const user = toScreenUser(value)
    if (user !== null) return { user }
    throw new InvalidAnswerError('checkCredentials must return a user ({ username, displayName }), null or { error }')
  } catch (cause) {
    if ((cause as { statusCode?: unknown } | null)?.statusCode === 503) throw new UserStoreError({ cause })
    // Another status of the host's own error must not pass: a 401 here would send the client round in circles.
    throw new LoginFailedError({ cause })
  }
}

const hasWarned = new WeakSet<CheckCredentials>()

/** Once for each function: the person reads only the beginning. */
function warnOfLength(error: string, checkCredentials: CheckCredentials, { log }: FastifyRequest): void {
  const length = [...error].length
  if (length <= MESSAGE_LENGTH || hasWarned.has(checkCredentials)) return
  hasWarned.add(checkCredentials)
  log.warn(
    `screen-auth: checkCredentials returned an error of ${length} characters; ` +
      `make it shorter, known clients cut it after ${MESSAGE_LENGTH}`
  )
}
