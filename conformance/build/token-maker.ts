import { base64url, type Content, type Key, signature } from './cryptography.ts'
import { type Algorithm, testKey } from './keys.ts'

/** 2024, 2025, 2100 and 2101, each at its first second. */
export const ISSUED = 1_704_067_200
export const FROM = 1_735_689_600
export const UNTIL = 4_102_444_800
export const LATER = 4_133_980_800

export const CLAIMS = { sub: 'ada', display_name: 'Ada Lovelace', iat: ISSUED, exp: UNTIL }

/** What makes the tokens of a group. */
export function tokenMaker(alg: Algorithm) {
  const own = testKey('own', alg)
  const header = { alg, typ: 'JWT' }

  /** Signs two parts as they are, by default with the server's key and algorithm. */
  const signed = (input: string, key: Key = own, by: string = alg) => `${input}.${base64url(signature(input, key, by))}`

  /** A token of the server's key and algorithm, also where the header says otherwise. */
  const make = (claims: Content = CLAIMS, head: Content = header) => signed(`${base64url(head)}.${base64url(claims)}`)

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
    /** Such a token with other members among its claims, or in its header. */
    withClaims: (more: object) => make({ ...CLAIMS, ...more }),
    withHeader: (more: object) => make(CLAIMS, { ...header, ...more }),
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
      const numbered = (n: number) => make({ ...CLAIMS, jti: `${n}?>~?>~` })
      let n = 0
      while (!test(numbered(n))) n++
      return numbered(n)
    }
  }
}

export type TokenMaker = ReturnType<typeof tokenMaker>
