import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction, onRequestHookHandler } from 'fastify'
import { audit } from '../shared/audit-log.ts'
import { keepAddress } from '../shared/client-address.ts'
import { TokenServiceError } from '../shared/errors.ts'
import { retryLater } from '../shared/retry-later.ts'
import type { ScreenUser } from '../shared/user.ts'
import { isPromise, type TokenService } from '../tokens/token-service.ts'
import { bearerToken, challenge, endUpgrade } from './authorization-header.ts'

/**
 * The one onRequest hook (contract 5.3): a request to a route that is not public needs a valid token. Public is
 * decided from the matched route's config, never from the URL, which has too many spellings.
 */
export function guard(tokens: TokenService): onRequestHookHandler {
  return function screenAuthGuard(request, reply, done) {
    if (request.routeOptions.config.screenAuth === false) return done()

    const token = bearerToken(request)
    if (token === null) return refuse(request, reply)

    let answer: ReturnType<TokenService['verify']>
    try {
      answer = tokens.verify(token, request)
    } catch (error) {
      return postpone(error, request, reply)
    }
    // A JWT is verified at once, and then the hook is done without a promise.
    if (!isPromise(answer)) return judge(answer, request, reply, done)
    keepAddress(request)
    answer.then(
      user => judge(user, request, reply, done),
      error => postpone(error, request, reply)
    )
  }
}

function judge(
  user: ScreenUser | null,
  request: FastifyRequest,
  reply: FastifyReply,
  done: HookHandlerDoneFunction
): void {
  if (user === null) {
    refuse(request, reply)
  } else {
    request.screenUser = user
    done()
  }
}

function refuse(request: FastifyRequest, reply: FastifyReply): void {
  audit(request, 'request refused: no valid token')
  challenge(request, reply)
}

/** Whether the token is good is not known: a 401 would make the client drop it, so ask it to come back. */
function postpone(cause: unknown, request: FastifyRequest, reply: FastifyReply): void {
  // Wrapped, because what a host throws can be anything, even something that cannot be logged.
  const err = new TokenServiceError({ cause })
  request.log.error({ err }, err.message)
  endUpgrade(request, reply)
  retryLater(reply).header('cache-control', 'no-store').send()
}
