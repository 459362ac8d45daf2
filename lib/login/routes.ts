import type { FastifyInstance, onResponseHookHandler } from 'fastify'
import { AuthRequest, AuthResponse, ScreenContract } from '../../schemas/generated/compiled.ts'
import { operations } from '../../schemas/operations.ts'
import { logOnce } from '../events.ts'
import { keepAddress, sendJson, whileClientWaits } from '../http.ts'
import { documented } from '../openapi.ts'
import { BODY_LIMIT, endBody, limitBody, strictJsonParser, validateAuthRequest } from './body.ts'
import type { LoginService } from './credentials.ts'
import { sendLoginForm } from './form.ts'
import { createErrorHandler, failureText, logIn } from './login.ts'

const PATH = '/auth/login'

/** Adds the two public routes of the contract (section 4): `GET` and `POST /auth/login`. */
export function loginRoutes(scope: FastifyInstance, service: LoginService): void {
  const { textOf, limits } = service
  const { get, post } = operations[PATH]
  const config = { screenAuth: false }
  const handleError = createErrorHandler(textOf)
  const onResponse: onResponseHookHandler = (request, reply, done) => {
    const text = 'a hook of this server sent 401 for a login, so nobody can log in; see docs/guard.md'
    if (reply.statusCode === 401) logOnce(service, request, text)
    done()
  }

  // Removes the parsers of the host, which could coerce form data or XML into an AuthRequest.
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, strictJsonParser(scope))

  scope.get(PATH, {
    config: { ...config, ...documented(get) },
    exposeHeadRoute: true,
    schema: { response: { 200: ScreenContract } },
    onResponse,
    handler: sendLoginForm(service, scope.prefix.replace(/\/$/, '') + PATH)
  })

  scope.post<{ Body: AuthRequest }>(PATH, {
    config: { ...config, ...documented(post) },
    bodyLimit: BODY_LIMIT,
    schema: { body: AuthRequest, response: { 200: AuthResponse, '4xx': AuthResponse, '5xx': AuthResponse } },
    validatorCompiler: () => validateAuthRequest,
    serializerCompiler: () => failureText,
    errorHandler(error, request, reply) {
      endBody(request)
      handleError(error, request, reply)
    },
    onRequest(request, _reply, done) {
      keepAddress(request)
      done()
    },
    preParsing: limitBody(limits.timeout),
    onResponse,
    async handler(request, reply) {
      const work = (signal: AbortSignal) => logIn(service, request, reply, signal)
      return sendJson(reply, await whileClientWaits(request, work, limits.timeout))
    }
  })
}
