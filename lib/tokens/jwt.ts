import { isUtf8 } from 'node:buffer'
import { createHmac, timingSafeEqual } from 'node:crypto'
import fastifyJwt, { type FastifyJWTOptions, type JWT } from '@fastify/jwt'
import Fastify from 'fastify'
import { LRUCache } from 'lru-cache'
import type { AnyRequest } from '../base/http.ts'
import { checkGroup, DAY, lifetime, optional } from '../base/option-rules.ts'
import { checkUser, type ScreenUser, toScreenUser } from '../base/user.ts'
import { warnOnce } from '../base/warnings.ts'
import { randomSecret, type Secret, secretsRule } from './secrets.ts'
import { checkTimesOf, type TokenService, trust } from './token-service.ts'

/** Maximum characters of all cached tokens. Each token counts as at least 500. A full cache takes some 10 MB. */
const MAX_CHARACTERS = 6_000_000

/** The result of `verify` of @fastify/jwt with `complete: true`. */
type DecodedToken = Record<'header' | 'payload', Record<string, unknown>>
/** The claims of a JWT. The times are seconds since 1970. */
type Claims = { user: ScreenUser; validFrom: number; validUntil: number }
type Signer = { secret: Buffer; jwt: JWT }

/** The token service that {@link jwtTokens} returns. */
export interface JwtTokens extends TokenService {
  /**
   * @param options `lifetime` of this token in whole seconds. Default: the lifetime of the service
   * @throws `FST_SCREEN_AUTH_INVALID_OPTION` when the lifetime is invalid
   */
  issue(user: ScreenUser, request?: AnyRequest | null, options?: { lifetime?: number | undefined }): string
  verify(token: string, request?: AnyRequest | null): ScreenUser | null
}

/** The options of {@link jwtTokens}. */
export interface JwtTokensOptions {
  /** Like the option `secret` of the plugin. Default: 32 random bytes, with a warning. */
  secret?: Secret | readonly Secret[] | undefined
  /** How long a token is valid, in whole seconds, at most ten years. Default: 86,400, which is 24 hours (contract 8). */
  lifetime?: number | undefined
}

/** The rule of the lifetime of a JWT. */
export const jwtLifetimeRule = optional(lifetime(3650 * DAY, 'ten years'))

/**
 * Creates the default token service, for use within your own. It issues JWTs, signed with HS256, with only the claims
 * `sub`, `display_name`, `iat` and `exp` (contract 5.5). Both functions are synchronous, and `verify` caches valid tokens.
 *
 * @returns a token service for the option `tokens`
 * @throws `FST_SCREEN_AUTH_INVALID_OPTION` when an option is invalid
 *
 * @example
 * const jwts = jwtTokens({ secret: process.env.SVC_AUTH_SECRET, lifetime: 3600 })
 * const tokens = { issue: jwts.issue, verify: token => (isOnDenylist(token) ? null : jwts.verify(token)) }
 */
export function jwtTokens(options: JwtTokensOptions = {}): JwtTokens {
  const rules = { secret: optional(secretsRule), lifetime: jwtLifetimeRule }
  const { secret, lifetime } = checkGroup(options, 'jwtTokens', rules)
  if (secret === undefined) warnOnce('the secret of `jwtTokens` is random: a restart ends every session; set `secret`')
  return jwtService(secret, lifetime)
}

/** As {@link jwtTokens}, but expects checked options, and has their defaults. */
export function jwtService(keys: Secret[] = [randomSecret()], lifetime = DAY): JwtTokens {
  const secrets = keys.map(key => Buffer.from(key as string))
  const signers = secrets.map(secret => ({ secret, jwt: createJwt(secret, lifetime) }))
  const [current] = signers as [Signer]

  const cache = new LRUCache<string, Claims>({
    // Not `max`, for which lru-cache allocates all entries up front: a host may have a service for each tenant.
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (_, token) => Math.max(500, token.length)
  })
  const issuers = secrets.map(secret => secret.toString('base64'))
  return trust(issuers, {
    issue(user, request, times = {}) {
      const { username, displayName } = checkUser(user, 'tokens.issue')
      const { lifetime: expiresIn } = checkTimesOf(request, times, { lifetime: jwtLifetimeRule })
      const claims = { sub: username, display_name: displayName }
      if (expiresIn === undefined) return current.jwt.sign(claims)
      return current.jwt.sign(claims, { algorithm: 'HS256', expiresIn })
    },
    verify(token) {
      // Rejects garbage cheaply, before 7 KB are hashed for the lookup.
      if (typeof token !== 'string' || !CANONICAL_SIGNATURE.test(token)) return null

      const cached = cache.get(token)
      if (cached !== undefined) return areValidNow(cached) ? cached.user : null

      // Checks the signature first: @fastify/jwt would parse a forged token before rejecting it, which may take long.
      const signer = signers.find(({ secret }) => isSignedWith(secret, token))
      if (signer === undefined || !isCanonical(token)) return null
      const claims = verify(signer.jwt, token)
      if (claims === null || !areValidNow(claims)) return null
      // A copy: in V8, a substring of a header is a view, which keeps the whole header in memory.
      cache.set(Buffer.from(token, 'latin1').toString('latin1'), claims)
      return claims.user
    }
  })
}

/** Loads @fastify/jwt into an app of its own. Calls the plugin directly, because `register` is asynchronous. */
function createJwt(secret: Buffer, lifetime: number): JWT {
  const app = Fastify()
  const options: FastifyJWTOptions = {
    secret,
    sign: { algorithm: 'HS256', expiresIn: lifetime },
    // An array, because with a single string HS512 would pass. No `cache`, because `jwtService` caches whole tokens.
    // `ignoreExpiration`, because `jwtService` checks the times, and throwing errors is slow.
    verify: { algorithms: ['HS256'], complete: true, ignoreExpiration: true }
  }
  fastifyJwt(app, options, () => {})
  return app.jwt
}

function verify(jwt: JWT, token: string): Claims | null {
  try {
    return toClaims(jwt.verify<DecodedToken>(token))
  } catch {
    // Every error means an invalid token (401): no store is read here, so nothing else can fail.
    return null
  }
}

/** Whether the signature is HMAC with SHA-256 (RFC 7518 3.2). Only for a canonical signature, which has 32 bytes. */
function isSignedWith(secret: Buffer, token: string): boolean {
  const end = token.lastIndexOf('.')
  const signature = createHmac('sha256', secret).update(token.slice(0, end)).digest()
  return timingSafeEqual(signature, Buffer.from(token.slice(end + 1), 'base64url'))
}

/** 32 bytes are 43 base64url characters. The last two bits must be zero, or one token would have four spellings. */
const CANONICAL_SIGNATURE = /\.[\w-]{42}[AEIMQUYcgkosw048]$/

/**
 * Whether a token has three segments, and header and payload are base64url of UTF-8 (RFC 7515 5.2), each in its
 * canonical spelling (RFC 4648 3.5). A lenient decoder would decode different tokens, or usernames, to the same text.
 */
function isCanonical(token: string): boolean {
  const [header = '', payload = '', , more] = token.split('.', 4)
  const isCanonicalText = (segment: string) => {
    const bytes = Buffer.from(segment, 'base64url')
    return isUtf8(bytes) && bytes.toString('base64url') === segment
  }
  return more === undefined && [header, payload].every(isCanonicalText)
}

function toClaims({ header, payload }: DecodedToken): Claims | null {
  const { sub: username, display_name: displayName, iat, exp, nbf = iat } = payload
  const user = toScreenUser({ username, displayName })
  const isValid = user !== null && isInteger(iat) && isInteger(exp) && typeof nbf === 'number'
  // A token with an audience was issued for another recipient (RFC 7519 4.1.3).
  if (!isValid || 'aud' in payload || !hasPlainHeader(header)) return null
  if (iat > Date.now() / 1000)
    warnOnce('a JWT was rejected because its `iat` is in the future; synchronize the clocks of the servers')
  return { user, validFrom: Math.max(iat, nbf), validUntil: exp }
}

function areValidNow({ validFrom, validUntil }: Claims): boolean {
  const now = Date.now() / 1000
  return validFrom <= now && now < validUntil
}

/** Checks for HS256, and no extension that changes the signed data (RFC 7515 4.1.11, RFC 7797, RFC 8725 3.11). */
function hasPlainHeader(header: Record<string, unknown>): boolean {
  const { alg, typ = 'JWT' } = header
  return alg === 'HS256' && typ === 'JWT' && !['crit', 'b64', 'zip', 'enc'].some(name => name in header)
}

const isInteger = (value: unknown): value is number => Number.isInteger(value)
