import type { AnyRequest } from '../shared/index.ts'

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
export function hasBearerToken({ headers }: AnyRequest): boolean {
  return /^bearer +[^ ]/i.test(headers.authorization ?? '')
}

/** Node silently keeps the first of two Authorization headers, but a proxy may have checked the second. */
function isRepeated({ raw: { rawHeaders } }: AnyRequest): boolean {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    // Checks the length first: this runs for every header of every request.
    if (name.length === 13 && name.toLowerCase() === 'authorization') count++
  }
  return count > 1
}
