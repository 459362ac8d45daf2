import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { AuthRequest, AuthResponse } from '../schemas/index.ts'
import { audit } from './audit.ts'
import { withDisplayName } from './display-name.ts'
import { InvalidAnswerError, LoginFailedError } from './errors.ts'
import type { LoginFields, Settings } from './options.ts'
import { retryLater } from './retry-later.ts'
import { makeScreen } from './screens.ts'
import type { TokenService } from './tokens.ts'
import { type ScreenUser, toScreenUser } from './user.ts'

const INCOMPLETE = 'Please enter your username and your password.'
const WRONG = 'Wrong username or password.'
const REFUSED = 'The login request was refused.'
const FAILED = 'The login is not possible at the moment. Please try again later.'

const MESSAGES: Record<number, string> = {
  400: 'The login request is malformed.',
  413: 'The login request is too large.',
  415: 'The login request must be JSON.'
}

/**
 * Answers a submission of credentials (contract 4, rules 4 and 5): the token and the main menu, or the reason why
 * not. The token comes last, so that no earlier failure leaves one behind.
 *
 * @throws LoginFailedError when a function that the host injected fails
 */
export async function logIn(
  request: FastifyRequest<{ Body: AuthRequest }>,
  { checkCredentials, mainMenu }: Settings,
  tokens: TokenService
): Promise<AuthResponse> {
  const { username = '', password = '' } = request.body.fields
  if (username === '' || password === '') return reject(request, username, INCOMPLETE)
  try {
    const answer = await checkCredentials(request.body.fields as LoginFields, request)
    const error = toRejection(answer)
    if (error !== null) return reject(request, username, error)

    const user = toUser(answer)
    request.screenUser = user
    const menu = await makeScreen('mainMenu', () => mainMenu(user, request))
    const screen = withDisplayName(menu, user)
    // Throws for a menu that JSON cannot hold, before there is a token.
    JSON.stringify(screen)
    const token = await tokens.issue(user, request)
    audit(request, 'login accepted', user.username)
    return { success: true, token, error: null, screen }
  } catch (cause) {
    // A status of the host's own error must not pass: a 401 here would send the client round in circles.
    throw new LoginFailedError({ cause })
  }
}

/**
 * Error handler of the login route: whatever went wrong, the answer is an AuthResponse, so that the client has a
 * message to show. The cause goes to the log only, and a parser's message not even there: it may quote the password.
 */
export function sendFailure(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const status = statusOf(error)
  if (status >= 500) request.log.error({ err: error }, 'screen-auth: login failed')
  else audit(request, `login request refused with ${status}`)

  if (status === 503) retryLater(reply)
  reply.code(status).send(failure(MESSAGES[status] ?? (status < 500 ? REFUSED : FAILED)))
}

/** An error of a host's hook can be anything, and its status too. */
function statusOf({ statusCode = 500 }: FastifyError): number {
  return Number.isInteger(statusCode) && statusCode >= 400 && statusCode < 600 ? statusCode : 500
}

function reject(request: FastifyRequest, username: string, error: string): AuthResponse {
  audit(request, 'login rejected', username)
  return failure(error)
}

function failure(error: string): AuthResponse {
  return { success: false, token: null, error, screen: null }
}

/** The message of a rejection; null when the answer is none. Looked at first, so that a mixed answer fails closed. */
function toRejection(answer: unknown): string | null {
  if (answer === null) return WRONG
  const { error } = Object(answer) as { error?: unknown }
  return typeof error === 'string' && error !== '' ? error : null
}

function toUser(answer: unknown): ScreenUser {
  const user = toScreenUser(answer)
  if (user !== null) return user
  throw new InvalidAnswerError(
    'checkCredentials must answer a user ({ username, displayName }), null or { error }'
  )
}
