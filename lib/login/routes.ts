import type { FastifyInstance } from 'fastify'
import { AuthRequest, AuthResponse, ScreenContract } from '../../schemas/generated/compiled.ts'
import { operations } from '../../schemas/operations.ts'
import { documented } from '../openapi/index.ts'
import { keepAddress, sendJson, whileClientWaits } from '../shared/index.ts'
import { BODY_LIMIT, limitBody, strictJsonParser, validateAuthRequest } from './body.ts'
import { sendLoginForm } from './form.ts'
import { type LoginService, logIn } from './login.ts'
import { createErrorHandler, failureText } from './outcome.ts'

const PATH = '/auth/login'

/** Adds the two public routes of the contract (section 4): `GET` and `POST /auth/login`. */
export async function loginRoutes(scope: FastifyInstance, service: LoginService): Promise<void> {
  const { settings, credentials } = service
  const { get, post } = operations[PATH]
  const config = { screenAuth: false }
  let hasWarned = false
  scope.addHook('onResponse', (request, reply, done) => {
    const text = 'a hook of this server has sent 401 for a login route, so nobody can log in; see docs/guard.md'
    // This plugin sends no 401 here.
    if (reply.statusCode === 401 && !hasWarned) request.log.warn(`screen-auth: ${text}`)
    hasWarned ||= reply.statusCode === 401
    done()
  })

  // Removes the parsers of the host, which could coerce form data or XML into an AuthRequest.
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
    errorHandler: createErrorHandler(settings.textOf),
    onRequest(request, _reply, done) {
      keepAddress(request)
      done()
    },
    preParsing: limitBody(credentials.limits.timeout),
    async handler(request, reply) {
      const work = (signal: AbortSignal) => logIn(service, request, reply, signal)
      return sendJson(reply, await whileClientWaits(request, work, credentials.limits.timeout))
    }
  })
}
