import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { AuthRequest, AuthResponse } from '../../schemas/index.ts'
import type { LoginFields, MainMenu } from '../options.ts'
import { withDisplayName } from '../screens/display-name.ts'
import { makeScreen, screenText } from '../screens/screen.ts'
import { audit } from '../shared/audit-log.ts'
import { ClientGoneError, InvalidAnswerError, OverloadedError, TokenServiceError } from '../shared/errors.ts'
import { sendJson } from '../shared/reply.ts'
import { retryLater } from '../shared/retry-later.ts'
import type { ScreenUser } from '../shared/user.ts'
import type { TokenService } from '../tokens/token-service.ts'
import type { Credentials } from './credentials.ts'
import { messages } from './messages.ts'

/** What the person is told when the status of a refusal says more than that it was refused. */
const REASONS: Record<number, string> = {
  400: messages.malformed,
  413: messages.tooLarge,
  415: messages.notJson
}

/** What a login needs. */
export interface LoginService {
  mainMenu: MainMenu
  tokens: TokenService
  credentials: Credentials
}

/**
 * Serves a submission of credentials (contract 4, rules 4 and 5): the token and the main menu, or the reason why not.
 *
 * @param signal aborted when nobody waits for the response any more
 * @returns the AuthResponse as JSON
 * @throws what `sendFailure` makes an AuthResponse of
 */
export async function logIn(
  { credentials, ...service }: LoginService,
  request: FastifyRequest<{ Body: AuthRequest }>,
  reply: FastifyReply,
  signal: AbortSignal
): Promise<string> {
  const { username = '', password = '' } = request.body.fields
  if (username === '' || password === '') return reject(request, username, messages.incomplete)

  const verdict = await credentials.check(request.body.fields as LoginFields, request, signal)
  signal.throwIfAborted()
  if ('user' in verdict) return welcome(service, verdict.user, request, signal)
  if (verdict.retryAfter === undefined) return reject(request, username, verdict.error)
  reply.header('retry-after', verdict.retryAfter)
  return reject(request, username, verdict.error, 'login blocked')
}

/** The token comes last, so that no earlier failure leaves one behind. */
async function welcome(
  { mainMenu, tokens }: Pick<LoginService, 'mainMenu' | 'tokens'>,
  user: ScreenUser,
  request: FastifyRequest,
  signal: AbortSignal
): Promise<string> {
  request.screenUser = user
  const menu = await makeScreen('mainMenu', () => mainMenu(user, request, signal))
  const screen = screenText('mainMenu', withDisplayName(menu, user))
  // No token for nobody.
  signal.throwIfAborted()
  const token = await issue(tokens, user, request)
  signal.throwIfAborted()
  audit(request, 'login accepted', user.username)
  return `{"success":true,"token":${JSON.stringify(token)},"error":null,"screen":${screen}}`
}

/** What a token service throws means that its store is down; what it returns may be wrong. */
async function issue(tokens: TokenService, user: ScreenUser, request: FastifyRequest): Promise<string> {
  try {
    return await tokens.issue(user, request)
  } catch (cause) {
    throw cause instanceof InvalidAnswerError ? cause : new TokenServiceError({ cause })
  }
}

/**
 * Error handler of the login route: whatever went wrong, the answer is an AuthResponse, so that the client has a
 * message to show. The cause goes to the log only, and a parser's message not even there: it may quote the password.
 */
export function sendFailure(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const status = statusOf(error, reply)
  if (error instanceof ClientGoneError) audit(request, 'login abandoned', usernameOf(request))
  else if (error instanceof OverloadedError) request.log.warn(error.message)
  else if (status >= 500) request.log.error({ err: error }, 'screen-auth: login failed')
  else audit(request, `login request refused with ${status}`)

  if (status === 503) retryLater(reply)
  sendJson(
    reply.code(status),
    failure(REASONS[status] ?? (status < 500 ? messages.refused : messages.failed))
  )
}

/** An error of a host's hook can be anything, and its status too; the hook may also have set one before it threw. */
function statusOf({ statusCode, status }: FastifyError & { status?: number }, reply: FastifyReply): number {
  const isFailure = (code: unknown) => Number.isInteger(code) && Number(code) >= 400 && Number(code) < 600
  return [statusCode, status, reply.statusCode].find(isFailure) ?? 500
}

/** The last resort of Fastify, which serializes an error by the schema: a hook has failed after the error handler. */
export function failureText(): string {
  return failure(messages.failed)
}

function reject(request: FastifyRequest, username: string, error: string, event = 'login rejected'): string {
  audit(request, event, username)
  return failure(error)
}

function usernameOf({ body }: FastifyRequest): string | undefined {
  return (body as Partial<AuthRequest> | undefined)?.fields?.username
}

function failure(error: string): string {
  return JSON.stringify({ success: false, token: null, error, screen: null } satisfies AuthResponse)
}
