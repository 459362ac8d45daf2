import type { FastifyRequest } from 'fastify'

/** `Bearer` in any case, one or more spaces (RFC 6750 2.1, RFC 9110 11.1). */
const SCHEME = /^bearer +/i

/**
 * Reads the token of the `Authorization` header (contract 5.1). Queries and cookies are never looked at.
 *
 * @returns null when there is none, or when the header is malformed or sent twice; never null behind the guard
 * @example
 * app.post('/auth/logout', async request => tokens.revoke(bearerToken(request)))
 */
export function bearerToken(request: FastifyRequest): string | null {
  const authorization = request?.headers?.authorization
  if (typeof authorization !== 'string') return null
  const scheme = SCHEME.exec(authorization)
  if (scheme === null || isRepeated(request)) return null
  const token = authorization.slice(scheme[0].length)
  // The token service checks the other characters: a regular expression takes its time for 7 KB of garbage.
  return token.includes(' ') ? null : token
}

/** Whether the header has a token of whatever form. */
export function hasBearerToken({ headers }: FastifyRequest): boolean {
  return /^bearer +[^ ]/i.test(headers.authorization ?? '')
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
