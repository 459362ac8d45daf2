import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AuthRequest } from '../../schemas/index.ts'
import { type MainMenu, mainMenuText } from '../screens/index.ts'
import { InvalidAnswerError, type ScreenUser, TokenServiceError } from '../shared/index.ts'
import { type Credentials, verify } from './credentials.ts'
import type { Say } from './messages.ts'
import type { LoginFields } from './options.ts'
import { failure, reportLogin } from './outcome.ts'

/** What a login needs. */
export interface LoginService {
  mainMenu: MainMenu
  issueToken(user: ScreenUser, request: FastifyRequest): string | Promise<string>
  credentials: Credentials
  say: Say
}

/**
 * Serves a submission of credentials (contract 4, rules 4 and 5): the token and the main menu, or the reason why not.
 *
 * @param signal aborted when nobody waits for the response any more
 * @returns the AuthResponse as JSON
 * @throws what the error handler makes an AuthResponse of
 */
export async function logIn(
  service: LoginService,
  request: FastifyRequest<{ Body: AuthRequest }>,
  reply: FastifyReply,
  signal: AbortSignal
): Promise<string> {
  const { credentials, say } = service
  const { username = '', password = '' } = request.body.fields
  if (username === '' || password === '') {
    reportLogin(request, 'incomplete')
    return failure(say('incomplete', request))
  }
  const result = await verify(credentials, request.body.fields as LoginFields, request, signal)
  signal.throwIfAborted()
  if ('user' in result) return accept(service, result.user, request, signal)
  if ('error' in result) {
    reportLogin(request, 'rejected')
    return failure(result.error ?? say('wrong', request))
  }
  const { blockedFor: retryAfter } = result
  reply.header('retry-after', retryAfter)
  reportLogin(request, 'blocked', { retryAfter })
  return failure(say('blocked', request, retryAfter))
}

/** The token comes last, so that no earlier failure leaves one behind. */
async function accept(
  { mainMenu, issueToken }: LoginService,
  user: ScreenUser,
  request: FastifyRequest,
  signal: AbortSignal
): Promise<string> {
  request.screenUser = user
  const screen = await mainMenuText(mainMenu, user, request, signal)
  // No token for nobody.
  signal.throwIfAborted()
  let token: string
  try {
    token = await issueToken(user, request)
  } catch (cause) {
    // A token service that throws has lost its store; one that returns something wrong is broken.
    throw cause instanceof InvalidAnswerError ? cause : new TokenServiceError({ cause })
  }
  signal.throwIfAborted()
  reportLogin(request, 'accepted', { user })
  return `{"success":true,"token":${JSON.stringify(token)},"error":null,"screen":${screen}}`
}
