import type { FastifyInstance, FastifyRequest, onSendHookHandler, RouteOptions } from 'fastify'
import { AuthRequest, AuthResponse, ScreenContract } from '../../schemas/generated/compiled.ts'
import { loginFormOperation, operations } from '../../schemas/operations.ts'
import { keepAddress, sendJson, whileClientWaits } from '../base/http.ts'
import { logOnce } from '../base/warnings.ts'
import { documented } from '../host/openapi.ts'
import { BODY_LIMIT, fieldsOf, limitArrival, stopTimer, strictJsonParser } from './body.ts'
import type { LoginService } from './credentials.ts'
import { sendLoginForm } from './form.ts'
import { createErrorHandler, logIn, unavailableJson } from './login.ts'

const PATH = '/auth/login'

/** Adds the two public routes of the contract (section 4): `GET` and `POST /auth/login`. */
export function loginRoutes(scope: FastifyInstance, service: LoginService): void {
  const path = scope.prefix.replace(/\/$/, '') + PATH
  const config = { screenAuth: false }
  // Removes the parsers of the host, which could coerce form data or XML into an AuthRequest.
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, strictJsonParser(scope))
  // After the hooks of the host, which may set any option on all routes.
  scope.addHook('onRoute', route => {
    route.onSend = [route.onSend ?? [], warnAboutHooks].flat()
    if (route.method.includes('POST')) protectLogin(route, service)
  })

  scope.get(PATH, {
    config: { ...config, ...documented(loginFormOperation(path)) },
    exposeHeadRoute: true,
    schema: { response: { 200: ScreenContract } },
    handler: sendLoginForm(service, path)
  })

  scope.post(PATH, {
    config: { ...config, ...documented(operations[PATH].post) },
    // For the onRequest hooks of the host, which run before `limitArrival`.
    handlerTimeout: Reflect.get(scope.initialConfig, 'handlerTimeout') || service.limiter.timeout * 1000,
    schema: { body: AuthRequest, response: { 200: AuthResponse, '4xx': AuthResponse, '5xx': AuthResponse } },
    async handler(request, reply) {
      stopTimer(request)
      const work = (signal: AbortSignal) => logIn(service, request, reply, signal)
      return sendJson(reply, await whileClientWaits(request, work, service.limiter.timeout))
    }
  })
}

/** Warns once if a hook of the host has changed the response: clients then show no message, or no login at all. */
const warnAboutHooks: onSendHookHandler = (request, reply, payload, done) => {
  const text = 'a hook of this server has changed the response to a login'
  const warn = (effect: string) => logOnce(request.server, request, `${text}${effect}`)
  if (reply.statusCode === 401) warn(' to a 401, so nobody can log in; see docs/guard.md')
  else if (request.method === 'POST' && !mayBeAuthResponse(payload))
    warn(', so clients cannot read it; send { success, token, error, screen }')
  done(null, payload)
}

/** The payload may be compressed. */
function mayBeAuthResponse(payload: unknown): boolean {
  if (typeof payload !== 'string') return Boolean(payload)
  const keys = ['success', 'token', 'error', 'screen']
  try {
    const response = JSON.parse(payload)
    return keys.every(key => key in response)
  } catch {
    return false
  }
}

/** Sets what `POST /auth/login` relies on. Keeps all else, for instance a wrapped handler and further hooks. */
function protectLogin(route: RouteOptions, { limiter, textOf }: LoginService): void {
  const keep = async (request: FastifyRequest) => keepAddress(request)
  // Fastify then validates only what the host has added to the schema, with the validator of the host.
  const { body: _, ...schema } = { ...route.schema }
  Object.assign(route, {
    schema,
    bodyLimit: BODY_LIMIT,
    serializerCompiler: () => unavailableJson,
    errorHandler: createErrorHandler(textOf),
    // The preParsing hooks of the host may wait for the body.
    onRequest: [keep, limitArrival(limiter.timeout), route.onRequest ?? []].flat(),
    // The preHandler hooks of the host may read the fields.
    preValidation: [async ({ body }: FastifyRequest) => void fieldsOf(body), route.preValidation ?? []].flat()
  })
}
