import { createPublicKey, createSecretKey, type KeyObject } from 'node:crypto'
import type { ConfusedKey, JwtChange } from '../cases.ts'
import { isAsymmetric, isKnown, newKey, publicJwk, sign, verifies } from './keys.ts'
import { changeAt, otherCase } from './tokens.ts'

/** A decoded JWT; its signature is not verified. */
export interface Jwt {
  header: Record<string, unknown>
  claims: Record<string, unknown>
  signature: string
  /** The header and the claims as they stand in the token. */
  segments: { header: string; claims: string }
}

/** The keys that a changed JWT may be signed with. */
export interface Keys {
  /** The one that the server signs with. */
  key?: KeyObject | undefined
  /** The public half of it, as PEM. */
  publicKey?: string | undefined
}

/** Returns the parts of a JWT; undefined when the token is none. */
export function parseJwt(token: string): Jwt | undefined {
  const [header, claims, signature, ...rest] = token.split('.')
  if (signature === undefined || rest.length > 0) return undefined
  const parsed = {
    header: parseSegment(header),
    claims: parseSegment(claims),
    signature,
    segments: { header, claims }
  }
  return parsed.header?.alg === undefined || parsed.claims === undefined ? undefined : (parsed as Jwt)
}

/** Returns the `alg` of a JWT's header. */
export function algorithmOf({ header }: Jwt): string {
  return String(header.alg)
}

/** Returns which of the keys verifies the JWT. */
export function findKey(token: string, keys: KeyObject[]): KeyObject | undefined {
  const jwt = parseJwt(token) as Jwt
  const content = token.slice(0, token.lastIndexOf('.'))
  return keys.find(key => verifies(content, jwt.signature, algorithmOf(jwt), key))
}

/**
 * Returns the JWT with patched parts and a signature as the change says. A part without a patch stays as it was, byte for
 * byte. Undefined when there is no key for that.
 */
export function changeJwt(jwt: Jwt, change: JwtChange, keys: Keys): string | undefined {
  const { signature, segments } = jwt
  const header = patch(jwt.header, change.header)
  const key = signingKey(jwt, change, keys, header)
  if (key === undefined) return undefined
  const isHeaderKept = JSON.stringify(header) === JSON.stringify(jwt.header)
  const content = [
    isHeaderKept ? segments.header : toSegment(header),
    change.claims === undefined ? segments.claims : toSegment(patch(jwt.claims, change.claims))
  ].join('.')
  if (change.signature === 'missing') return content
  if (key === 'none') return `${content}.${changeSignature(signature, change)}`
  return isKnown(String(header.alg)) ? `${content}.${sign(content, String(header.alg), key)}` : undefined
}

/**
 * The key for the changed JWT, whose header is adapted to it; `none` where the signature is made without one, and
 * undefined where there is none.
 */
function signingKey(
  jwt: Jwt,
  { signature }: JwtChange,
  { key, publicKey }: Keys,
  header: Record<string, unknown>
): KeyObject | 'none' | undefined {
  switch (signature) {
    case 'kept':
    case 'other case':
    case 'start changed':
    case 'zeros':
    case 'empty':
    case 'missing':
      return 'none'
    case 'other key':
      return isKnown(String(header.alg)) ? newKey(String(header.alg)) : undefined
    case 'empty key':
      return createSecretKey(Buffer.alloc(0))
    case 'own key': {
      const own = isAsymmetric(algorithmOf(jwt)) ? algorithmOf(jwt) : 'RS256'
      const made = newKey(own)
      Object.assign(header, { alg: own, jwk: publicJwk(made) })
      return made
    }
    case 'right key':
      return key
    case 'right key, other algorithm':
      header.alg = otherAlgorithm(algorithmOf(jwt))
      return header.alg === undefined ? undefined : key
    default:
      return confusedKey(publicKey as string, signature)
  }
}

/** Another algorithm that the same key can sign with. */
function otherAlgorithm(alg: string): string | undefined {
  if (alg.startsWith('HS')) return alg === 'HS512' ? 'HS256' : 'HS512'
  if (/^[RP]S/.test(alg)) return alg === 'RS256' ? 'RS512' : 'RS256'
  return undefined
}

function confusedKey(pem: string, form: ConfusedKey): KeyObject {
  if (form === 'public key') return createSecretKey(pem, 'utf8')
  if (form === 'public key, DER')
    return createSecretKey(createPublicKey(pem).export({ format: 'der', type: 'spki' }))
  return createSecretKey(pem.trimEnd(), 'utf8')
}

function changeSignature(signature: string, { signature: change }: JwtChange): string {
  if (change === 'kept') return signature
  if (change === 'other case') return otherCase(signature)
  if (change === 'start changed') return changeAt(signature, 0)
  if (change === 'zeros')
    return Buffer.alloc(Buffer.from(signature, 'base64url').length).toString('base64url')
  return ''
}

/** Applies a JSON Merge Patch (RFC 7396) to the first level, which is all that the cases need. */
function patch(target: object, changes: object = {}): Record<string, unknown> {
  return Object.fromEntries(Object.entries({ ...target, ...changes }).filter(([, value]) => value !== null))
}

function toSegment(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function parseSegment(segment = ''): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(Buffer.from(segment, 'base64url').toString())
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}
