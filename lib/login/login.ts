import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AuthRequest } from '../../schemas/index.ts'
import { mainMenuText, type ScreenOptions } from '../screens/index.ts'
import { InvalidAnswerError, InvalidOptionError, type ScreenUser, TokenServiceError } from '../shared/index.ts'
import type { TokenService } from '../tokens/index.ts'
import { type Credentials, verify } from './credentials.ts'
import type { LoginSettings } from './options.ts'
import { failure, reportLogin } from './outcome.ts'

/** What a login needs. */
export interface LoginService {
  settings: LoginSettings & ScreenOptions
  tokens: Pick<TokenService, 'issue'>
  credentials: Credentials
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
  const { credentials } = service
  const { fields } = request.body
  const { username = '', password = '' } = fields
  if (username === '' || password === '') {
    reportLogin(request, 'incomplete')
    return failure(credentials.say('incomplete', request))
  }
  const result = await verify(credentials, { ...fields, username, password }, request, signal, 'wrong')
  if ('user' in result) return accept(service, result.user, request, signal)
  const { message, ...details } = result
  if (details.retryAfter) reply.header('retry-after', details.retryAfter)
  reportLogin(request, details.retryAfter ? 'blocked' : 'rejected', details)
  return failure(message())
}

/** The token comes last, so that no earlier failure leaves one behind. */
async function accept(
  { settings: { mainMenu }, tokens }: LoginService,
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
    token = await tokens.issue(user, request)
  } catch (cause) {
    // A token service that throws has lost its store; one that returns or is given something wrong is broken.
    const isBroken = cause instanceof InvalidAnswerError || cause instanceof InvalidOptionError
    throw isBroken ? cause : new TokenServiceError({ cause })
  }
  signal.throwIfAborted()
  reportLogin(request, 'accepted', { user })
  return `{"success":true,"token":${JSON.stringify(token)},"error":null,"screen":${screen}}`
}
