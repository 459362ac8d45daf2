import {
  constants,
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  randomBytes,
  sign as signWith,
  verify as verifyWith
} from 'node:crypto'
import { isObject, parseJson } from './json.ts'
import { changeAt, otherCase, type TokenChange } from './tokens.ts'

/** A decoded JWT. Its signature has not been verified. */
export type Jwt = NonNullable<ReturnType<typeof parseJwt>>

/** Keys that may sign a changed JWT. */
export interface Keys {
  /** The key with which the server signs. */
  key?: KeyObject | undefined
  /** The public key of the server, as PEM. */
  publicKey?: string | undefined
}

export function parseJwt(token: string) {
  const [head, content, signature, ...rest] = token.split('.')
  const header = parseSegment(head)
  const claims = parseSegment(content)
  if (typeof header?.alg !== 'string' || claims === undefined || signature === undefined || rest.length > 0)
    return undefined
  // The header and the claims as encoded in the token.
  const segments = { header: head as string, claims: content as string }
  return { alg: header.alg, header, claims, signature, segments }
}

/** The token for `Authorization: Bearer`, or a change of the server's token. */
export type Bearer = string | { token: TokenChange } | { jwt: JwtChange }

export interface JwtChange {
  /** JSON Merge Patches (RFC 7396) for the first level. */
  header?: Record<string, unknown>
  claims?: Record<string, unknown>
  signature: SignatureChange
  /** The secret for the signature `guessed secret`. */
  secret?: string
}

export function findKey(token: string, keys: KeyObject[]): KeyObject | undefined {
  const jwt = parseJwt(token) as Jwt
  const content = token.slice(0, token.lastIndexOf('.'))
  return keys.find(key => verifies(content, jwt.signature, jwt.alg, key))
}

/**
 * Patches a JWT, and signs it as `change.signature` demands. The header or claims keep their bytes if there is no patch
 * for them. Returns undefined if the key for the signature is missing.
 */
export function changeJwt(jwt: Jwt, change: JwtChange, keys: Keys): string | undefined {
  const header = patch(jwt.header, change.header)
  // A case that signs with one of these demands it.
  const demanded = { publicKey: keys.publicKey as string, secret: change.secret as string }
  const signature = SIGNATURES[change.signature]({ ...keys, ...demanded, jwt, header })
  const isHeaderKept = JSON.stringify(header) === JSON.stringify(jwt.header)
  const content = [
    isHeaderKept ? jwt.segments.header : toSegment(header),
    change.claims === undefined ? jwt.segments.claims : toSegment(patch(jwt.claims, change.claims))
  ].join('.')
  if (change.signature === 'missing') return content
  if (typeof signature === 'string') return `${content}.${signature}`
  const alg = String(header.alg)
  return signature && isKnown(alg) ? `${content}.${sign(content, alg, signature)}` : undefined
}

type Given = Keys & { jwt: Jwt; header: Record<string, unknown>; publicKey: string; secret: string }

/**
 * The signatures of a changed JWT, by name. Each function returns the signature or the signing key; undefined if the
 * key is missing. A function may adapt the header to the key.
 */
const SIGNATURES = {
  missing: () => undefined,
  empty: () => '',
  kept: ({ jwt }) => jwt.signature,
  'other case': ({ jwt }) => otherCase(jwt.signature),
  'start changed': ({ jwt }) => changeAt(jwt.signature, 0),
  zeros: ({ jwt }) => Buffer.alloc(Buffer.from(jwt.signature, 'base64url').length).toString('base64url'),
  'guessed secret': ({ secret }) => createSecretKey(secret, 'utf8'),
  'empty key': () => createSecretKey(Buffer.alloc(0)),
  'other key': ({ header }) => (isKnown(String(header.alg)) ? newKey(String(header.alg)) : undefined),
  'own key': ({ jwt: { alg }, header }) => {
    header.alg = isAsymmetric(alg) ? alg : 'RS256'
    const made = newKey(String(header.alg))
    header.jwk = createPublicKey(made).export({ format: 'jwk' })
    return made
  },
  'right key': ({ key }) => key,
  'right key, other algorithm': ({ jwt: { alg }, header, key }) => {
    header.alg = otherAlgorithm(alg)
    return key
  },
  'public key': ({ publicKey }) => createSecretKey(publicKey, 'utf8'),
  'public key without its last line break': ({ publicKey }) => createSecretKey(publicKey.trimEnd(), 'utf8'),
  'public key, DER': ({ publicKey }) =>
    createSecretKey(createPublicKey(publicKey).export({ format: 'der', type: 'spki' }))
} satisfies Record<string, (given: Given) => string | KeyObject | undefined>

export type SignatureChange = keyof typeof SIGNATURES

function otherAlgorithm(alg: string): string | undefined {
  if (alg.startsWith('HS')) return alg === 'HS512' ? 'HS256' : 'HS512'
  if (/^[RP]S/.test(alg)) return alg === 'RS256' ? 'RS512' : 'RS256'
  return undefined
}

const patch = (target: object, changes: object = {}): Record<string, unknown> =>
  Object.fromEntries(Object.entries({ ...target, ...changes }).filter(([, value]) => value !== null))

const toSegment = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

function parseSegment(segment = ''): Record<string, unknown> | undefined {
  const { body } = parseJson(Buffer.from(segment, 'base64url').toString())
  return isObject(body) ? body : undefined
}

/** Whether the kit knows the algorithm: one of RFC 7518 3, or EdDSA. */
export const isKnown = (alg: string) => /^([HRPE]S(256|384|512)|EdDSA)$/.test(alg)

const isHmac = (alg: string) => alg.startsWith('HS')

/** Whether the algorithm is known and signs with a private key. */
export const isAsymmetric = (alg: string) => isKnown(alg) && !isHmac(alg)

/** Returns the hash function of a known algorithm; null for EdDSA, which has its own. */
const hashOf = (alg: string) => (alg === 'EdDSA' ? null : `sha${alg.slice(2)}`)

const PSS = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
const withOptions = (key: KeyObject, alg: string) =>
  ({ key, dsaEncoding: 'ieee-p1363', ...(alg.startsWith('PS') && PSS) }) as const

/** Returns the signature of a text in Base64url. The algorithm must be known, and the key must fit it. */
export function sign(content: string, alg: string, key: KeyObject): string {
  if (isHmac(alg))
    return createHmac(hashOf(alg) as string, key)
      .update(content)
      .digest('base64url')
  return signWith(hashOf(alg), Buffer.from(content), withOptions(key, alg)).toString('base64url')
}

/** Verifies a signature in Base64url. Returns false if the key does not fit the algorithm. */
export function verifies(content: string, signature: string, alg: string, key: KeyObject): boolean {
  if (!isKnown(alg) || isHmac(alg) !== (key.type === 'secret')) return false
  if (isHmac(alg)) return sign(content, alg, key) === signature
  try {
    const bytes = Buffer.from(signature, 'base64url')
    return verifyWith(hashOf(alg), Buffer.from(content), withOptions(createPublicKey(key), alg), bytes)
  } catch {
    return false
  }
}

export function newKey(alg: string): KeyObject {
  if (isHmac(alg)) return createSecretKey(randomBytes(32))
  if (alg === 'EdDSA') return generateKeyPairSync('ed25519').privateKey
  if (!alg.startsWith('ES')) return generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  return generateKeyPairSync('ec', { namedCurve: alg === 'ES512' ? 'P-521' : `P-${alg.slice(2)}` }).privateKey
}

/** Reads a private key, or a secret as a JWK. Throws if the text is neither. */
export function readSigningKey(text: string): KeyObject {
  const input = keyInput(text)
  const { kty, k } = Object(input).key ?? {}
  return kty === 'oct' ? createSecretKey(String(k), 'base64url') : createPrivateKey(input)
}

/** Returns a public key as PEM: a PEM unchanged, a JWK converted to SPKI. Throws if the text is neither. */
export function readPublicKey(text: string): string {
  const input = keyInput(text)
  const key = createPublicKey(input)
  return typeof input === 'string' ? text : publicPem(key)
}

export function publicPem(key: KeyObject): string {
  return (key.type === 'private' ? createPublicKey(key) : key).export({ format: 'pem', type: 'spki' }).toString()
}

/** Returns the keys that a secret may stand for: its text, and its text decoded from Base64 or hexadecimal. */
export const secretKeys = (secret: string) =>
  (['utf8', 'base64', 'base64url', 'hex'] as const).map(encoding => createSecretKey(secret, encoding))

/** Returns what `node:crypto` needs to read a key: a PEM as it is, or a JWK with its format. */
function keyInput(text: string): string | { key: JsonWebKey; format: 'jwk' } {
  return text.trimStart().startsWith('{') ? { key: JSON.parse(text), format: 'jwk' } : text
}
