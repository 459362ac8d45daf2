import type { FastifyReply, FastifyRequest } from 'fastify'

/** `Bearer` in any case, one or more spaces (RFC 6750 2.1, RFC 9110 11.1). */
const SCHEME = /^bearer +/i

/**
 * The token of the `Authorization` header (contract 5.1), or null when there is none or the header is malformed or
 * sent twice. Queries and cookies are never looked at. Behind the guard there always is one.
 *
 * @example
 * app.post('/auth/logout', async request => tokens.revoke(bearerToken(request)))
 */
export function bearerToken(request: FastifyRequest): string | null {
  const authorization = request?.headers?.authorization
  if (typeof authorization !== 'string') return null
  const scheme = SCHEME.exec(authorization)
  if (scheme === null || isRepeated(request)) return null
  const token = authorization.slice(scheme[0].length)
  // Of which characters it is made the token service asks: a regular expression takes its time for 7 KB of garbage.
  return token.includes(' ') ? null : token
}

/**
 * Answers 401 with an empty body (contract 7). The challenge is a constant: an app name in it could hold characters
 * that no header can carry. `invalid_token` tells a client that its token is the trouble (RFC 6750 3.1).
 */
export function challenge(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  endUpgrade(request, reply)
  const sent = /^bearer +[^ ]/i.test(request.headers.authorization ?? '')
  return reply
    .code(401)
    .header(
      'www-authenticate',
      sent ? 'Bearer realm="screen", error="invalid_token"' : 'Bearer realm="screen"'
    )
    .header('cache-control', 'no-store')
    .send()
}

/** After an upgrade Node leaves the socket to others, and @fastify/websocket may not have seen this request. */
export function endUpgrade({ raw }: FastifyRequest, reply: FastifyReply): void {
  if ('upgrade' in raw && raw.upgrade) reply.raw.once('finish', () => raw.socket.destroySoon())
}

/** Node keeps the first of two Authorization headers without a word; a proxy in front may have judged the second. */
function isRepeated({ raw: { rawHeaders } }: FastifyRequest): boolean {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    // The length first, because this is done for every header of every request.
    if (name.length === 13 && name.toLowerCase() === 'authorization') count++
  }
  return count > 1
}
