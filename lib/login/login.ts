import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AuthRequest } from '../../schemas/index.ts'
import { mainMenuText, type ScreenOptions } from '../screens/index.ts'
import { has, InvalidAnswerError, InvalidOptionError, type ScreenUser, TokenServiceError } from '../shared/index.ts'
import type { TokenService } from '../tokens/index.ts'
import { type Credentials, verify } from './credentials.ts'
import type { LoginSettings } from './options.ts'
import { failure, reportLogin } from './outcome.ts'

export interface LoginService {
  settings: LoginSettings & ScreenOptions
  tokens: Pick<TokenService, 'issue'>
  credentials: Credentials
}

/**
 * Handles `POST /auth/login` (contract 4, rules 4 and 5).
 *
 * @returns an AuthResponse as JSON: the token and the main menu, or the reason of the rejection
 * @throws any error: the error handler of the route sends an AuthResponse
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
    return failure(credentials.textOf('incomplete', request))
  }
  const result = await verify(credentials, { ...fields, username, password }, request, signal, 'wrong')
  if (has(result, 'user')) return accept(service, result.user, request, signal)
  const { message, ...details } = result
  if (details.retryAfter) reply.header('retry-after', details.retryAfter)
  reportLogin(request, details.retryAfter ? 'blocked' : 'rejected', details)
  return failure(message())
}

/** Issues the token last, so that an earlier failure leaves no unused token. */
async function accept(
  { settings: { mainMenu }, tokens }: LoginService,
  user: ScreenUser,
  request: FastifyRequest,
  signal: AbortSignal
): Promise<string> {
  request.screenUser = user
  const screen = await mainMenuText(mainMenu, user, request, signal)
  // The client has left: issue no token.
  signal.throwIfAborted()
  let token: string
  try {
    token = await tokens.issue(user, request)
  } catch (cause) {
    // A token service that throws has lost its store (503). A wrong return value or argument is a bug (500).
    const isBroken = cause instanceof InvalidAnswerError || cause instanceof InvalidOptionError
    throw isBroken ? cause : new TokenServiceError({ cause })
  }
  signal.throwIfAborted()
  reportLogin(request, 'accepted', { user })
  return `{"success":true,"token":${JSON.stringify(token)},"error":null,"screen":${screen}}`
}
