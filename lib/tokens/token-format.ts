import { isUtf8 } from 'node:buffer'
import { isSimpleJson } from '../shared/index.ts'

/** Characters of a token that is quickly parsed, whatever it holds. */
const SHORT = 2000

/** 32 bytes are 43 base64url characters, the last with two zero bits: otherwise one token has four spellings. */
export function hasCanonicalSignature(token: string): boolean {
  return /\.[\w-]{42}[AEIMQUYcgkosw048]$/.test(token)
}

/**
 * Whether a token has three segments, and header and payload are base64url of UTF-8 (RFC 7515 5.2), each in its one
 * canonical spelling (RFC 4648 3.5): a lenient decoder makes one token of many, and one username.
 */
export function isCanonical(token: string): boolean {
  const [header = '', payload = '', , more] = token.split('.', 4)
  return more === undefined && [header, payload].every(isCanonicalText)
}

/** Whether a token is quickly parsed: to parse thousands of claims takes many times as long as the rest of a request. */
export function isSimple(token: string): boolean {
  return (
    token.length <= SHORT && token.split('.', 2).every(segment => isSimpleJson(decode(segment).toString()))
  )
}

function isCanonicalText(segment: string): boolean {
  const bytes = decode(segment)
  return isUtf8(bytes) && bytes.toString('base64url') === segment
}

function decode(segment: string): Buffer {
  return Buffer.from(segment, 'base64url')
}

/** Part of a header is for V8 a view of it: remembered, it would keep all that was sent before the token. */
export function copyOf(token: string): string {
  return Buffer.from(token, 'latin1').toString('latin1')
}
