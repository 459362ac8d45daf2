import type { FastifyInstance } from 'fastify'
import { loginRoutes } from './login-routes.ts'
import { menuRoute } from './menu-route.ts'
import type { Settings } from './options.ts'
import type { TokenService } from './tokens.ts'

/**
 * The routes of the contract. What goes over the wire here is the contract's, so a host's serializers (for another
 * kind of schema, or an envelope) must not reach this scope.
 */
export async function routes(
  scope: FastifyInstance,
  { settings, tokens }: { settings: Settings; tokens: TokenService }
): Promise<void> {
  scope.setSerializerCompiler(() => JSON.stringify)
  scope.setReplySerializer(payload => JSON.stringify(payload))

  await scope.register(menuRoute, { settings })
  if (settings.enabled) await scope.register(loginRoutes, { settings, tokens })
}
