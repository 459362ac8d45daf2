import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { AuthRequest, AuthResponse } from '../schemas/index.ts'
import type { Attempts } from './attempts.ts'
import { audit } from './audit.ts'
import type { Deadline } from './deadline.ts'
import { withDisplayName } from './display-name.ts'
import { LoginFailedError, OverloadedError, ThrottleFailedError } from './errors.ts'
import type { CheckCredentials, LoginFields, MainMenu } from './options.ts'
import { retryLater } from './retry-later.ts'
import { makeScreen, screenText } from './screens.ts'
import { sendJson } from './send-json.ts'
import type { TokenService } from './tokens.ts'
import type { ScreenUser } from './user.ts'
import { toVerdict } from './verdict.ts'

const INCOMPLETE = 'Please enter your username and your password.'
const REFUSED = 'The login request was refused.'
const FAILED = 'The login is not possible at the moment. Please try again later.'

const MESSAGES: Record<number, string> = {
  400: 'The login request is malformed.',
  413: 'The login request is too large.',
  415: 'The login request must be JSON.'
}

/** What a login needs. */
export interface LoginService {
  checkCredentials: CheckCredentials
  mainMenu: MainMenu
  tokens: TokenService
  attempts: Attempts
}

/**
 * Answers a submission of credentials (contract 4, rules 4 and 5): the token and the main menu, or the reason why
 * not.
 *
 * @param deadline when nobody waits for the answer any more
 * @returns the AuthResponse as JSON
 * @throws LoginFailedError when a function that the host injected fails
 * @throws OverloadedError, ThrottleFailedError when the credentials cannot be looked at
 */
export async function logIn(
  { checkCredentials, attempts, ...service }: LoginService,
  request: FastifyRequest<{ Body: AuthRequest }>,
  reply: FastifyReply,
  deadline: Deadline
): Promise<string> {
  const { username = '', password = '' } = request.body.fields
  if (username === '' || password === '') return reject(request, username, INCOMPLETE)
  try {
    const verdict = await attempts.make(request, username, deadline, async () =>
      toVerdict(await checkCredentials(request.body.fields as LoginFields, request))
    )
    if ('error' in verdict) {
      if (verdict.retryAfter === undefined) return reject(request, username, verdict.error)
      reply.header('retry-after', verdict.retryAfter)
      return reject(request, username, verdict.error, 'login blocked')
    }
    return await welcome(service, verdict.user, request, deadline)
  } catch (cause) {
    if (deadline.isOver) return abandon(request, username)
    if (cause instanceof OverloadedError || cause instanceof ThrottleFailedError) throw cause
    // A status of the host's own error must not pass: a 401 here would send the client round in circles.
    throw new LoginFailedError({ cause })
  }
}

/** The token comes last, so that no earlier failure leaves one behind. */
async function welcome(
  { mainMenu, tokens }: Pick<LoginService, 'mainMenu' | 'tokens'>,
  user: ScreenUser,
  request: FastifyRequest,
  deadline: Deadline
): Promise<string> {
  request.screenUser = user
  const menu = await makeScreen('mainMenu', () => mainMenu(user, request))
  const screen = screenText('mainMenu', withDisplayName(menu, user))
  deadline.throwIfOver()
  const token = await tokens.issue(user, request)
  deadline.throwIfOver()
  audit(request, 'login accepted', user.username)
  return `{"success":true,"token":${JSON.stringify(token)},"error":null,"screen":${screen}}`
}

/**
 * Error handler of the login route: whatever went wrong, the answer is an AuthResponse, so that the client has a
 * message to show. The cause goes to the log only, and a parser's message not even there: it may quote the password.
 */
export function sendFailure(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const status = statusOf(error, reply)
  if (error instanceof OverloadedError) request.log.warn(error.message)
  else if (status >= 500) request.log.error({ err: error }, 'screen-auth: login failed')
  else audit(request, `login request refused with ${status}`)

  if (status === 503) retryLater(reply)
  sendJson(reply.code(status), failure(MESSAGES[status] ?? (status < 500 ? REFUSED : FAILED)))
}

/** An error of a host's hook can be anything, and its status too; the hook may also have set one before it threw. */
function statusOf({ statusCode, status }: FastifyError & { status?: number }, reply: FastifyReply): number {
  const isFailure = (code: unknown) => Number.isInteger(code) && Number(code) >= 400 && Number(code) < 600
  return [statusCode, status, reply.statusCode].find(isFailure) ?? 500
}

/** The last resort of Fastify, which serializes an error by the schema: a hook has failed after the error handler. */
export function failureText(): string {
  return failure(FAILED)
}

function reject(request: FastifyRequest, username: string, error: string, event = 'login rejected'): string {
  audit(request, event, username)
  return failure(error)
}

/** The client has hung up, or has its answer already: that it took too long. */
function abandon(request: FastifyRequest, username: string): string {
  audit(request, 'login abandoned', username)
  return failure(FAILED)
}

function failure(error: string): string {
  return JSON.stringify({ success: false, token: null, error, screen: null } satisfies AuthResponse)
}
