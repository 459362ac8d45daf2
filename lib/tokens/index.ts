// Issues and verifies tokens: JWTs, opaque ones whose sessions are in a store, or a service of the host.
import type { FastifyInstance } from 'fastify'
import { jwtService } from './jwt.ts'
import type { TokenSettings } from './options.ts'
import { checkedService, type TokenService } from './token-service.ts'

/** The token service of the settings: the host's, or JWTs. */
export async function tokenService(app: FastifyInstance, settings: TokenSettings): Promise<TokenService> {
  return settings.tokens ? checkedService(settings.tokens) : jwtService(app, settings)
}

export { type OpaqueTokens, opaqueTokens } from './opaque/opaque-tokens.ts'
export type { OpaqueTokensOptions } from './opaque/options.ts'
export * from './options.ts'
export { type RedisClient, redisStore } from './stores/redis-store.ts'
export type { TokenStore } from './stores/token-store.ts'
export { isPromise, type TokenService, toUser } from './token-service.ts'
