// The hooks that guard all routes, and the parser of the Authorization header.
import type { FastifyReply, FastifyRequest, onRequestHookHandler, onSendHookHandler } from 'fastify'
import { TokenServiceError, WrongArgumentError } from './base/errors.ts'
import { audit, publish, type RefusalEvent, senderOf } from './base/events.ts'
import { type AnyRequest, keepAddress, setUnavailable } from './base/http.ts'
import { isPromise } from './base/promises.ts'
import { rootOf } from './base/scopes.ts'
import type { ScreenUser } from './base/user.ts'
import { logOnce } from './base/warnings.ts'
import type { TokenService } from './tokens/token-service.ts'

/** Returns whether a route is public. Own properties only: a polluted `Object.prototype` must not make all public. */
export function isPublic(config: { screenAuth?: boolean } | undefined): boolean {
  return Object.hasOwn(Object(config), 'screenAuth') && config?.screenAuth === false
}

/**
 * Creates the onRequest hook that rejects requests to guarded routes without a valid token (contract 5.3). It reads the
 * config of the matched route, not the URL, which has many spellings.
 */
export function guard(tokens: TokenService): onRequestHookHandler {
  return function screenAuthGuard(request, reply, done) {
    if (isPublic(request.routeOptions.config)) {
      // Requests of scopes that were created before this plugin lack the decorated property.
      request.screenUser ??= null
      return done()
    }

    const token = bearerToken(request)
    if (token === null) return sendUnauthorized(request, reply)

    const pass = (user: ScreenUser | null) => {
      if (!user) return sendUnauthorized(request, reply)
      request.screenUser = user
      done()
    }
    const user = tokens.verify(token, request)
    // JWTs are verified synchronously, which saves a promise per request, and never throw an error.
    if (!isPromise(user)) return pass(user)
    keepAddress(request)
    user.then(pass, error => sendUnavailable(error, request, reply))
  }
}

/** With such a header, a cache may send the response to a user to others (RFC 9111 3.5). */
const SHARED = /^(?!.*(private|no-store|no-cache|max-?age=0)).*(public|s-maxage|must-revalidate)/i

/** Keeps the responses to a user out of shared caches, unless the host has set the header. */
export const keepPrivate: onSendHookHandler = (request, reply, payload, done) => {
  const header = reply.getHeader('cache-control')
  if (request.screenUser && !header) reply.header('cache-control', 'private, no-cache')
  else if (request.screenUser && SHARED.test(String(header))) {
    const { handler, url = 'on an unknown path' } = request.routeOptions
    const text = 'has a `Cache-Control` with which a cache may send the response to other users; add `private`'
    logOnce(handler, request, `${request.method} ${url} ${text}`)
  }
  done(null, payload)
}

/**
 * Sends 401 with an empty body (contract 7). The realm is a constant, because an app name can contain characters that
 * are invalid in a header. `invalid_token` reports an invalid token, as opposed to a missing one (RFC 6750 3.1).
 */
function sendUnauthorized(request: FastifyRequest, reply: FastifyReply): void {
  const { authorization } = request.headers
  const reason = SCHEME.test(authorization ?? '') ? 'invalid' : 'missing'
  const why = authorization && reason === 'missing' ? ': the Authorization header has no `Bearer` token' : ''
  reportRefusal(request, reason, `request refused, token ${reason}${why}`)
  const error = reason === 'invalid' ? ', error="invalid_token"' : ''
  reply.code(401).header('www-authenticate', `Bearer realm="screen"${error}`)
  sendEmpty(request, reply)
}

/** Sends 503, because the token may be valid: a client drops its token after a 401. */
function sendUnavailable(cause: unknown, request: FastifyRequest, reply: FastifyReply): void {
  // Wrapped, because a host can throw any value, even one that cannot be logged.
  reportRefusal(request, 'unavailable', 'the token service failed', new TokenServiceError({ cause }))
  sendEmpty(request, setUnavailable(reply))
}

function reportRefusal(request: FastifyRequest, reason: RefusalEvent['reason'], text: string, err?: Error): void {
  const sender = senderOf(request)
  audit(request, sender, { event: 'refusal', reason, err }, text, err ? 'error' : 'info')
  publish('refusal', { reason, address: sender.address }, { request })
}

function sendEmpty(request: FastifyRequest, reply: FastifyReply): void {
  const { raw } = request
  const { statusCode } = reply
  reply.raw.once('finish', () => {
    // Node does not close the socket of an upgrade request, and @fastify/websocket may not handle this request.
    if ('upgrade' in raw && raw.upgrade) raw.socket.destroySoon()
    if (reply.raw.statusCode === statusCode) return
    const text = `a hook has turned a ${statusCode} of the guard into a ${reply.raw.statusCode}`
    logOnce(rootOf(request.server), request, `${text}; keep the status, because clients log in only after a 401`)
  })
  reply.header('cache-control', 'no-store').send()
}

/** `Bearer` in any case, one or more spaces, and a token (RFC 6750 2.1, RFC 9110 11.1). */
const SCHEME = /^bearer +(?=[^ ])/i

/**
 * Returns the token of the `Authorization` header (contract 5.1). Ignores queries and cookies.
 *
 * @returns the token; null if the header is missing, malformed or sent twice. Never null on a guarded route
 * @throws `FST_SCREEN_AUTH_WRONG_ARGUMENT` if the value is no request, for instance its headers
 * @example
 * app.post('/auth/logout', async request => tokens.revoke(bearerToken(request)))
 */
export function bearerToken(request: AnyRequest): string | null {
  if (typeof request?.headers !== 'object') throw new WrongArgumentError('bearerToken takes a request')
  const { authorization } = request.headers
  if (typeof authorization !== 'string') return null
  const scheme = SCHEME.exec(authorization)
  if (scheme === null || isRepeated(request)) return null
  const token = authorization.slice(scheme[0].length)
  // The token service checks the other characters. A regular expression would be slow for 7 KB of garbage.
  return token.includes(' ') ? null : token
}

/**
 * Node silently keeps the first of two Authorization headers, but a proxy may have checked the second. The server of a
 * `serverFactory` may have no `rawHeaders`.
 */
function isRepeated({ raw: { rawHeaders = [] } }: AnyRequest): boolean {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    // Checks the length first: this runs for every header of every request.
    if (name.length === 13 && name.toLowerCase() === 'authorization') count++
  }
  return count > 1
}
