/**
 * A Fastify plugin with login, tokens and a guard for server-driven UI (screens as JSON).
 *
 * @module
 */
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import fp from 'fastify-plugin'
import { WrongFastifyError } from './base/errors.ts'
import { registerOnce } from './base/scopes.ts'
import { decorate } from './decorators.ts'
import { guard, keepPrivate } from './guard.ts'
import { failClosed } from './host/fail-closed.ts'
import { documentSecurity } from './host/openapi.ts'
import { checkConfig, pluginsOf, reportStart } from './host/startup.ts'
import { createLoginService } from './login/credentials.ts'
import { loginRoutes } from './login/routes.ts'
import { checkOptions, type ScreenAuthOptions } from './options.ts'
import { menuRoute } from './screens/main-menu.ts'
import { addScreenHooks } from './screens/screen-hooks.ts'
import { shareSerializer } from './screens/serializer.ts'
import { jwtService } from './tokens/jwt.ts'
import { checkedService } from './tokens/token-service.ts'

async function load(app: FastifyInstance, options: ScreenAuthOptions): Promise<() => void> {
  // Not the option `fastify` of fastify-plugin, which would throw before `failClosed` has added its hook.
  if (!app.version.startsWith('5.')) throw new WrongFastifyError(app.version)

  const settings = checkOptions(options)
  const before = pluginsOf(app)
  registerOnce(app)
  const { enabled, secret, tokenLifetime, prefix } = settings
  const tokens = settings.tokens ? checkedService(settings.tokens) : jwtService(secret, tokenLifetime)
  const loginService = enabled ? createLoginService(settings, tokens, app) : null

  decorate(app, tokens, loginService)
  app.addHook('onRoute', checkConfig)
  addScreenHooks(app)
  shareSerializer(app)
  if (enabled) {
    app.addHook('onRequest', guard(tokens))
    app.addHook('onSend', keepPrivate)
    documentSecurity(app)
  }
  const addRoutes = async (scope: FastifyInstance) => {
    isolate(scope)
    menuRoute(scope, settings)
    if (loginService) loginRoutes(scope, loginService)
  }
  await app.register(addRoutes, { prefix })
  return () => reportStart(app, settings, tokens, before)
}

/** Keeps the hooks and serializers of the host from changing the plugin's own routes, and caches from storing them. */
function isolate(scope: FastifyInstance): void {
  // After the hooks of the host, which may make all its routes public or guarded, or set their serializer.
  scope.addHook('onRoute', route => {
    route.config = { ...route.config, screenAuth: !route.url.endsWith('/auth/login') }
    delete route.serializerCompiler
  })
  // Plain JSON: the serializers of a host may need another kind of schema.
  scope.setSerializerCompiler(() => JSON.stringify)
  scope.setReplySerializer(payload => (typeof payload === 'string' ? payload : JSON.stringify(payload)))
  scope.addHook('onSend', (_request, reply, payload, done) => {
    // A response may have a token (RFC 6749 5.1).
    reply.header('cache-control', 'no-store')
    done(null, payload)
  })
}

/**
 * Adds the routes `GET` and `POST /auth/login` and `GET /menu/main`, and a guard. It rejects requests without a valid
 * bearer token on all routes of the scope, except the login routes and those with `config: { screenAuth: false }`.
 *
 * @throws `FST_SCREEN_AUTH_INVALID_OPTION` at registration if an option is missing, invalid or unknown
 * @throws `FST_SCREEN_AUTH_ALREADY_REGISTERED` if this scope, a scope around it or a scope inside it already has the
 * plugin
 * @throws `FST_SCREEN_AUTH_WRONG_FASTIFY` if the host's Fastify is not version 5
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
export const screenAuth: FastifyPluginAsync<ScreenAuthOptions> = fp(failClosed(load), {
  name: 'fastify-screen-auth'
})

export default screenAuth
export { errorCodes } from './base/errors.ts'
export type { LoginEvent, LoginOutcome, RefusalEvent, SessionEvent, ThrottleEvent } from './base/events.ts'
export type { AnyRequest } from './base/http.ts'
export type { ScreenUser } from './base/user.ts'
export type { ScreenAuth } from './decorators.ts'
export { type EnvironmentOptions, optionsFromEnv } from './environment.ts'
export { bearerToken } from './guard.ts'
export type { FailureLimit } from './limits/counts.ts'
export type { CheckLimits, LoginLimits, ThrottleOptions } from './limits/options.ts'
export { loginLimits } from './limits/throttle.ts'
export type {
  CheckCredentials,
  LoginFields,
  LoginForm,
  MainMenu,
  Message,
  MessageKey,
  SayMessage,
  ScreenAuthOptions
} from './options.ts'
export { type RedisClient, redisStore } from './stores/redis-store.ts'
export type { Store, Taken } from './stores/store.ts'
export { type JwtTokens, type JwtTokensOptions, jwtTokens } from './tokens/jwt.ts'
export type { OpaqueTokensOptions, SessionTimes } from './tokens/opaque-options.ts'
export { type OpaqueTokens, opaqueTokens } from './tokens/opaque-tokens.ts'
export type { Secret } from './tokens/secrets.ts'
export type { TokenService, VerifyOptions } from './tokens/token-service.ts'
