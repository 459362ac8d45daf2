import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import screenAuth, { type EnvironmentOptions } from 'fastify-screen-auth'
import { mainMenu } from './screens/main-menu.ts'
import { passwordScreen } from './screens/password.ts'
import { profileScreen } from './screens/profile.ts'
import { usersScreen } from './screens/users.ts'
import type { UserStore } from './user-store.ts'
import { webClient } from './web-client.ts'

/** The screen service: the plugin, the screens behind its login, and a client to see them with. */
export async function buildApp(
  users: UserStore,
  auth: EnvironmentOptions & { tokenLifetime?: number },
  options: FastifyServerOptions
): Promise<FastifyInstance> {
  // Fastify's default validator would turn ["a"] into "a".
  const app = Fastify({ ...options, ajv: { customOptions: { coerceTypes: false } } })

  await app.register(screenAuth, {
    ...auth,
    checkCredentials: ({ username, password }) => users.verify(username, password),
    mainMenu
  })
  await app.register(webClient)
  await app.register(usersScreen, { users })
  if (auth.enabled) {
    await app.register(profileScreen, { users })
    await app.register(passwordScreen, { users })
  }
  return app
}
