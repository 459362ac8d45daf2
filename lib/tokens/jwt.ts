import { isUtf8 } from 'node:buffer'
import { createHmac, timingSafeEqual } from 'node:crypto'
import fastifyJwt, { type FastifyJWTOptions, type JWT } from '@fastify/jwt'
import Fastify, { type FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { checkGroup, checkLifetime, type ScreenUser, toScreenUser, warnOfLifetime, warnOnce } from '../shared/index.ts'
import { checkSecrets, type Secret } from './secrets.ts'
import { checkTimesOf, copyOf, type TokenService, toUser, trust } from './token-service.ts'

/** Seconds for which a token is valid by default (contract 8). */
export const DAY = 86_400

/** Characters that the remembered tokens may have together, each counted as 500 at least: some 10 MB when full. */
const MOST_CHARACTERS = 6_000_000

/** What `verify` of @fastify/jwt returns with `complete: true`. */
interface DecodedToken {
  header: Record<string, unknown>
  payload: Record<string, unknown>
}

/** What a JWT says: who, and from which second on until which one, since 1970. */
interface Claims {
  readonly user: ScreenUser
  readonly from: number
  readonly until: number
}

interface Signer {
  secret: Buffer
  jwt: JWT
}

/** Makes the tokens of {@link jwtTokens}. */
export interface JwtTokens extends TokenService {
  /**
   * @param options `lifetime` of this token in whole seconds. Default: that of the service
   * @throws `FST_SCREEN_AUTH_INVALID_OPTION` when it is wrong
   */
  issue(user: ScreenUser, request?: FastifyRequest | null, options?: { lifetime?: number | undefined }): string
  verify(token: string, request?: FastifyRequest | null): ScreenUser | null
}

/** The settings of {@link jwtTokens}. */
export interface JwtTokensOptions {
  /** As the option `secret` of the plugin. Default: 32 random bytes, with a warning. */
  secret?: Secret | readonly Secret[] | undefined
  /** How long a token is valid, in whole seconds, at most ten years. Default: 86,400, which is 24 hours (contract 8). */
  lifetime?: number | undefined
}

/**
 * The default token service, to be used within one of your own: JWTs signed with HS256 that carry exactly `sub`,
 * `display_name`, `iat` and `exp` (contract 5.5). Both functions are synchronous. A token that was verified once is
 * remembered by its whole text, and later only its times are compared; what was refused is never remembered.
 *
 * @returns a token service for the option `tokens`
 * @throws `FST_SCREEN_AUTH_INVALID_OPTION` when an option is wrong
 *
 * @example
 * const jwts = jwtTokens({ secret: process.env.SVC_AUTH_SECRET, lifetime: 3600 })
 * const tokens = { issue: jwts.issue, verify: token => (isOnDenylist(token) ? null : jwts.verify(token)) }
 */
export function jwtTokens(options: JwtTokensOptions = {}): JwtTokens {
  checkGroup(options, 'jwtTokens', ['secret', 'lifetime'])
  const { secret, lifetime = DAY } = options
  checkLifetime(lifetime, 'jwtTokens.lifetime')
  warnOfLifetime(lifetime, 'jwtTokens.lifetime')
  if (secret === undefined) warnOnce('the secret of `jwtTokens` is random: a restart ends every session; set `secret`')
  return jwtService(checkSecrets(secret, 'jwtTokens.secret'), lifetime)
}

/** The same with options that are checked. */
export function jwtService(secrets: Buffer[], lifetime: number): JwtTokens {
  const signers = secrets.map(secret => ({ secret, jwt: loadJwt(secret, lifetime) }))
  const [current] = signers as [Signer]

  const verified = new LRUCache<string, Claims>({
    // Not `max`, which would reserve the memory at once: a host may have a service for each tenant.
    maxSize: MOST_CHARACTERS,
    sizeCalculation: (_, token) => Math.max(500, token.length)
  })
  return trust({
    issue(user, request, options = {}) {
      const { username, displayName } = toUser(user, 'tokens.issue must be given')
      checkTimesOf(request, options, ['lifetime'])
      const claims = { sub: username, display_name: displayName }
      if (options.lifetime === undefined) return current.jwt.sign(claims)
      checkLifetime(options.lifetime, 'tokens.issue.lifetime')
      return current.jwt.sign(claims, { algorithm: 'HS256', expiresIn: options.lifetime })
    },
    verify(token) {
      // First, because it is next to nothing: to look up 7 KB of garbage is not.
      if (typeof token !== 'string' || !hasCanonicalSignature(token)) return null

      const known = verified.get(token)
      if (known !== undefined) return areCurrent(known) ? known.user : null

      // @fastify/jwt parses a token before it verifies it, and what is not signed may take long to parse.
      const signer = signers.find(({ secret }) => isSignedWith(secret, token))
      if (signer === undefined || !isCanonical(token)) return null
      const claims = verify(signer.jwt, token)
      if (claims === null || !areCurrent(claims)) return null
      verified.set(copyOf(token), claims)
      return claims.user
    }
  })
}

/**
 * @fastify/jwt with one secret, in an app of its own, so that a host's @fastify/jwt and ours never meet. Called, and not
 * registered: it needs nothing that is not there at once, and a token service must not need to be waited for.
 */
function loadJwt(secret: Buffer, lifetime: number): JWT {
  const app = Fastify()
  const options: FastifyJWTOptions = {
    secret,
    sign: { algorithm: 'HS256', expiresIn: lifetime },
    // An array: with a single string HS512 would pass. No `cache`: what is remembered here is the whole token. The times are
    // compared here as well, and to throw an error for an old token takes longer than all the rest.
    verify: { algorithms: ['HS256'], complete: true, ignoreExpiration: true }
  }
  fastifyJwt(app, options, () => {})
  return app.jwt
}

function verify(jwt: JWT, token: string): Claims | null {
  try {
    return toClaims(jwt.verify<DecodedToken>(token))
  } catch {
    // Whatever is wrong with a token, it is the same 401. No store is asked here, so nothing else can fail.
    return null
  }
}

/** Whether the signature is HMAC with SHA-256 (RFC 7518 3.2). It has the right length, because it is canonical. */
function isSignedWith(secret: Buffer, token: string): boolean {
  const end = token.lastIndexOf('.')
  const signature = createHmac('sha256', secret).update(token.slice(0, end)).digest()
  return timingSafeEqual(signature, Buffer.from(token.slice(end + 1), 'base64url'))
}

/** 32 bytes are 43 base64url characters, the last with two zero bits: otherwise one token has four spellings. */
function hasCanonicalSignature(token: string): boolean {
  return /\.[\w-]{42}[AEIMQUYcgkosw048]$/.test(token)
}

/**
 * Whether a token has three segments, and header and payload are base64url of UTF-8 (RFC 7515 5.2), each in its one
 * canonical spelling (RFC 4648 3.5): a lenient decoder makes one token of many, and one username.
 */
function isCanonical(token: string): boolean {
  const [header = '', payload = '', , more] = token.split('.', 4)
  const isCanonicalText = (segment: string) => {
    const bytes = Buffer.from(segment, 'base64url')
    return isUtf8(bytes) && bytes.toString('base64url') === segment
  }
  return more === undefined && [header, payload].every(isCanonicalText)
}

/** The claims of a verified token; null when its header or one of them is not as it must be. */
function toClaims({ header, payload }: DecodedToken): Claims | null {
  const { sub: username, display_name: displayName, iat, exp, nbf = iat } = payload
  const user = toScreenUser({ username, displayName })
  const isValid = user !== null && isWhole(iat) && isWhole(exp) && typeof nbf === 'number'
  // A token that names an audience was made for somebody else (RFC 7519 4.1.3).
  if (!isValid || 'aud' in payload || !hasPlainHeader(header)) return null
  return { user, from: Math.max(iat, nbf), until: exp }
}

/** Whether a token may be used now: its time has come (`iat`, `nbf`), and not gone (`exp`). */
function areCurrent({ from, until }: Claims): boolean {
  const now = Date.now() / 1000
  return from <= now && now < until
}

/** HS256, and no extension that changes what is signed or how to read it (RFC 7515 4.1.11, RFC 7797, RFC 8725 3.11). */
function hasPlainHeader(header: Record<string, unknown>): boolean {
  const { alg, typ = 'JWT' } = header
  return alg === 'HS256' && typ === 'JWT' && !['crit', 'b64', 'zip', 'enc'].some(name => name in header)
}

function isWhole(value: unknown): value is number {
  return Number.isInteger(value)
}
