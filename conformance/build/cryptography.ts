// Deterministic signatures and encryption, so that the same source generates the same tokens.
import {
  constants,
  createCipheriv,
  createHash,
  createHmac,
  createPublicKey,
  diffieHellman,
  type KeyObject,
  privateEncrypt,
  publicEncrypt,
  sign
} from 'node:crypto'
import { p256 } from '@noble/curves/nist.js'
import { type Algorithm, testKey } from './keys.ts'

/** An object to serialize as JSON, or text or bytes to use unchanged. */
export type Content = object | string

export type Key = KeyObject | Buffer | string

/** Encodes a text, a buffer, or the JSON of any other object. */
export function base64url(content: Content): string {
  if (Buffer.isBuffer(content)) return content.toString('base64url')
  return Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)).toString('base64url')
}

/** Signs with any algorithm and key, even if the key is for another algorithm. */
export function signature(input: string, key: Key, alg: string): Buffer {
  const hash = `sha${alg.slice(2)}`
  if (alg.startsWith('HS')) return createHmac(hash, key).update(input).digest()
  if (alg.startsWith('ES')) return ecdsa(createHash(hash).update(input).digest(), key as KeyObject)
  return alg === 'PS256' ? pss(input, key as KeyObject) : sign(hash, Buffer.from(input), key as KeyObject)
}

/** Signs deterministically (RFC 6979), because OpenSSL would use a random nonce. */
export function ecdsa(digest: Buffer, key: KeyObject, format: 'compact' | 'der' = 'compact'): Buffer {
  const { d } = key.export({ format: 'jwk' })
  return Buffer.from(p256.sign(digest, Buffer.from(String(d), 'base64url'), { prehash: false, lowS: false, format }))
}

const SHA256_BYTES = 32
const MODULUS_BYTES = 256

const sha256 = (...parts: (Buffer | string)[]) => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

const uint32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** Masks bytes with the MGF1 of a seed (RFC 8017 B.2.1). */
function masked(bytes: Buffer, seed: Buffer): Buffer {
  const count = Math.ceil(bytes.length / SHA256_BYTES)
  const mask = Buffer.concat(Array.from({ length: count }, (_, index) => sha256(seed, uint32(index))))
  return Buffer.from(bytes.map((byte, index) => byte ^ mask.readUInt8(index)))
}

/** Pads a value to a length: zero bytes, the separator 0x01, then the value. */
const padded = (value: Buffer, length: number) =>
  Buffer.concat([Buffer.alloc(length - value.length - 1), Buffer.of(1), value])

/** RSASSA-PSS (RFC 8017 8.1.1), with a salt derived from the input. */
function pss(input: string, key: KeyObject): Buffer {
  const salt = sha256('salt', input)
  const hash = sha256(Buffer.alloc(8), sha256(input), salt)
  const block = masked(padded(salt, MODULUS_BYTES - SHA256_BYTES - 1), hash)
  // Clears the highest bit, so that the encoded message, as a number, is smaller than the modulus (RFC 8017 9.1.1).
  block.writeUInt8(block.readUInt8(0) & 0x7f, 0)
  const encoded = Buffer.concat([block, hash, Buffer.of(0xbc)])
  return privateEncrypt({ key, padding: constants.RSA_NO_PADDING }, encoded)
}

/** RSAES-OAEP (RFC 8017 7.1.1), with a seed derived from the content. */
function oaep(content: Buffer, key: KeyObject): Buffer {
  const seed = sha256('seed', content)
  const rest = padded(content, MODULUS_BYTES - 2 * SHA256_BYTES - 1)
  const block = masked(Buffer.concat([sha256(), rest]), seed)
  const encoded = Buffer.concat([Buffer.alloc(1), masked(seed, block), block])
  return publicEncrypt({ key: createPublicKey(key), padding: constants.RSA_NO_PADDING }, encoded)
}

/** Encrypts a text for the server with A256GCM (RFC 7516), using its public key or the hash of its secret. */
export function encrypt(text: string, alg: Algorithm, key: KeyObject, more: object = {}): string {
  const { by, contentKey, encryptedKey = '' } = keyFor(text, alg, key)
  const header = base64url({ ...by, enc: 'A256GCM', typ: 'JWT', ...more })
  const iv = sha256('iv', text).subarray(0, 12)
  const cipher = createCipheriv('aes-256-gcm', contentKey, iv).setAAD(Buffer.from(header))
  const encrypted = Buffer.concat([cipher.update(text), cipher.final()])
  return [header, ...[encryptedKey, iv, encrypted, cipher.getAuthTag()].map(base64url)].join('.')
}

function keyFor(text: string, alg: Algorithm, key: KeyObject) {
  if (alg === 'RS256') {
    const contentKey = sha256('key', text)
    return { by: { alg: 'RSA-OAEP-256' }, contentKey, encryptedKey: oaep(contentKey, key) }
  }
  if (alg === 'ES256') {
    const privateKey = testKey('other', 'ES256')
    const publicKey = createPublicKey(privateKey)
    const secret = diffieHellman({ privateKey, publicKey: createPublicKey(key) })
    // RFC 7518 4.6.2, for 256 bits and without party information.
    const about = [uint32(7), 'A256GCM', uint32(0), uint32(0), uint32(256)]
    return {
      by: { alg: 'ECDH-ES', epk: publicKey.export({ format: 'jwk' }) },
      contentKey: sha256(uint32(1), secret, ...about)
    }
  }
  return { by: { alg: 'dir' }, contentKey: sha256(key.export()) }
}
