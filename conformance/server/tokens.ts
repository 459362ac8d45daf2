import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { JwtChange, TokenChange } from '../cases.ts'

/** A decoded JWT; its signature is not verified. */
export interface Jwt {
  header: Record<string, unknown>
  claims: Record<string, unknown>
  signature: string
}

/** Returns the parts of a JWT; undefined when the token is none. */
export function parseJwt(token: string): Jwt | undefined {
  const [header, claims, signature, ...rest] = token.split('.')
  if (signature === undefined || rest.length > 0) return undefined
  const parsed = { header: parseSegment(header), claims: parseSegment(claims), signature }
  return parsed.header?.alg === undefined || parsed.claims === undefined ? undefined : (parsed as Jwt)
}

/**
 * Changes a token so that it must not be valid any more.
 *
 * @returns the changed token; undefined when it would be the same, also to a server that reads it as hexadecimal
 */
export function changeToken(token: string, change: TokenChange): string | undefined {
  const changed = CHANGES[change](token)
  return changed === token || changed === '' ? undefined : changed
}

const CHANGES: Record<TokenChange, (token: string) => string> = {
  'first changed': token => changeAt(token, 0),
  'middle changed': token => changeAt(token, token.length >> 1),
  // Not the last characters: in Base64 they may hold unused bits, or be padding.
  'end changed': token => changeAt(token, Math.max(0, token.length - 6)),
  'last changed': token => (isHexadecimal(token) ? changeAt(token, token.length - 1) : token),
  'first half': token => token.slice(0, token.length >> 1),
  'second half': token => token.slice(token.length >> 1),
  'first character': token => token.slice(0, 1),
  // Four characters: a Base64 decoder may ignore an incomplete group.
  appended: token => token.replace(/=*$/, padding => `xxxx${padding}`),
  prepended: token => `x${token}`,
  'part appended': token => `${token}.x`,
  'symbol inserted': token => `${token.slice(0, 2)}!${token.slice(2)}`,
  'two swapped': token => {
    const middle = token.length >> 1
    return token.slice(0, middle) + token.slice(middle).replace(/([\da-z])(?!\1)([\da-z])/i, '$2$1')
  },
  'end cut': token => token.slice(0, -8),
  'other case': token => (isOneCase(token) ? token : otherCase(token))
}

/** Whether the case of letters may not matter: decoders of hexadecimal digits and Base32 read both. */
function isOneCase(token: string): boolean {
  return token === token.toLowerCase() || token === token.toUpperCase() || isHexadecimal(token)
}

/** Whether every character counts, also the last: Base64 has unused bits there. */
function isHexadecimal(token: string): boolean {
  return /^[\da-f-]*$/i.test(token)
}

function otherCase(text: string): string {
  return text.replace(/[a-z]/gi, letter => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase()))
}

/** Replaces the first letter or digit from `index` on by another of its kind, so that hexadecimal stays so. */
function changeAt(token: string, index: number): string {
  const changed = token.slice(index).replace(/[\da-z]/i, character => {
    const alphabet = ['0123456789', 'abcdef', 'ABCDEF', 'ghijklmnopqrstuvwxyz', 'GHIJKLMNOPQRSTUVWXYZ'].find(
      characters => characters.includes(character)
    ) as string
    return alphabet[(alphabet.indexOf(character) + (alphabet.length >> 1)) % alphabet.length] as string
  })
  return token.slice(0, index) + changed
}

/** Returns the server's JWT with patched parts and a signature as the change says. */
export function changeJwt(jwt: Jwt, change: JwtChange, secret?: Buffer): string {
  const header = patch(jwt.header, change.header)
  if (change.signature === 'secret, other algorithm') header.alg = header.alg === 'HS512' ? 'HS256' : 'HS512'
  const content = [header, patch(jwt.claims, change.claims)].map(toSegment).join('.')
  if (change.signature === 'missing') return content
  return `${content}.${signatureOf(content, String(header.alg), jwt, change, secret)}`
}

function signatureOf(
  content: string,
  alg: string,
  jwt: Jwt,
  { signature }: JwtChange,
  secret?: Buffer
): string {
  if (signature === 'kept') return jwt.signature
  if (signature === 'other case') return otherCase(jwt.signature)
  if (signature === 'start changed') return changeAt(jwt.signature, 0)
  if (signature === 'empty') return ''
  const keys: Record<string, Buffer> = { 'other key': randomBytes(32), 'empty key': Buffer.alloc(0) }
  return sign(content, alg, keys[signature] ?? (secret as Buffer))
}

/**
 * Finds the key that verifies a JWT: the bytes of the secret, or those that it encodes in Base64 or hexadecimal.
 *
 * @returns the key; undefined when none verifies the token
 */
export function findKey(token: string, secret: string): Buffer | undefined {
  const content = token.slice(0, token.lastIndexOf('.'))
  const { header, signature } = parseJwt(token) as Jwt
  return (['utf8', 'base64', 'base64url', 'hex'] as const)
    .map(encoding => Buffer.from(secret, encoding))
    .find(key => isEqual(sign(content, String(header.alg), key), signature))
}

/** Returns whether the JWT is signed with a symmetric key (RFC 7518 3.2). */
export function isHmac({ header }: Jwt): boolean {
  return /^HS(256|384|512)$/.test(String(header.alg))
}

function sign(content: string, alg: string, key: Buffer): string {
  return createHmac(`sha${alg.slice(2)}`, key)
    .update(content)
    .digest('base64url')
}

function isEqual(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))
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
