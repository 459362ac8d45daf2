import { isUtf8 } from 'node:buffer'
import fastifyJwt, { type JWT } from '@fastify/jwt'
import type { FastifyInstance } from 'fastify'
import type { Settings } from './options.ts'
import type { TokenService } from './tokens.ts'
import type { ScreenUser } from './user.ts'

/** What `verify` of @fastify/jwt answers with `complete: true`. */
interface DecodedToken {
  header: Record<string, unknown>
  payload: Record<string, unknown>
}

/**
 * The default token service: JWTs signed with HS256 that carry exactly `sub`, `display_name`, `iat` and `exp`
 * (contract 5.5). Both functions are synchronous.
 *
 * @param app the scope of the plugin
 */
export async function jwtTokens(
  app: FastifyInstance,
  { secrets, tokenLifetime }: Settings
): Promise<TokenService> {
  const services: JWT[] = []
  for (const secret of secrets) services.push(await loadJwt(app, secret, tokenLifetime))
  const [signer] = services as [JWT, ...JWT[]]
  return {
    issue: ({ username, displayName }) => signer.sign({ sub: username, display_name: displayName }),
    verify(token) {
      for (const jwt of services) {
        const user = verify(jwt, token)
        if (user !== null) return user
      }
      return null
    }
  }
}

/** Loads @fastify/jwt into a scope of its own, so that a host's own @fastify/jwt and ours never meet. */
async function loadJwt(app: FastifyInstance, secret: Buffer, lifetime: number): Promise<JWT> {
  let jwt!: JWT
  await app.register(async scope => {
    await scope.register(fastifyJwt, {
      secret,
      // `user` may be the host's, and request decorators are inherited.
      decoratorName: 'screenAuthJwt',
      sign: { algorithm: 'HS256', expiresIn: lifetime },
      // An array: a string here would let every other HMAC algorithm through.
      verify: { algorithms: ['HS256'], complete: true }
    })
    jwt = scope.jwt
  })
  return jwt
}

function verify(jwt: JWT, token: string): ScreenUser | null {
  if (!hasCanonicalSignature(token) || !holdsText(token)) return null
  try {
    const { header, payload } = jwt.verify<DecodedToken>(token)
    return hasPlainHeader(header) ? userOf(payload) : null
  } catch {
    // Whatever is wrong with a token, it is the same 401. No store is asked here, so nothing else can fail.
    return null
  }
}

/** 32 bytes are 43 base64url characters, the last with two zero bits: otherwise one token has four spellings. */
function hasCanonicalSignature(token: string): boolean {
  return /\.[\w-]{42}[AEIMQUYcgkosw048]$/.test(token)
}

/** Header and payload are base64url of UTF-8 (RFC 7515 5.2): a lenient decoder makes one username of many. */
function holdsText(token: string): boolean {
  return token
    .split('.', 2)
    .every(segment => segment.length % 4 !== 1 && isUtf8(Buffer.from(segment, 'base64url')))
}

/** No extension that changes what is signed or how to read it (RFC 7515 4.1.11, RFC 7797, RFC 8725 3.11). */
function hasPlainHeader(header: Record<string, unknown>): boolean {
  const { typ = 'JWT' } = header
  return typ === 'JWT' && !['crit', 'b64', 'zip', 'enc'].some(name => name in header)
}

/**
 * The claims strictly: the library checks `nbf`, but passes an absent or a broken one of these, and an `iat` to come.
 * A token that names an audience was made for somebody else (RFC 7519 4.1.3).
 */
function userOf(claims: Record<string, unknown>): ScreenUser | null {
  const { sub, display_name, iat, exp } = claims
  const now = Date.now() / 1000
  const valid =
    typeof sub === 'string' &&
    sub !== '' &&
    typeof display_name === 'string' &&
    isWhole(iat) &&
    isWhole(exp) &&
    iat <= now &&
    exp > now &&
    !('aud' in claims)
  return valid ? { username: sub, displayName: display_name } : null
}

function isWhole(value: unknown): value is number {
  return Number.isInteger(value)
}
