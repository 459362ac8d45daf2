import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import fastifyJwt, { type JWT } from '@fastify/jwt'
import type { FastifyInstance } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { Settings } from '../options.ts'
import type { ScreenUser } from '../shared/user.ts'
import {
  areCurrent,
  type Claims,
  type DecodedToken,
  hasCanonicalSignature,
  holdsText,
  toClaims
} from './claims.ts'
import type { TokenService } from './token-service.ts'

/** Tokens that are remembered, and the characters they may have together: some 10 MB when full. */
const MOST_TOKENS = 12_000
const MOST_CHARACTERS = 6_000_000

const HEADER = base64url({ alg: 'HS256', typ: 'JWT' })

/**
 * The default token service: JWTs signed with HS256 that carry exactly `sub`, `display_name`, `iat` and `exp`
 * (contract 5.5). Both functions are synchronous. A token that was verified once is remembered by its whole text, and
 * later only its times are compared; what was refused is never remembered.
 *
 * @param app the scope of the plugin
 */
export async function jwtTokens(
  app: FastifyInstance,
  { secrets, tokenLifetime }: Settings
): Promise<TokenService> {
  const decode = await loadDecoder(app, secrets)
  const keys = secrets.map(secret => createSecretKey(secret))
  const [current] = keys as [KeyObject, ...KeyObject[]]

  const verified = new LRUCache<string, Claims>({
    max: MOST_TOKENS,
    maxSize: MOST_CHARACTERS,
    sizeCalculation: (_, token) => token.length
  })
  return {
    issue: user => sign(current, user, tokenLifetime),
    verify(token) {
      // First, because it is next to nothing: to look up 7 KB of garbage is not.
      if (!hasCanonicalSignature(token)) return null

      const known = verified.get(token)
      if (known !== undefined) return areCurrent(known) ? known.user : null

      const isSigned = keys.some(key => isSignedWith(key, token))
      const claims = isSigned ? read(decode, token) : null
      if (claims === null || !areCurrent(claims)) return null
      verified.set(copyOf(token), claims)
      return claims.user
    }
  }
}

/**
 * The decoder of @fastify/jwt, loaded into a scope of its own, so that a host's own @fastify/jwt and ours never meet. Its
 * `sign` and `verify` are not used: they take two and three times as long, and `verify` throws for a wrong signature,
 * which takes longer than the rest of the request.
 */
async function loadDecoder(app: FastifyInstance, [secret]: Buffer[]): Promise<JWT['decode']> {
  let decode!: JWT['decode']
  await app.register(async scope => {
    await scope.register(fastifyJwt, {
      secret: secret as Buffer,
      // `user` may be the host's, and request decorators are inherited.
      decoratorName: 'screenAuthJwt',
      decode: { complete: true },
      // Unset, they would be guessed from the secret, and bytes that look like a PEM key refused.
      sign: { algorithm: 'HS256' },
      verify: { algorithms: ['HS256'] }
    })
    decode = scope.jwt.decode
  })
  return decode
}

/** The claims of a token whose signature is right. */
function read(decode: JWT['decode'], token: string): Claims | null {
  if (!holdsText(token)) return null
  try {
    return toClaims(decode<DecodedToken>(token) as DecodedToken)
  } catch {
    // Whatever is wrong with a token, it is the same 401. No store is asked here, so nothing else can fail.
    return null
  }
}

function sign(key: KeyObject, { username, displayName }: ScreenUser, lifetime: number): string {
  const iat = Math.floor(Date.now() / 1000)
  const claims = { sub: username, display_name: displayName, iat, exp: iat + lifetime }
  const input = `${HEADER}.${base64url(claims)}`
  return `${input}.${signature(key, input).toString('base64url')}`
}

function isSignedWith(key: KeyObject, token: string): boolean {
  const end = token.lastIndexOf('.')
  return timingSafeEqual(signature(key, token.slice(0, end)), Buffer.from(token.slice(end + 1), 'base64url'))
}

/** HMAC with SHA-256 (RFC 7518 3.2). */
function signature(key: KeyObject, input: string): Buffer {
  return createHmac('sha256', key).update(input).digest()
}

function base64url(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}

/** Part of a header is for V8 a view of it: remembered, it would keep all that was sent before the token. */
function copyOf(token: string): string {
  return Buffer.from(token, 'latin1').toString('latin1')
}
