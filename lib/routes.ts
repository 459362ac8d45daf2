import type { FastifyInstance } from 'fastify'
import type { Credentials } from './login/credentials.ts'
import { loginRoutes } from './login/routes.ts'
import type { Settings } from './options.ts'
import { menuRoute } from './screens/menu-route.ts'
import type { TokenService } from './tokens/token-service.ts'

/**
 * The routes of the contract. A host's serializers may be for another kind of schema, so they must not reach this
 * scope: here the answers are plain JSON, and their schemas are documentation.
 */
export async function routes(
  scope: FastifyInstance,
  {
    settings,
    tokens,
    credentials
  }: { settings: Settings; tokens: TokenService; credentials: Credentials | null }
): Promise<void> {
  scope.setSerializerCompiler(() => JSON.stringify)
  scope.setReplySerializer(payload => (typeof payload === 'string' ? payload : JSON.stringify(payload)))

  await scope.register(menuRoute, { settings })
  if (credentials !== null) await scope.register(loginRoutes, { settings, tokens, credentials })
}
