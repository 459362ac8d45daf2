import Fastify, { type FastifyInstance, type FastifyReply, type FastifyServerOptions } from 'fastify'
import screenAuth, { type EnvironmentOptions, type OpaqueTokens, type ThrottleOptions } from 'fastify-screen-auth'
import { sendError } from './errors.ts'
import { recordScreens } from './records/routes.ts'
import { accountScreens } from './screens/account.ts'
import { mainMenu } from './screens/main-menu.ts'
import { userScreens } from './screens/users.ts'
import type { Stores } from './stores.ts'
import { texts } from './texts.ts'
import { webClient } from './web-client.ts'

/** Settings of the login. With `tokens`, the server can revoke sessions. */
interface AuthOptions extends EnvironmentOptions {
  tokenLifetime?: number
  tokens?: OpaqueTokens
  throttle?: ThrottleOptions
}

const HEADERS = {
  // Prevents browsers from guessing another content type.
  'x-content-type-options': 'nosniff',
  // Screen readers of clients need the language of the texts.
  'content-language': 'en'
}

/** Builds the screen service: the plugin, the screens behind its login, and the web client. */
export async function buildApp(
  { users, records }: Stores,
  auth: AuthOptions,
  options: FastifyServerOptions,
  brand?: string
): Promise<FastifyInstance> {
  const app = Fastify({
    ...options,
    // Milliseconds. Closes the connections of slow clients. Node uses the longer of the two timeouts.
    requestTimeout: 15_000,
    http: { headersTimeout: 15_000 },
    // Bytes: several times the size of the largest Card.
    bodyLimit: 65_536,
    // Adds the headers to responses that Fastify sends before any hook runs.
    frameworkErrors: (error, _request, reply: FastifyReply) => reply.headers(HEADERS).send(error),
    // With coercion, Fastify's validator would turn ["a"] into "a".
    ajv: { customOptions: { coerceTypes: false } },
    // Clients must not notice a restart: while the server closes, it still responds normally on open connections.
    return503OnClosing: false
  })

  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(HEADERS)
  })
  app.setErrorHandler(sendError)
  await app.register(screenAuth, {
    ...auth,
    checkCredentials: ({ username, password }) => users.verify(username.trim(), password),
    mainMenu,
    loginForm: form => ({ ...form, ...texts.client })
  })
  await app.register(webClient, { brand })
  for (const store of records) await app.register(recordScreens, { store })
  await app.register(userScreens, { users, tokens: auth.tokens })
  if (auth.enabled) await app.register(accountScreens, { users, tokens: auth.tokens })
  return app
}
