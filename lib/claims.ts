import { isUtf8 } from 'node:buffer'
import { type ScreenUser, toScreenUser } from './user.ts'

/** What a JWT says: who, and in which seconds since 1970 it was issued and expires. */
export interface Claims {
  readonly user: ScreenUser
  readonly iat: number
  readonly exp: number
}

/** 32 bytes are 43 base64url characters, the last with two zero bits: otherwise one token has four spellings. */
export function hasCanonicalSignature(token: string): boolean {
  return /\.[\w-]{42}[AEIMQUYcgkosw048]$/.test(token)
}

/** The claims of a JWT whose header and payload are as they must be; null of any other. Asks for no signature. */
export function readClaims(token: string): Claims | null {
  try {
    const [header, payload] = token.split('.', 2).map(readSegment) as [object, Record<string, unknown>]
    return hasPlainHeader(header) ? toClaims(payload) : null
  } catch {
    return null
  }
}

/** Whether a token may be used now: it has not expired, and was not issued in the future. */
export function areCurrent({ iat, exp }: Claims): boolean {
  const now = Date.now() / 1000
  return iat <= now && exp > now
}

/** JSON in UTF-8 (RFC 7515 5.2): a lenient decoder makes one username of many. */
function readSegment(segment: string): unknown {
  const bytes = Buffer.from(segment, 'base64url')
  if (segment.length % 4 === 1 || !isUtf8(bytes)) throw new SyntaxError('not base64url of UTF-8')
  return JSON.parse(bytes.toString())
}

/** No extension that changes what is signed or how to read it (RFC 7515 4.1.11, RFC 7797, RFC 8725 3.11). */
function hasPlainHeader(header: object): boolean {
  const { typ = 'JWT' } = header as { typ?: unknown }
  return typ === 'JWT' && !['crit', 'b64', 'zip', 'enc'].some(name => name in header)
}

/**
 * The claims strictly: each of the four is there and of its type. A token that names an audience was made for somebody
 * else (RFC 7519 4.1.3).
 */
function toClaims(payload: Record<string, unknown>): Claims | null {
  const { sub: username, display_name: displayName, iat, exp } = payload
  const user = toScreenUser({ username, displayName })
  return user !== null && isWhole(iat) && isWhole(exp) && !('aud' in payload) ? { user, iat, exp } : null
}

function isWhole(value: unknown): value is number {
  return Number.isInteger(value)
}
