import type { FastifyInstance } from 'fastify'
import { loginRoutes } from './login-routes.ts'
import { menuRoute } from './menu-route.ts'
import type { Settings } from './options.ts'
import type { TokenService } from './tokens.ts'

/**
 * The routes of the contract. A host's serializers may be for another kind of schema, so they must not reach this
 * scope: here the answers are plain JSON, and their schemas are documentation.
 */
export async function routes(
  scope: FastifyInstance,
  { settings, tokens }: { settings: Settings; tokens: TokenService }
): Promise<void> {
  scope.setSerializerCompiler(() => JSON.stringify)
  scope.setReplySerializer(payload => (typeof payload === 'string' ? payload : JSON.stringify(payload)))

  await scope.register(menuRoute, { settings })
  if (settings.enabled) await scope.register(loginRoutes, { settings, tokens })
}
