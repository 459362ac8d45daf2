import { createPublicKey, randomBytes } from 'node:crypto'
import { checkOption } from '../base/option-rules.ts'
import { warnOnce } from '../base/warnings.ts'

/** A signing key: at least 32 bytes; a string is converted to UTF-8 (RFC 7518 3.2). */
export type Secret = string | Buffer

/** The minimum length of an HS256 key (RFC 7518 3.2). */
const MIN_SECRET_BYTES = 32

export const isLongEnough = (secret: Secret) => Buffer.byteLength(secret) >= MIN_SECRET_BYTES

/** Returns a key as long as an HS256 key must be. */
export const randomSecret = () => randomBytes(MIN_SECRET_BYTES)

/** The rule of signing keys: one, or an array. */
export function secretsRule(value: unknown, option: string): Secret[] {
  const secrets = [value].flat() as Secret[]
  const isSecret = (one: Secret) => (typeof one === 'string' || Buffer.isBuffer(one)) && isLongEnough(one)
  const makeOne = 'make one with `openssl rand -base64 32`'
  const rule = `must be a string or Buffer of at least 32 bytes, or an array of them; ${makeOne}`
  checkOption(secrets.length > 0 && secrets.every(isSecret), option, rule)
  const kinds = 'a public key, a certificate or a private key'
  checkOption(!secrets.some(hasPublicKey), option, `must not be ${kinds}: HS256 has one secret; ${makeOne}`)
  if (secrets.some(one => /^(["']).*\1$|^[^\ufffd]*[\r\n]$/s.test(one.toString())))
    warnOnce(`option \`${option}\` is in quotes or ends with a line break, which are part of the key; remove them`)
  if (secrets.some(one => isGuessable(Buffer.from(one as string))))
    warnOnce(`option \`${option}\` repeats itself or is a sample, so anyone can guess it; ${makeOne}`)
  return secrets
}

/** Letters of the keys in documentation and templates: so many that random keys do not have them by chance. */
const SAMPLES = [
  /(change|replace)(me|this|it|with|in)|(your|insert).{0,20}(secret|key)/i,
  /(my|is(a|my)|super|top|some|default|demo|dev|jwt|string|secret)secret|(a|the)secret(of|with)|secretkey|randomstring/i,
  /example|placeholder|password|keyboardcat|abcdefgh|undefined|objectobject/i
]

function isGuessable(key: Buffer): boolean {
  const letters = key.toString().replace(/[^a-z]/gi, '')
  const isRepeated = /^(.{1,16})\1+.{0,15}$/s.test(key.toString('latin1'))
  return isRepeated || new Set(key).size < 10 || SAMPLES.some(sample => sample.test(letters))
}

/** The kinds of keys of which `createPublicKey` reads the public part. */
const KINDS = ['PUBLIC KEY', 'RSA PUBLIC KEY', 'CERTIFICATE', 'PRIVATE KEY', 'RSA PRIVATE KEY', 'EC PRIVATE KEY']

/** With a public key as the secret, anyone could sign tokens. It may be a PEM, its base64, or the DER inside it. */
function hasPublicKey(secret: Secret): boolean {
  const text = secret.toString()
  return [text, Buffer.from(text, 'base64').toString(), Buffer.from(secret as string).toString('base64')].some(isKey)
}

function isKey(text: string): boolean {
  if (text.length > 16_384) return false
  const [, body = text] = /-----BEGIN[^-]+-----(.*?)-----END/s.exec(text) ?? []
  // Environment variables and YAML change line breaks to `\\n` or spaces.
  const der = Buffer.from(body.replace(/\\+[nr]/g, ''), 'base64')
  // Each key is a sequence of ASN.1. Most secrets begin with another byte, and parsing takes milliseconds.
  if (der[0] !== 0x30) return false
  const lines = der.toString('base64').replace(/.{64}/g, '$&\n')
  return KINDS.some(kind => {
    try {
      return createPublicKey(`-----BEGIN ${kind}-----\n${lines}\n-----END ${kind}-----`) !== null
    } catch {
      return false
    }
  })
}
