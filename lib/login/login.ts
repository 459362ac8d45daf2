import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { AuthRequest, AuthResponse } from '../../schemas/index.ts'
import {
  ClientGoneError,
  InvalidAnswerError,
  InvalidOptionError,
  OverloadedError,
  TokenServiceError,
  WrongArgumentError
} from '../base/errors.ts'
import { audit, type LoginEvent, type LoginOutcome, publish, senderOf } from '../base/events.ts'
import { sendJson, setUnavailable } from '../base/http.ts'
import type { ScreenUser } from '../base/user.ts'
import { logOnce } from '../base/warnings.ts'
import type { MessageKey } from '../options.ts'
import { mainMenuJson } from '../screens/main-menu.ts'
import { BODY_LIMIT, fieldsOf, MalformedLoginError } from './body.ts'
import { checkPassword, type LoginService, messageOf } from './credentials.ts'
import { ENGLISH, type TextOf } from './messages.ts'

/**
 * Handles `POST /auth/login` (contract 4, rules 4 and 5).
 *
 * @returns an AuthResponse as JSON: the token and the main menu, or the reason of the rejection
 * @throws any error: the error handler of the route sends an AuthResponse
 */
export async function logIn(
  service: LoginService,
  request: FastifyRequest,
  reply: FastifyReply,
  signal: AbortSignal
): Promise<string> {
  const fields = fieldsOf(request.body)
  const { username = '', password = '' } = fields
  if (username === '' || password === '') {
    reportLogin(request, 'incomplete')
    return failureJson(service.textOf('incomplete', request))
  }
  const result = await checkPassword(service, { ...fields, username, password }, request, signal)
  if (result.outcome === 'accepted') return accept(service, result.user, request, signal)
  if (result.outcome === 'blocked') reply.header('retry-after', result.retryAfter)
  reportLogin(request, result.outcome, result.outcome === 'blocked' ? { retryAfter: result.retryAfter } : {})
  return failureJson(messageOf(result, service, request, 'wrong'))
}

/** Issues the token last, so that an earlier failure leaves no unused token. */
async function accept(
  { mainMenu, tokens }: LoginService,
  user: ScreenUser,
  request: FastifyRequest,
  signal: AbortSignal
): Promise<string> {
  request.screenUser = user
  const screen = await mainMenuJson(() => mainMenu(user, request, signal), request)
  // The client has left: issue no token.
  signal.throwIfAborted()
  let token: string
  try {
    token = await tokens.issue(user, request)
  } catch (cause) {
    // A token service that throws has lost its store (503). A wrong return value or argument is a bug (500).
    const isBug = [InvalidAnswerError, InvalidOptionError, WrongArgumentError].some(type => cause instanceof type)
    throw isBug ? cause : new TokenServiceError({ cause })
  }
  signal.throwIfAborted()
  warnAboutSpelling(user, request)
  reportLogin(request, 'accepted', { user })
  return `{"success":true,"token":${JSON.stringify(token)},"error":null,"screen":${screen}}`
}

/** For each route, the username of the first login of an account. */
const firstNames = new WeakMap<object, LRUCache<string, string>>()

/** Warns once if one account seems to have several usernames, because `checkCredentials` returns what was typed. */
function warnAboutSpelling({ username, displayName }: ScreenUser, request: FastifyRequest): void {
  const { config } = request.routeOptions
  const names = firstNames.get(config) ?? new LRUCache({ max: 1000 })
  firstNames.set(config, names)
  const account = `${username.trim().toLowerCase()} ${displayName === username ? '' : displayName}`
  const first = names.get(account) ?? username.trim()
  names.set(account, first)
  const text = 'checkCredentials returns the username as it was typed; return it as your user store spells it'
  if (username !== first) logOnce(config, request, text)
}

const KEYS: Record<number, MessageKey> = { 400: 'malformed', 408: 'unavailable', 413: 'too-large', 415: 'not-json' }

const LEVELS: { [outcome in LoginOutcome]?: 'warn' | 'error' } = { overloaded: 'warn', failed: 'error' }

function failureJson(error: string): string {
  return JSON.stringify({ success: false, token: null, error, screen: null } satisfies AuthResponse)
}

/**
 * Creates the error handler of the login route. It responds to every error with an AuthResponse, so that the client
 * has a message to show. It logs the cause only if the server failed: the message of a parser may quote the password.
 */
export function createErrorHandler(textOf: TextOf) {
  return (error: FastifyError, request: FastifyRequest, reply: FastifyReply): void => {
    // The host passed the wrong argument, for instance in a hook. A client of this route cannot.
    const status = error instanceof WrongArgumentError ? 500 : statusOf(error, reply)
    reportError(error, status, request)
    if (status === 503) setUnavailable(reply)
    const key = KEYS[status] ?? (status < 500 ? 'refused' : 'unavailable')
    sendJson(reply.code(status), failureJson(textOf(key, request)))
  }
}

function reportError(error: FastifyError, status: number, request: FastifyRequest): void {
  // If the client disconnects while it sends the body, the error reports a body that is too short.
  if (error instanceof ClientGoneError || request.raw.readableAborted) reportLogin(request, 'abandoned')
  else if (error instanceof OverloadedError) reportLogin(request, 'overloaded', { cause: error })
  else if (status >= 500) reportLogin(request, 'failed', { cause: error })
  else if (status === 429) reportLogin(request, 'blocked')
  else reportLogin(request, 'malformed', {}, reasonOf(error, status))
}

/** Never quotes the message of another error: it may contain what was sent. */
function reasonOf(error: FastifyError, status: number): string {
  if (error instanceof MalformedLoginError) return error.message
  if (status === 413) return `the body has more than ${BODY_LIMIT} bytes`
  if (status === 415) return 'the media type of the body is not application/json'
  return `a hook or schema of this server, or Fastify, refused it with status ${status}`
}

/** The serializer that Fastify calls for an error when a hook fails after the error handler. */
export function unavailableJson(): string {
  return failureJson(ENGLISH.unavailable)
}

/** Returns the first valid status: a host's hook can throw any value, and may have set the status of the reply. */
function statusOf({ statusCode, status }: FastifyError & { status?: number }, reply: FastifyReply): number {
  const isFailure = (code: unknown) => Number.isInteger(code) && Number(code) >= 400 && Number(code) < 600
  return [statusCode, status, reply.statusCode].find(isFailure) ?? 500
}

function reportLogin(
  request: FastifyRequest,
  outcome: LoginOutcome,
  details: Pick<LoginEvent, 'user' | 'retryAfter' | 'cause'> = {},
  reason?: string
): void {
  const { cause, ...shown } = details
  const sender = senderOf(request, shown.user?.username ?? usernameOf(request))
  publish('login', { outcome, ...sender, ...shown }, { request, cause })
  const facts = { event: 'login', outcome, reason, retryAfter: shown.retryAfter, err: cause }
  audit(request, sender, facts, `login ${outcome}${reason ? `, ${reason}` : ''}`, LEVELS[outcome])
}

/** Returns the entered username; undefined if the client sent none or the body was not parsed. */
function usernameOf({ body }: FastifyRequest): string | undefined {
  const username = (body as Partial<AuthRequest> | null | undefined)?.fields?.username
  return typeof username === 'string' ? username : undefined
}
