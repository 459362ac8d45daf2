import type { FastifyInstance, FastifyRequest } from 'fastify'
import {
  InvalidAnswerError,
  LoginFailedError,
  NoUserError,
  ReauthenticationFailedError,
  UserStoreError
} from '../base/errors.ts'
import { audit, senderOf } from '../base/events.ts'
import { whileClientWaits } from '../base/http.ts'
import { isText } from '../base/texts.ts'
import { describeNonUser, type ScreenUser, toScreenUser } from '../base/user.ts'
import { logOnce } from '../base/warnings.ts'
import { createLimiter } from '../limits/limiter.ts'
import type { CheckResult, ThrottleResult } from '../limits/throttle.ts'
import type { CheckCredentials, LoginFields, MessageKey, Settings } from '../options.ts'
import type { TokenService } from '../tokens/token-service.ts'
import { createTextOf, warnIfLong } from './messages.ts'

/** What a login needs. */
export type LoginService = ReturnType<typeof createLoginService>

export function createLoginService(settings: Settings, tokens: TokenService, app: FastifyInstance) {
  return { ...settings, tokens, limiter: createLimiter(settings, app), textOf: createTextOf(settings.message) }
}

/**
 * Checks credentials with the host's function, within the limits.
 *
 * @param expected the only username to accept. Default: any
 */
export async function checkPassword(
  { checkCredentials, limiter }: LoginService,
  fields: LoginFields,
  request: FastifyRequest,
  signal: AbortSignal,
  expected?: string
): Promise<ThrottleResult> {
  const check = async (): Promise<CheckResult> => {
    const checked = await callCheckCredentials(checkCredentials, fields, request, signal)
    const isOther = checked.outcome === 'accepted' && checked.user.username !== (expected ?? checked.user.username)
    return isOther ? { outcome: 'rejected', error: null } : checked
  }
  const result = await limiter.run(fields.username, request, signal, check)
  signal.throwIfAborted()
  return result
}

/** Returns the text for the person: that of the host's function, or that of `key`, or how long to wait. */
export function messageOf(
  result: Exclude<ThrottleResult, { outcome: 'accepted' }>,
  { textOf }: LoginService,
  request: FastifyRequest,
  key: MessageKey
): string {
  if (result.outcome === 'blocked') return textOf('blocked', request, result.retryAfter)
  return result.error ?? textOf(key, request)
}

/** @param service null in the no-auth mode */
export async function reauthenticate(
  service: LoginService | null,
  request: FastifyRequest,
  password: string
): Promise<ScreenUser> {
  const { screenUser: user } = request
  if (user === null || service === null) throw new NoUserError()
  const fail = (key: MessageKey) => new ReauthenticationFailedError(service.textOf(key, request))
  if (typeof password !== 'string' || password === '') throw fail('no-password')
  if (!isText(password)) throw fail('wrong-password')

  const { username } = user
  const fields = { username, password }
  // If the host's function returns another user, the password counts as wrong.
  const check = (signal: AbortSignal) => checkPassword(service, fields, request, signal, username)
  const result = await whileClientWaits(request, check, service.limiter.timeout)
  const { outcome } = result
  audit(request, senderOf(request, username), { event: 'reauthentication', outcome }, `reauthentication ${outcome}`)
  if (result.outcome === 'accepted') return result.user
  const error = new ReauthenticationFailedError(messageOf(result, service, request, 'wrong-password'))
  if (result.outcome === 'blocked') error.retryAfter = result.retryAfter
  throw error
}

/** Checks for `error` first, so that a result with both an error and a user is a rejection. */
async function callCheckCredentials(
  checkCredentials: CheckCredentials,
  fields: LoginFields,
  request: FastifyRequest,
  signal: AbortSignal
): Promise<CheckResult> {
  try {
    const value: unknown = await checkCredentials(fields, request, signal)
    if (value === null) return { outcome: 'rejected', error: null }
    const { error } = Object(value) as { error?: unknown }
    if (typeof error === 'string' && error !== '') {
      warnIfLong(error, 'checkCredentials', checkCredentials, request)
      return { outcome: 'rejected', error }
    }
    const user = toScreenUser(value)
    if (user !== null) {
      const dropped = Object.keys(Object(value)).filter(name => !Object.hasOwn(user, name))
      const text = 'a token keeps only the username and the displayName of a user; look up the other properties'
      if (dropped.length > 0) logOnce(checkCredentials, request, text, { dropped: dropped.slice(0, 20) }, 'info')
      return { outcome: 'accepted', user }
    }
    const rule = 'checkCredentials must return a user ({ username, displayName }), null or { error }'
    throw new InvalidAnswerError(`${rule}, not ${describeNonUser(value)}`)
  } catch (cause) {
    const { statusCode, status } = Object(cause) as { statusCode?: unknown; status?: unknown }
    // Nest and http-errors reject credentials in this way.
    if ([statusCode, status].includes(401)) return { outcome: 'rejected', error: null }
    if ([statusCode, status].includes(503)) throw new UserStoreError({ cause })
    // Hides other statuses of the host's error, because a client acts on some of them.
    throw new LoginFailedError({ cause })
  }
}
