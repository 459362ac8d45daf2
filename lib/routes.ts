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
 * The routes of the contract. A host's serializers may be for another kind of schema, so they must not reach this
 * scope: here every response is plain JSON, and the schemas are documentation.
 */
export async function routes(scope: FastifyInstance, { settings, tokens, credentials }: RoutesOptions): Promise<void> {
  scope.setSerializerCompiler(() => JSON.stringify)
  scope.setReplySerializer(payload => (typeof payload === 'string' ? payload : JSON.stringify(payload)))

  await scope.register(menuRoute, { settings })
  // Taken once: what a host puts in the place of `issue` later is not checked.
  const { issue } = tokens
  if (credentials !== null) await scope.register(loginRoutes, { settings, tokens: { issue }, credentials })
}
