import { isUtf8 } from 'node:buffer'

/** 32 bytes are 43 base64url characters, the last with two zero bits: otherwise one token has four spellings. */
export function hasCanonicalSignature(token: string): boolean {
  return /\.[\w-]{42}[AEIMQUYcgkosw048]$/.test(token)
}

/**
 * Whether a token has three segments, and header and payload are base64url of UTF-8 (RFC 7515 5.2), each in its one
 * canonical spelling (RFC 4648 3.5). A lenient decoder makes one token of many, and one username.
 */
export function isCanonical(token: string): boolean {
  const [header = '', payload = '', , more] = token.split('.', 4)
  return more === undefined && [header, payload].every(isCanonicalText)
}

function isCanonicalText(segment: string): boolean {
  const bytes = Buffer.from(segment, 'base64url')
  return isUtf8(bytes) && bytes.toString('base64url') === segment
}
