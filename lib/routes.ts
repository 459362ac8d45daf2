import type { FastifyInstance } from 'fastify'
import { type Credentials, loginRoutes } from './login/index.ts'
import type { Settings } from './options.ts'
import { menuRoute } from './screens/index.ts'
import type { TokenService } from './tokens/index.ts'

interface RoutesOptions {
  settings: Settings
  tokens: TokenService
  credentials: Credentials | null
}

/**
 * Adds the routes of the contract. This scope sends plain JSON and uses its schemas only as documentation, because a
 * host's serializers may need another kind of schema.
 */
export async function routes(scope: FastifyInstance, { settings, tokens, credentials }: RoutesOptions): Promise<void> {
  scope.setSerializerCompiler(() => JSON.stringify)
  scope.setReplySerializer(payload => (typeof payload === 'string' ? payload : JSON.stringify(payload)))

  await scope.register(menuRoute, { settings })
  // Copies the checked `issue`: the host may later replace it with an unchecked function.
  const { issue } = tokens
  if (credentials !== null) await scope.register(loginRoutes, { settings, tokens: { issue }, credentials })
}
