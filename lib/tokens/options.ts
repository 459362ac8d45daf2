import { createPublicKey, randomBytes } from 'node:crypto'
import { checkLifetime, checkOption, isFunction } from '../shared/index.ts'
import type { TokenService } from './token-service.ts'

/** A signing key: at least 32 bytes, a string counted as UTF-8 (RFC 7518 3.2). */
export type Secret = string | Buffer

export interface TokenOptions {
  /** Signing key of the JWTs; of several, the first signs and all verify (rotation). Default: 32 random bytes. */
  secret?: Secret | readonly Secret[] | undefined
  /** Lifetime of a JWT in whole seconds. Default: 86,400, which is 24 hours (contract 8). */
  tokenLifetime?: number | undefined
  /** Replaces the JWTs; `secret` and `tokenLifetime` are then unused. Default: JWTs signed with HS256. */
  tokens?: TokenService | undefined
}

/** The options after checking, with every default filled in. */
export interface TokenSettings {
  secrets: Buffer[]
  isSecretRandom: boolean
  tokenLifetime: number
  tokens: TokenService | undefined
}

/** Fewest bytes of an HS256 key (RFC 7518 3.2). */
const SECRET_BYTES = 32

/** @throws InvalidOptionError naming the first option that is wrong */
export function checkTokenOptions({ secret, tokenLifetime = 86_400, tokens }: TokenOptions): TokenSettings {
  checkLifetime(tokenLifetime, 'tokenLifetime')
  checkOption(
    tokens === undefined || (isFunction(tokens?.issue) && isFunction(tokens.verify)),
    'tokens',
    'must be an object with the functions issue and verify'
  )
  return {
    secrets: secret === undefined ? [randomBytes(SECRET_BYTES)] : checkSecrets(secret),
    isSecretRandom: secret === undefined && tokens === undefined,
    tokenLifetime,
    tokens
  }
}

/** Whether a key is long enough for HS256. */
export function isLongEnough(secret: Secret): boolean {
  return Buffer.byteLength(secret) >= SECRET_BYTES
}

function checkSecrets(secret: Secret | readonly Secret[]): Buffer[] {
  const secrets = [secret].flat() as Secret[]
  checkOption(
    secrets.length > 0 && secrets.every(one => (typeof one === 'string' || Buffer.isBuffer(one)) && isLongEnough(one)),
    'secret',
    'must be a string or Buffer of at least 32 bytes, or an array of them; make one with `openssl rand -base64 32`'
  )
  checkOption(
    !secrets.some(hasPublicKey),
    'secret',
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
