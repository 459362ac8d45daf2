import { createPublicKey, randomBytes } from 'node:crypto'
import { checkOption } from '../shared/index.ts'

/** A signing key: at least 32 bytes, a string counted as UTF-8 (RFC 7518 3.2). */
export type Secret = string | Buffer

/** Fewest bytes of an HS256 key (RFC 7518 3.2). */
const SECRET_BYTES = 32

/** Whether a key is long enough for HS256. */
export function isLongEnough(secret: Secret): boolean {
  return Buffer.byteLength(secret) >= SECRET_BYTES
}

/**
 * The signing keys of an option. Default: one that is random.
 *
 * @throws InvalidOptionError when one of them cannot be a key, or there is none
 */
export function checkSecrets(secret: Secret | readonly Secret[] | undefined, option: string): Buffer[] {
  if (secret === undefined) return [randomBytes(SECRET_BYTES)]
  const secrets = [secret].flat() as Secret[]
  checkOption(
    secrets.length > 0 && secrets.every(one => (typeof one === 'string' || Buffer.isBuffer(one)) && isLongEnough(one)),
    option,
    'must be a string or Buffer of at least 32 bytes, or an array of them; make one with `openssl rand -base64 32`'
  )
  checkOption(
    !secrets.some(hasPublicKey),
    option,
    'must not be a public key, a certificate or a private key: HS256 has one secret; make one with `openssl rand -base64 32`'
  )
  return secrets.map(one => Buffer.from(one as string))
}

/** With a public key for a secret, everybody could sign tokens. */
function hasPublicKey(secret: Secret): boolean {
  // Environment variables often have the line breaks as `\\n`, and YAML indents them.
  const text = secret
    .toString()
    .replaceAll('\\n', '\n')
    .replace(/^[ \t]+/gm, '')
  try {
    createPublicKey(text.slice(text.indexOf('-----BEGIN')))
    return true
  } catch {
    return false
  }
}
