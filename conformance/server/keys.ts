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
  timingSafeEqual,
  verify as verifyWith
} from 'node:crypto'

/** A signature algorithm of JWTs: those of RFC 7518 3 and EdDSA. */
interface Algorithm {
  kind: 'HMAC' | 'RSA' | 'EC' | 'Ed25519'
  hash: string | null
  curve?: string
  options: { padding?: number; saltLength?: number; dsaEncoding?: 'ieee-p1363' }
}

const PSS = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
const EC = { kind: 'EC', options: { dsaEncoding: 'ieee-p1363' } } as const

const ALGORITHMS: Record<string, Algorithm> = {
  ...Object.fromEntries(
    ['256', '384', '512'].flatMap((bits): [string, Algorithm][] => [
      [`HS${bits}`, { kind: 'HMAC', hash: `sha${bits}`, options: {} }],
      [`RS${bits}`, { kind: 'RSA', hash: `sha${bits}`, options: {} }],
      [`PS${bits}`, { kind: 'RSA', hash: `sha${bits}`, options: PSS }]
    ])
  ),
  ES256: { ...EC, hash: 'sha256', curve: 'P-256' },
  ES384: { ...EC, hash: 'sha384', curve: 'P-384' },
  ES512: { ...EC, hash: 'sha512', curve: 'P-521' },
  EdDSA: { kind: 'Ed25519', hash: null, options: {} }
}

/** Returns whether tokens of this algorithm are signed with a private key. Undefined algorithms are not. */
export function isAsymmetric(alg: string): boolean {
  return algorithm(alg) !== undefined && algorithm(alg)?.kind !== 'HMAC'
}

/** Returns whether the algorithm is one of RFC 7518 3, or EdDSA. */
export function isKnown(alg: string): boolean {
  return algorithm(alg) !== undefined
}

/** Returns the signature of a text in Base64url. The algorithm must be known, and the key one for it. */
export function sign(content: string, alg: string, key: KeyObject): string {
  const { kind, hash, options } = algorithm(alg) as Algorithm
  if (kind === 'HMAC')
    return createHmac(hash as string, key)
      .update(content)
      .digest('base64url')
  return signWith(hash, Buffer.from(content), { key, ...options }).toString('base64url')
}

/** Returns whether a signature in Base64url is that of the text. A key that is none for the algorithm verifies nothing. */
export function verifies(content: string, signature: string, alg: string, key: KeyObject): boolean {
  const known = algorithm(alg)
  if (known === undefined || (known.kind === 'HMAC') !== (key.type === 'secret')) return false
  if (known.kind === 'HMAC') return isEqual(sign(content, alg, key), signature)
  try {
    const { hash, options } = known
    const bytes = Buffer.from(signature, 'base64url')
    return verifyWith(hash, Buffer.from(content), { key: createPublicKey(key), ...options }, bytes)
  } catch {
    return false
  }
}

/** Returns a new key that signs with the algorithm, which must be known. */
export function newKey(alg: string): KeyObject {
  const { kind, curve = '' } = algorithm(alg) as Algorithm
  switch (kind) {
    case 'HMAC':
      return createSecretKey(randomBytes(32))
    case 'RSA':
      return generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
    case 'EC':
      return generateKeyPairSync('ec', { namedCurve: curve }).privateKey
    case 'Ed25519':
      return generateKeyPairSync('ed25519').privateKey
  }
}

/** Returns the public half of a private key as a JWK. */
export function publicJwk(key: KeyObject): JsonWebKey {
  return createPublicKey(key).export({ format: 'jwk' })
}

/** Reads a private key, or a secret as a JWK. Throws when it is none. */
export function readSigningKey(text: string): KeyObject {
  const jwk = readJwk(text)
  if (jwk?.kty === 'oct') return createSecretKey(String(jwk.k), 'base64url')
  return jwk === undefined ? createPrivateKey(text) : createPrivateKey({ key: jwk, format: 'jwk' })
}

/** Reads a public key and returns it as PEM: as it is given, or SPKI where it is a JWK. Throws when it is none. */
export function readPublicKey(text: string): string {
  const jwk = readJwk(text)
  if (jwk !== undefined) return publicPem(createPublicKey({ key: jwk, format: 'jwk' }))
  createPublicKey(text)
  return text
}

/** Returns the public half of a private key as PEM. */
export function publicPem(key: KeyObject): string {
  return (key.type === 'private' ? createPublicKey(key) : key)
    .export({ format: 'pem', type: 'spki' })
    .toString()
}

/** Returns the keys that a secret may stand for: its bytes, and those that it encodes in Base64 or hexadecimal. */
export function secretKeys(secret: string): KeyObject[] {
  return (['utf8', 'base64', 'base64url', 'hex'] as const).map(encoding =>
    createSecretKey(Buffer.from(secret, encoding))
  )
}

function algorithm(alg: string): Algorithm | undefined {
  return Object.hasOwn(ALGORITHMS, alg) ? ALGORITHMS[alg] : undefined
}

function readJwk(text: string): JsonWebKey | undefined {
  return text.trimStart().startsWith('{') ? JSON.parse(text) : undefined
}

function isEqual(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))
}
