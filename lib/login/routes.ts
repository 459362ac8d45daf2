import type { FastifyInstance } from 'fastify'
import { AuthRequest, AuthResponse, ScreenContract } from '../../schemas/generated/compiled.ts'
import { operations } from '../../schemas/operations.ts'
import type { Settings } from '../options.ts'
import { keepAddress } from '../shared/client-address.ts'
import { withDeadline } from '../shared/client-signal.ts'
import { documented } from '../shared/openapi.ts'
import { sendJson } from '../shared/reply.ts'
import type { TokenService } from '../tokens/token-service.ts'
import { BODY_LIMIT, strictJsonParser, validateAuthRequest } from './body.ts'
import type { Credentials } from './credentials.ts'
import { sendLoginForm } from './form.ts'
import { failureText, logIn, sendFailure } from './login.ts'

const PATH = '/auth/login'

/** The two public routes of the contract (section 4): `GET` and `POST /auth/login`. */
export async function loginRoutes(
  scope: FastifyInstance,
  { settings, tokens, credentials }: { settings: Settings; tokens: TokenService; credentials: Credentials }
): Promise<void> {
  const { get, post } = operations[PATH]
  const config = { screenAuth: false }
  const service = { mainMenu: settings.mainMenu, tokens, credentials }

  // No parser of the host may read a login: form data or XML would reach the checker coerced.
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, strictJsonParser(scope))

  scope.get(PATH, {
    config: { ...config, ...documented(get) },
    exposeHeadRoute: true,
    schema: { response: { 200: ScreenContract } },
    handler: sendLoginForm(settings, scope.prefix.replace(/\/$/, '') + PATH)
  })

  scope.post<{ Body: AuthRequest }>(PATH, {
    config: { ...config, ...documented(post) },
    bodyLimit: BODY_LIMIT,
    schema: { body: AuthRequest, response: { 200: AuthResponse, '4xx': AuthResponse, '5xx': AuthResponse } },
    validatorCompiler: () => validateAuthRequest,
    serializerCompiler: () => failureText,
    errorHandler: sendFailure,
    onRequest(request, reply, done) {
      keepAddress(request)
      // A token must not be stored by anything on the way (RFC 6749 5.1).
      reply.header('cache-control', 'no-store')
      done()
    },
    async handler(request, reply) {
      const response = await withDeadline(request, settings.checks.timeout, signal =>
        logIn(service, request, reply, signal)
      )
      return sendJson(reply, response)
    }
  })
}
