import Fastify, { type FastifyInstance, type FastifyReply, type FastifyServerOptions } from 'fastify'
import screenAuth, { type EnvironmentOptions, type OpaqueTokens, type ThrottleOptions } from 'fastify-screen-auth'
import { contactScreens } from './contacts/index.ts'
import { sendError } from './errors.ts'
import { languages } from './language.ts'
import { accountScreens } from './screens/account.ts'
import { loginForm, mainMenu } from './screens/login.ts'
import { userScreens } from './screens/users.ts'
import type { Stores } from './stores.ts'
import { webClient } from './web-client.ts'

/** The settings of the login. With `tokens`, sessions can be ended. */
interface AuthOptions extends EnvironmentOptions {
  tokenLifetime?: number
  tokens?: OpaqueTokens
  throttle?: ThrottleOptions
}

const HEADERS = {
  // Browsers must not guess another content type.
  'x-content-type-options': 'nosniff',
  // A cache must not send German texts to those who read English.
  vary: 'accept-language'
}

/** The screen service: the plugin, the screens behind its login, and a client to see them with. */
export async function buildApp(
  { users, contacts }: Stores,
  auth: AuthOptions,
  options: FastifyServerOptions,
  { brand, language = 'en' }: { brand?: string | undefined; language?: string } = {}
): Promise<FastifyInstance> {
  const app = Fastify({
    ...options,
    // Milliseconds: slow clients must not hold their connections. Node takes the longer one of these.
    requestTimeout: 15_000,
    http: { headersTimeout: 15_000 },
    // Bytes: several times what the largest Card needs.
    bodyLimit: 65_536,
    // Requests that Fastify refuses before any hook runs.
    frameworkErrors: (error, _request, reply: FastifyReply) => reply.headers(HEADERS).send(error),
    // Fastify's default validator would turn ["a"] into "a".
    ajv: { customOptions: { coerceTypes: false } },
    // While it closes, requests on open connections still get their usual response: a restart goes unnoticed.
    return503OnClosing: false
  })

  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(HEADERS)
  })
  app.setErrorHandler(sendError)
  await app.register(languages, { language })
  await app.register(screenAuth, {
    ...auth,
    checkCredentials: ({ username, password }) => users.verify(username, password),
    mainMenu,
    loginForm,
    message: (message, request) => request.texts.login.message(message)
  })
  await app.register(webClient, { brand })
  await app.register(contactScreens, { contacts })
  await app.register(userScreens, { users, tokens: auth.tokens })
  if (auth.enabled) await app.register(accountScreens, { users, tokens: auth.tokens })
  return app
}
