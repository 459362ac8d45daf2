// The hooks that guard all routes, and the parser of the Authorization header.
import type { FastifyReply, FastifyRequest, onRequestHookHandler, onSendHookHandler } from 'fastify'
import { TokenServiceError } from './errors.ts'
import { audit, publish, type RefusalEvent, senderOf } from './events.ts'
import { type AnyRequest, keepAddress, setUnavailable } from './http.ts'
import { isPromise, type TokenService } from './tokens/token-service.ts'
import type { ScreenUser } from './user.ts'

/** Returns whether a route is public. Own properties only: a polluted `Object.prototype` would open all routes. */
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

/** Keeps the responses to a user out of shared caches, unless the host has set the header. */
export const keepPrivate: onSendHookHandler = ({ screenUser }, reply, payload, done) => {
  const isSet = reply.getHeader('cache-control') || reply.raw.hasHeader('cache-control')
  if (screenUser && !isSet) reply.header('cache-control', 'private, no-cache')
  done(null, payload)
}

/**
 * Sends 401 with an empty body (contract 7). The realm is a constant, because an app name can contain characters that
 * are invalid in a header. `invalid_token` reports an invalid token, as opposed to a missing one (RFC 6750 3.1).
 */
function sendUnauthorized(request: FastifyRequest, reply: FastifyReply): void {
  const reason = hasBearerToken(request) ? 'invalid' : 'missing'
  reportRefusal(request, reason)
  const error = reason === 'invalid' ? ', error="invalid_token"' : ''
  reply.code(401).header('www-authenticate', `Bearer realm="screen"${error}`)
  sendEmpty(request, reply)
}

/** Sends 503, because the token may be valid: a client drops its token after a 401. */
function sendUnavailable(cause: unknown, request: FastifyRequest, reply: FastifyReply): void {
  // Wrapped, because a host can throw any value, even one that cannot be logged.
  reportRefusal(request, 'unavailable', new TokenServiceError({ cause }))
  sendEmpty(request, setUnavailable(reply))
}

function reportRefusal(request: FastifyRequest, reason: RefusalEvent['reason'], err?: Error): void {
  const sender = senderOf(request)
  const text = err ? 'the token service failed' : `request refused, token ${reason}`
  audit(request, sender, { event: 'refusal', reason, err }, text, err ? 'error' : 'info')
  publish('refusal', { reason, address: sender.address }, { request })
}

function sendEmpty({ raw }: FastifyRequest, reply: FastifyReply): void {
  // Node does not close the socket of an upgrade request, and @fastify/websocket may not handle this request.
  if ('upgrade' in raw && raw.upgrade) reply.raw.once('finish', () => raw.socket.destroySoon())
  reply.header('cache-control', 'no-store').send()
}

/** `Bearer` in any case, then one or more spaces (RFC 6750 2.1, RFC 9110 11.1). */
const SCHEME = /^bearer +/i

/**
 * Returns the token of the `Authorization` header (contract 5.1). Ignores queries and cookies.
 *
 * @returns the token; null if the header is missing, malformed or sent twice. Never null on a guarded route
 * @example
 * app.post('/auth/logout', async request => tokens.revoke(bearerToken(request)))
 */
export function bearerToken(request: AnyRequest): string | null {
  const authorization = request?.headers?.authorization
  if (typeof authorization !== 'string') return null
  const scheme = SCHEME.exec(authorization)
  if (scheme === null || isRepeated(request)) return null
  const token = authorization.slice(scheme[0].length)
  // The token service checks the other characters. A regular expression would be slow for 7 KB of garbage.
  return token.includes(' ') ? null : token
}

/** Returns whether the header has a bearer token, valid or not. */
function hasBearerToken({ headers }: AnyRequest): boolean {
  return /^bearer +[^ ]/i.test(headers.authorization ?? '')
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
