import { createHmac, timingSafeEqual } from 'node:crypto'
import fastifyJwt, { type JWT } from '@fastify/jwt'
import type { FastifyInstance } from 'fastify'
import { LRUCache } from 'lru-cache'
import { areCurrent, type Claims, type DecodedToken, toClaims } from './claims.ts'
import type { TokenSettings } from './options.ts'
import { copyOf, hasCanonicalSignature, isCanonical, isSimple } from './token-format.ts'
import type { TokenService } from './token-service.ts'

/** Tokens that are remembered, and the characters they may have together: some 10 MB when full. */
const MOST_TOKENS = 12_000
const MOST_CHARACTERS = 6_000_000

/**
 * The default token service: JWTs signed with HS256 that carry exactly `sub`, `display_name`, `iat` and `exp`
 * (contract 5.5). Both functions are synchronous. A token that was verified once is remembered by its whole text, and
 * later only its times are compared; what was refused is never remembered.
 *
 * @param app the scope of the plugin
 */
export async function jwtService(
  app: FastifyInstance,
  { secrets, tokenLifetime }: TokenSettings
): Promise<TokenService> {
  const signers: JWT[] = []
  for (const secret of secrets) signers.push(await loadJwt(app, secret, tokenLifetime))
  const [current] = signers as [JWT]

  const verified = new LRUCache<string, Claims>({
    max: MOST_TOKENS,
    maxSize: MOST_CHARACTERS,
    sizeCalculation: (_, token) => token.length
  })
  return {
    issue: ({ username, displayName }) => current.sign({ sub: username, display_name: displayName }),
    verify(token) {
      // First, because it is next to nothing: to look up 7 KB of garbage is not.
      if (!hasCanonicalSignature(token)) return null

      const known = verified.get(token)
      if (known !== undefined) return areCurrent(known) ? known.user : null

      if (!isCanonical(token)) return null
      // @fastify/jwt parses a token before it verifies it, so what takes long to parse must be signed.
      if (!isSimple(token) && !secrets.some(secret => isSignedWith(secret, token))) return null

      const claims = verify(signers, token)
      if (claims === null || !areCurrent(claims)) return null
      verified.set(copyOf(token), claims)
      return claims.user
    }
  }
}

/** @fastify/jwt with one secret, in a scope of its own, so that a host's own @fastify/jwt and ours never meet. */
async function loadJwt(app: FastifyInstance, secret: Buffer, lifetime: number): Promise<JWT> {
  let jwt!: JWT
  await app.register(async scope => {
    await scope.register(fastifyJwt, {
      secret,
      // `user` may be the host's, and request decorators are inherited.
      decoratorName: 'screenAuthJwt',
      sign: { algorithm: 'HS256', expiresIn: lifetime },
      // An array: with a single string HS512 would pass. No `cache`: what is remembered here is the whole token.
      verify: { algorithms: ['HS256'], complete: true }
    })
    jwt = scope.jwt
  })
  return jwt
}

/** The claims of a token that one of the secrets has signed. */
function verify(signers: JWT[], token: string): Claims | null {
  for (const jwt of signers) {
    try {
      return toClaims(jwt.verify<DecodedToken>(token))
    } catch {
      // Whatever is wrong with a token, it is the same 401. No store is asked here, so nothing else can fail.
    }
  }
  return null
}

/** Whether the signature is HMAC with SHA-256 (RFC 7518 3.2). It has the right length, because it is canonical. */
function isSignedWith(secret: Buffer, token: string): boolean {
  const end = token.lastIndexOf('.')
  const signature = createHmac('sha256', secret).update(token.slice(0, end)).digest()
  return timingSafeEqual(signature, Buffer.from(token.slice(end + 1), 'base64url'))
}
