import { base64url, type Content, type Key, signature } from './cryptography.ts'
import { type Algorithm, testKey } from './keys.ts'

/** The first seconds of 2024, 2025, 2100 and 2101. */
export const ISSUED = 1_704_067_200
export const FROM = 1_735_689_600
export const UNTIL = 4_102_444_800
export const LATER = 4_133_980_800

export const CLAIMS = { sub: 'ada', display_name: 'Ada Lovelace', iat: ISSUED, exp: UNTIL }

/** Builds the token vectors of one group. */
export function tokenMaker(alg: Algorithm) {
  const own = testKey('own', alg)
  const header = { alg, typ: 'JWT' }

  /** Signs an encoded header and claims, by default with the server's key and algorithm. */
  const signed = (input: string, key: Key = own, by: string = alg) => `${input}.${base64url(signature(input, key, by))}`

  /** Returns a token signed with the server's key and algorithm. The header may name another algorithm. */
  const make = (claims: Content = CLAIMS, head: Content = header) => signed(`${base64url(head)}.${base64url(claims)}`)

  const token = make()
  const parts = token.split('.') as [header: string, claims: string, signature: string]
  const input = `${parts[0]}.${parts[1]}`

  const vectors: Vector[] = []
  /** Adds vectors with the same flags and result. The keys of `rows` are their ids, without the prefix of the group. */
  const adding =
    (result: Vector['result']) =>
    (flags: Flag | Flag[], rows: Record<string, [comment: string, token: string]>): void => {
      for (const [id, [comment, token]] of Object.entries(rows))
        vectors.push({ id: `${alg.toLowerCase()}-${id}`, comment, flags: [flags].flat(), token, result })
    }

  return {
    vectors,
    valid: adding('valid'),
    invalid: adding('invalid'),
    acceptable: adding('acceptable'),
    alg,
    own,
    other: testKey('other', alg),
    header,
    signed,
    make,
    /** Both return the ordinary token with added or replaced claims or header members. */
    withClaims: (more: object) => make({ ...CLAIMS, ...more }),
    withHeader: (more: object) => make(CLAIMS, { ...header, ...more }),
    /** The ordinary token, its three parts, and its signing input. */
    token,
    parts,
    input,
    /** Returns a token with the ordinary claims, signed with another algorithm, which the header names. */
    makeWith: (by: string, key: Key, more: object = {}) =>
      signed(`${base64url({ ...header, alg: by, ...more })}.${parts[1]}`, key, by),
    resigned: (change: (signature: Buffer) => Content) =>
      `${input}.${base64url(change(Buffer.from(parts[2], 'base64url')))}`,
    /** Tries tokens with different jti claims, and returns the first that passes the test. */
    first(test: (token: string) => boolean): string {
      const numbered = (n: number) => make({ ...CLAIMS, jti: `${n}?>~?>~` })
      let n = 0
      while (!test(numbered(n))) n++
      return numbered(n)
    }
  }
}

export type TokenMaker = ReturnType<typeof tokenMaker>

/** The meaning and the source of each flag. */
export const flags = {
  Ordinary: ['A token such as servers make them', 'RFC 7519 3.1'],
  ExtraMember: ['A header or claims with more than the server puts in: to be ignored', 'RFC 7515 4, RFC 7519 4'],
  Expired: ['The expiry has passed, in any notation', 'RFC 7519 4.1.4'],
  NoExpiry: ['There is no expiry; the contract has the server validate one', 'RFC 7519 4.1.4'],
  NotYetValid: ['The token is for a time that has not come', 'RFC 7519 4.1.5, 4.1.6'],
  UnusualTime: ['A time that is a number, but none that servers write', 'RFC 7519 2 (NumericDate)'],
  WrongType: ['A member of a type that it must not have', 'RFC 7515 4.1, RFC 7519 4.1'],
  CaseOfNames: ['A member whose name differs by its case only: it is another one', 'RFC 7519 7.3'],
  DuplicateKeys: [
    'A member is there twice: a reader rejects the token or takes the last one',
    'RFC 7515 4, RFC 7519 4'
  ],
  InvalidJson: ['Header or claims are not JSON', 'RFC 7515 5.2, RFC 7519 7.2'],
  WrongEncoding: ['JSON in another encoding than plain UTF-8', 'RFC 8259 8.1, RFC 8725 3.7'],
  Shape: ['Not three parts with a full stop between them', 'RFC 7515 7.1'],
  LenientBase64: ['Characters that Base64url does not have', 'RFC 7515 2 and 5.2'],
  UnusedBits: ['The last character of a part has unused bits that are not zero', 'RFC 4648 3.5'],
  AlgNone: ['An unsecured token, in any spelling', 'RFC 8725 2.1 and 3.2, CVE-2015-9235'],
  WrongAlgorithm: ['Another algorithm than the one that the server expects', 'RFC 8725 3.1'],
  KeyConfusion: ['HMAC, with the public key of the server as the secret', 'RFC 8725 2.1, CVE-2016-10555'],
  WrongKey: ['Signed with another key', 'RFC 7515 5.2'],
  WeakKey: ['Signed with a key that can be guessed', 'RFC 8725 2.2 and 3.5'],
  EmbeddedKey: [
    'The header brings the key that is to verify the token, or says where to get it',
    'RFC 8725 3.10, CVE-2018-0114'
  ],
  KeyId: ['The header has a kid that would do harm in a file name or a query', 'RFC 8725 3.10'],
  Tampered: ['Changed after it was signed', 'RFC 7515 5.2'],
  Truncated: ['The signature is missing or too short', 'RFC 7515 5.2, CVE-2020-28042'],
  TooLong: ['The right signature, and more', 'RFC 7518 3.4, RFC 8017 8.2.2'],
  PsychicSignature: ['A signature of ECDSA with numbers that are out of range', 'CVE-2022-21449'],
  WrongFormat: ['The right signature in a format that JOSE does not use', 'RFC 7518 3.4'],
  Malleable: [
    'A second signature that anybody can make of the first, and that ECDSA itself finds right',
    'RFC 7518 3.4'
  ],
  CriticalHeader: [
    'The header has an extension that the server must understand and does not',
    'RFC 7515 4.1.11, CVE-2025-59420'
  ],
  UnencodedPayload: ['The header says that the claims are not Base64url', 'RFC 7797 3 and 7'],
  Compressed: ['The header says that the claims are compressed', 'RFC 7516 4.1.3'],
  TokenType: ['The header names another type than JWT', 'RFC 7515 4.1.9, RFC 8725 3.11'],
  Nested: ['The claims are a token themselves', 'RFC 7519 5.2'],
  Encrypted: ['Encrypted, which everybody can do who has the public key', 'RFC 7516 9, RFC 8725 3.1']
} as const satisfies Record<string, [description: string, source: string]>

export type Flag = keyof typeof flags

export interface Vector {
  id: string
  comment: string
  flags: Flag[]
  token: string
  result: 'valid' | 'invalid' | 'acceptable'
}
