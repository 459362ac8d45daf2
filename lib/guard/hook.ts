import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction, onRequestHookHandler } from 'fastify'
import { keepAddress, type ScreenUser } from '../shared/index.ts'
import { isPromise, type TokenService } from '../tokens/index.ts'
import { bearerToken } from './authorization-header.ts'
import { sendUnauthorized, sendUnavailable } from './responses.ts'

/**
 * The one onRequest hook (contract 5.3): a request to a route that is not public needs a valid token. Public is
 * decided from the matched route's config, never from the URL, which has too many spellings.
 */
export function guard(tokens: TokenService): onRequestHookHandler {
  return function screenAuthGuard(request, reply, done) {
    if (request.routeOptions.config.screenAuth === false) {
      // In a scope that was there before this plugin, requests do not have the property.
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
    // A JWT is verified at once, and then the hook is done without a promise.
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
