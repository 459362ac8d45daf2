// Deterministic signatures, so that the same source generates the same tokens.
import { createHash, createHmac, type KeyObject, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { p256 } from '@noble/curves/nist.js'

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
  return sign(hash, Buffer.from(input), key as KeyObject)
}

/** Signs deterministically (RFC 6979), because OpenSSL would use a random nonce. */
export function ecdsa(digest: Buffer, key: KeyObject, format: 'compact' | 'der' = 'compact'): Buffer {
  const { d } = key.export({ format: 'jwk' })
  return Buffer.from(p256.sign(digest, Buffer.from(String(d), 'base64url'), { prehash: false, lowS: false, format }))
}

const RECORDED = JSON.parse(readFileSync('build/recorded-tokens.json', 'utf8'))

/** Returns a token that is random whenever it is made: encrypted, or signed with PS256. test/build.test.ts verifies it. */
export const recorded = (alg: string, name: string): string => RECORDED[`${alg.toLowerCase()}-${name}`]
