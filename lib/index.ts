/**
 * The login of a server-driven screen service, as a Fastify plugin.
 *
 * @module
 */
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import fp from 'fastify-plugin'
import { decorate } from './decorators.ts'
import { failClosed } from './fail-closed.ts'
import { guard } from './guard/hook.ts'
import { Credentials } from './login/credentials.ts'
import { checkOptions, type ScreenAuthOptions } from './options.ts'
import { routes } from './routes.ts'
import { addDisplayName } from './screens/display-name.ts'
import { WrongFastifyError } from './shared/errors.ts'
import { announce } from './startup-log.ts'
import { jwtTokens } from './tokens/jwt.ts'
import { checkedTokens } from './tokens/token-service.ts'

async function load(app: FastifyInstance, options: ScreenAuthOptions): Promise<() => void> {
  // Not by fastify-plugin, which throws before anything of ours has run.
  if (!app.version.startsWith('5.')) throw new WrongFastifyError(app.version)
  const settings = checkOptions(options)
  const tokens = settings.tokens ? checkedTokens(settings.tokens) : await jwtTokens(app, settings)

  const credentials = settings.enabled ? await Credentials.of(settings, app.log) : null

  decorate(app, settings, tokens, credentials)
  if (settings.enabled) {
    app.addHook('onRequest', guard(tokens))
    app.addHook('preSerialization', addDisplayName)
  }
  await app.register(routes, { settings, tokens, credentials, prefix: settings.prefix })
  return () => announce(app, settings)
}

/**
 * Registers the login of a screen service: `GET` and `POST /auth/login`, `GET /menu/main`, and one guard that lets
 * only requests with a valid bearer token reach any other route of the scope it is registered in.
 *
 * @throws `FST_SCREEN_AUTH_INVALID_OPTION` at registration when an option is wrong, `FST_SCREEN_AUTH_WRONG_FASTIFY`
 * when the host's Fastify is not version 5
 *
 * @example
 * const app = Fastify({ logger: true })
 * await app.register(screenAuth, {
 *   ...optionsFromEnv(),
 *   checkCredentials: async ({ username, password }) => users.verify(username, password),
 *   mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs: [] } })
 * })
 * app.get('/healthz', { config: { screenAuth: false } }, async () => 'ok')
 */
const screenAuth: FastifyPluginAsync<ScreenAuthOptions> = fp(failClosed(load), {
  name: 'fastify-screen-auth'
})

export default screenAuth
export type { ScreenAuth } from './decorators.ts'
export { type EnvironmentOptions, optionsFromEnv } from './environment.ts'
export { bearerToken } from './guard/authorization-header.ts'
export type { CheckLimits } from './limits/check-queue.ts'
export type { FailureCount, FailureStore, FailureStoreOptions } from './limits/failure-store.ts'
export { insuredStore } from './limits/insured-store.ts'
export type { FailureLimit, ThrottleOptions } from './limits/options.ts'
export type { Reauthentication } from './login/reauthenticate.ts'
export type {
  CheckCredentials,
  LoginFields,
  LoginForm,
  MainMenu,
  ScreenAuthOptions,
  Secret
} from './options.ts'
export type { ScreenUser } from './shared/user.ts'
export { type OpaqueTokens, type OpaqueTokensOptions, opaqueTokens } from './tokens/opaque-tokens.ts'
export type { TokenStore } from './tokens/session-store.ts'
export type { TokenService } from './tokens/token-service.ts'
