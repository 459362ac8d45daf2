import type { FastifyInstance, onResponseHookHandler } from 'fastify'
import { AuthRequest, AuthResponse, ScreenContract } from '../../schemas/generated/compiled.ts'
import { operations } from '../../schemas/operations.ts'
import { documented } from '../openapi/index.ts'
import { keepAddress, sendJson, whileClientWaits } from '../shared/index.ts'
import { BODY_LIMIT, endBody, limitBody, strictJsonParser, validateAuthRequest } from './body.ts'
import { sendLoginForm } from './form.ts'
import { type LoginService, logIn } from './login.ts'
import { createErrorHandler, failureText } from './outcome.ts'

const PATH = '/auth/login'

/** Adds the two public routes of the contract (section 4): `GET` and `POST /auth/login`. */
export function loginRoutes(scope: FastifyInstance, service: LoginService): void {
  const { settings, credentials } = service
  const { get, post } = operations[PATH]
  const config = { screenAuth: false }
  const handleError = createErrorHandler(settings.textOf)
  let hasWarned = false
  const onResponse: onResponseHookHandler = (request, reply, done) => {
    const text = 'screen-auth: a hook of this server sent 401 for a login, so nobody can log in; see docs/guard.md'
    if (reply.statusCode === 401 && !hasWarned) request.log.warn(text)
    hasWarned ||= reply.statusCode === 401
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
    handler: sendLoginForm(settings, scope.prefix.replace(/\/$/, '') + PATH)
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
    preParsing: limitBody(credentials.limits.timeout),
    onResponse,
    async handler(request, reply) {
      const work = (signal: AbortSignal) => logIn(service, request, reply, signal)
      return sendJson(reply, await whileClientWaits(request, work, credentials.limits.timeout))
    }
  })
}
