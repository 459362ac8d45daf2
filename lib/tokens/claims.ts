import { type ScreenUser, toScreenUser } from '../shared/index.ts'

/** What `verify` of @fastify/jwt returns with `complete: true`. */
export interface DecodedToken {
  header: Record<string, unknown>
  payload: Record<string, unknown>
}

/** What a JWT says: who, and from which second on until which one, since 1970. */
export interface Claims {
  readonly user: ScreenUser
  readonly from: number
  readonly until: number
}

/** The claims of a verified token; null when its header or one of them is not as it must be. */
export function toClaims({ header, payload }: DecodedToken): Claims | null {
  const { sub: username, display_name: displayName, iat, exp, nbf = iat } = payload
  const user = toScreenUser({ username, displayName })
  const isValid = user !== null && isWhole(iat) && isWhole(exp) && typeof nbf === 'number'
  // A token that names an audience was made for somebody else (RFC 7519 4.1.3).
  if (!isValid || 'aud' in payload || !hasPlainHeader(header)) return null
  return { user, from: Math.max(iat, nbf), until: exp }
}

/** Whether a token may be used now: its time has come (`iat`, `nbf`), and not gone (`exp`). */
export function areCurrent({ from, until }: Claims): boolean {
  const now = Date.now() / 1000
  return from <= now && now < until
}

/** HS256, and no extension that changes what is signed or how to read it (RFC 7515 4.1.11, RFC 7797, RFC 8725 3.11). */
function hasPlainHeader(header: Record<string, unknown>): boolean {
  const { alg, typ = 'JWT' } = header
  return alg === 'HS256' && typ === 'JWT' && !['crit', 'b64', 'zip', 'enc'].some(name => name in header)
}

function isWhole(value: unknown): value is number {
  return Number.isInteger(value)
}
