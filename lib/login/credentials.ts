import type { FastifyRequest } from 'fastify'
import type { LoginLimits } from '../limits/index.ts'
import {
  has,
  InvalidAnswerError,
  LoginFailedError,
  type ScreenUser,
  toScreenUser,
  UserStoreError
} from '../shared/index.ts'
import { MESSAGE_LENGTH, type MessageKey, type TextOf } from './messages.ts'
import type { CheckCredentials, LoginFields } from './options.ts'

export interface Credentials {
  checkCredentials: CheckCredentials
  limits: LoginLimits
  textOf: TextOf
}

/**
 * Checks credentials with the host's function, within the limits.
 *
 * @param rejectedKey key of the message for wrong credentials, if the host's function returns no message
 * @param expected the only username to accept. Default: any
 * @returns the user, or a function that returns the message to show. If logins are blocked, also `retryAfter`, in
 * seconds
 * @throws LoginFailedError if the host's function fails, UserStoreError if it reports that its user store is down
 * @throws OverloadedError, LoginTimedOutError if the credentials cannot be checked
 */
export async function verify(
  { checkCredentials, limits, textOf }: Credentials,
  fields: LoginFields,
  request: FastifyRequest,
  signal: AbortSignal,
  rejectedKey: MessageKey,
  expected?: string
): Promise<{ user: ScreenUser } | { message: () => string; retryAfter?: number }> {
  const check = async () => {
    const checked = await callChecker(checkCredentials, fields, request, signal)
    const isOther = has(checked, 'user') && checked.user.username !== (expected ?? checked.user.username)
    return isOther ? { error: null } : checked
  }
  const result = await limits.run(fields.username, request, signal, check)
  signal.throwIfAborted()
  if (has(result, 'user')) return result
  if (has(result, 'error')) return { message: () => result.error ?? textOf(rejectedKey, request) }
  const { blockedFor: retryAfter } = result
  return { message: () => textOf('blocked', request, retryAfter), retryAfter }
}

/** Checks for `error` first, so that a result with both an error and a user is a rejection. */
async function callChecker(
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
      warnAboutLength(error, checkCredentials, request)
      return { error }
    }
    const user = toScreenUser(value)
    if (user !== null) return { user }
    throw new InvalidAnswerError('checkCredentials must return a user ({ username, displayName }), null or { error }')
  } catch (cause) {
    const { statusCode, status } = Object(cause) as { statusCode?: unknown; status?: unknown }
    // Nest and http-errors reject credentials in this way.
    if ([statusCode, status].includes(401)) return { error: null }
    if ([statusCode, status].includes(503)) throw new UserStoreError({ cause })
    // Hides other statuses of the host's error, because a client acts on some of them.
    throw new LoginFailedError({ cause })
  }
}

const hasWarned = new WeakSet<CheckCredentials>()

function warnAboutLength(error: string, checkCredentials: CheckCredentials, { log }: FastifyRequest): void {
  const length = [...error].length
  if (length <= MESSAGE_LENGTH || hasWarned.has(checkCredentials)) return
  hasWarned.add(checkCredentials)
  log.warn(
    `screen-auth: checkCredentials returned an error of ${length} characters; ` +
      `make it shorter, known clients truncate it after ${MESSAGE_LENGTH}`
  )
}
