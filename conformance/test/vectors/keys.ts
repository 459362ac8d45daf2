import {
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  type JsonWebKey,
  type KeyObject
} from 'node:crypto'
import { createRequire } from 'node:module'

/** The algorithms that servers use most. */
export const ALGORITHMS = ['HS256', 'HS512', 'RS256', 'ES256'] as const

export type Algorithm = (typeof ALGORITHMS)[number]

/** A published test key: `own` is the server's, `other` an attacker's. */
export function testKey(owner: 'own' | 'other', alg: Algorithm): KeyObject {
  const key = createRequire(import.meta.url)('./keys.json')[owner][alg] as string | JsonWebKey
  return typeof key === 'string' ? createSecretKey(key, 'utf8') : createPrivateKey({ key, format: 'jwk' })
}

/** Whether the algorithm is HMAC, so that one key signs and verifies. */
export const isSymmetric = (alg: Algorithm) => alg.startsWith('HS')

/** The key that verifies what a key has signed. */
export const verifying = (key: KeyObject) => (key.type === 'secret' ? key : createPublicKey(key))

/** The forms in which servers take a key. */
export function formsOf(key: KeyObject, alg: Algorithm) {
  const about = { kid: 'TEST KEY, PUBLISHED', alg }
  if (key.type === 'secret') {
    return { secret: key.export().toString(), privateJwk: { ...key.export({ format: 'jwk' }), ...about } }
  }
  const publicKey = createPublicKey(key)
  return {
    publicJwk: { ...publicKey.export({ format: 'jwk' }), ...about },
    privateJwk: { ...key.export({ format: 'jwk' }), ...about },
    publicPem: publicKey.export({ format: 'pem', type: 'spki' }),
    privatePem: key.export({ format: 'pem', type: 'pkcs8' })
  }
}
