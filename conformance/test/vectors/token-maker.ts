import { constants, createHash, createHmac, type KeyObject, sign } from 'node:crypto'
import { p256 } from '@noble/curves/nist.js'
import { type Algorithm, testKey } from './keys.ts'

/** 2024, 2025, 2100 and 2101, each at its first second. */
export const ISSUED = 1_704_067_200
export const FROM = 1_735_689_600
export const UNTIL = 4_102_444_800
export const LATER = 4_133_980_800

export const CLAIMS = { sub: 'ada', display_name: 'Ada Lovelace', iat: ISSUED, exp: UNTIL }

/** What becomes JSON, or what is to stand in its place. */
export type Content = object | string

type Key = KeyObject | Buffer | string

/** Encodes the bytes of a text, of a buffer, or of the JSON of anything else. */
export function base64url(content: Content): string {
  if (Buffer.isBuffer(content)) return content.toString('base64url')
  return Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)).toString('base64url')
}

/** Signs with any algorithm and key, also where they do not fit; the same each time, but for PS256. */
export function signature(input: string, key: Key, alg: string): Buffer {
  const hash = `sha${alg.slice(2)}`
  if (alg.startsWith('HS')) return createHmac(hash, key).update(input).digest()
  if (alg.startsWith('ES')) return ecdsa(createHash(hash).update(input).digest(), key as KeyObject)
  const padding = alg.startsWith('PS') ? constants.RSA_PKCS1_PSS_PADDING : constants.RSA_PKCS1_PADDING
  return sign(hash, Buffer.from(input), {
    key: key as KeyObject,
    padding,
    saltLength: constants.RSA_PSS_SALTLEN_DIGEST
  })
}

/** Signs as RFC 6979 says: OpenSSL would sign at random. */
export function ecdsa(digest: Buffer, key: KeyObject, format: 'compact' | 'der' = 'compact'): Buffer {
  const { d } = key.export({ format: 'jwk' })
  return Buffer.from(
    p256.sign(digest, Buffer.from(String(d), 'base64url'), { prehash: false, lowS: false, format })
  )
}

/** What makes the tokens of a group. */
export function tokenMaker(alg: Algorithm) {
  const own = testKey('own', alg)
  const header = { alg, typ: 'JWT' }

  /** Signs two parts as they are, by default with the server's key and algorithm. */
  const signed = (input: string, key: Key = own, by: string = alg) =>
    `${input}.${base64url(signature(input, key, by))}`

  /** A token of the server's key and algorithm, whatever the header says. */
  const make = (claims: Content = CLAIMS, head: Content = header) =>
    signed(`${base64url(head)}.${base64url(claims)}`)

  const token = make()
  const parts = token.split('.') as [header: string, claims: string, signature: string]
  const input = `${parts[0]}.${parts[1]}`

  return {
    alg,
    own,
    other: testKey('other', alg),
    header,
    signed,
    make,
    /** An ordinary token, and what it consists of. */
    token,
    parts,
    input,
    /** A token with ordinary claims, whose algorithm and key the header agrees with. */
    makeWith: (by: string, key: Key, more: object = {}) =>
      signed(`${base64url({ ...header, alg: by, ...more })}.${parts[1]}`, key, by),
    /** The ordinary token with another signature. */
    resigned: (change: (signature: Buffer) => Content) =>
      `${input}.${base64url(change(Buffer.from(parts[2], 'base64url')))}`,
    /** The first token for which a test holds, among many with another jti each. */
    first(test: (token: string) => boolean): string {
      for (let n = 0; ; n++) {
        const one = make({ ...CLAIMS, jti: `${n}?>~?>~` })
        if (test(one)) return one
      }
    }
  }
}

export type TokenMaker = ReturnType<typeof tokenMaker>
