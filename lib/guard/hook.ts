import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction, onRequestHookHandler } from 'fastify'
import { keepAddress, type ScreenUser } from '../shared/index.ts'
import { isPromise, type TokenService } from '../tokens/index.ts'
import { bearerToken } from './authorization-header.ts'
import { sendUnauthorized, sendUnavailable } from './responses.ts'

/**
 * Creates the onRequest hook that rejects requests to guarded routes without a valid token (contract 5.3). It reads the
 * config of the matched route, not the URL, which has many spellings.
 */
export function guard(tokens: TokenService): onRequestHookHandler {
  return function screenAuthGuard(request, reply, done) {
    if (request.routeOptions.config.screenAuth === false) {
      // Requests of scopes that were created before this plugin lack the decorated property.
      request.screenUser ??= null
      return done()
    }

    const token = bearerToken(request)
    if (token === null) return sendUnauthorized(request, reply)

    let user: ReturnType<TokenService['verify']>
    try {
      user = tokens.verify(token, request)
    } catch (error) {
      return sendUnavailable(error, request, reply)
    }
    // JWTs are verified synchronously, which saves a promise per request.
    if (!isPromise(user)) return pass(user, request, reply, done)
    keepAddress(request)
    user.then(
      user => pass(user, request, reply, done),
      error => sendUnavailable(error, request, reply)
    )
  }
}

function pass(
  user: ScreenUser | null,
  request: FastifyRequest,
  reply: FastifyReply,
  done: HookHandlerDoneFunction
): void {
  if (user === null) {
    sendUnauthorized(request, reply)
  } else {
    request.screenUser = user
    done()
  }
}
