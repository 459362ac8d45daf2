import type { FastifyInstance, FastifyRequest } from 'fastify'
import { NoUserError, SeveralScopesError, WrongArgumentError } from './base/errors.ts'
import type { AnyRequest } from './base/http.ts'
import { checkGroup } from './base/option-rules.ts'
import { rootOf } from './base/scopes.ts'
import { checkUser, type ScreenUser } from './base/user.ts'
import type { LoginLimits } from './limits/options.ts'
import { type LoginService, reauthenticate } from './login/credentials.ts'
import type { TokenService, VerifyOptions } from './tokens/token-service.ts'

/**
 * The functions of `app.screenAuth`, for instance for tests and WebSockets. The root instance has them, too. If several
 * scopes register the plugin, use those of a scope: on the root, all except `userOf` throw
 * `FST_SCREEN_AUTH_SEVERAL_SCOPES`.
 */
export interface ScreenAuth extends LoginLimits {
  /**
   * Returns the user of a guarded request: `request.screenUser`, but never null.
   *
   * @throws `FST_SCREEN_AUTH_NO_USER` (500) on a public route and in the no-auth mode
   * @example
   * app.get('/screen/orders', async request => ordersOf(app.screenAuth.userOf(request).username))
   */
  userOf(request: AnyRequest): ScreenUser
  /**
   * Issues a token for any user, as a login does.
   *
   * @returns the token, or a promise if the token service returns a promise
   * @throws `FST_SCREEN_AUTH_WRONG_ARGUMENT` if `user` is not a user, or for another argument
   * @example
   * const token = await app.screenAuth.issueToken({ username: 'ada', displayName: 'Ada' })
   * await app.inject({ url: '/menu/main', headers: { authorization: `Bearer ${token}` } })
   */
  issueToken(user: ScreenUser): string | Promise<string>
  /**
   * Verifies a token.
   *
   * @param options `use: false` does not renew the session: an open WebSocket must not keep an idle session alive
   * @returns a promise of the user, or of null for any invalid value
   * @throws any error of the token service; `FST_SCREEN_AUTH_INVALID_OPTION` if `options` has another property
   */
  verifyToken(token: string, options?: VerifyOptions): Promise<ScreenUser | null>
  /**
   * Checks the password of the user of a guarded request with `checkCredentials`. Call it before an action that a
   * stolen token alone must not allow. The call counts as a login: the same failure limits, queue and timeout apply.
   *
   * @returns a promise of the user
   * @throws `FST_SCREEN_AUTH_REAUTHENTICATION_FAILED` (403) if the password is wrong or missing, or logins are blocked:
   * `message` is the text for the person. While logins are blocked, `retryAfter` is the seconds to wait
   * @throws as `userOf`; `FST_SCREEN_AUTH_LOGIN_FAILED` (500), or `FST_SCREEN_AUTH_USER_STORE_FAILED`,
   * `FST_SCREEN_AUTH_OVERLOADED` or `FST_SCREEN_AUTH_LOGIN_TIMED_OUT` (503 with `Retry-After`), as a login does
   * @example
   * try {
   *   await app.screenAuth.reauthenticate(request, changes.current_password)
   * } catch (error) {
   *   if (error.code !== 'FST_SCREEN_AUTH_REAUTHENTICATION_FAILED') throw error
   *   return { ...form, status: `Error: ${error.message}` }
   * }
   */
  reauthenticate(request: AnyRequest, password: string): Promise<ScreenUser>
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Functions for users, tokens and failure limits. Added by fastify-screen-auth. */
    screenAuth: ScreenAuth
  }
  interface FastifyRequest {
    /**
     * The user of the verified token or, during a login request, the user who logs in. Null on a public route and in
     * the no-auth mode. Added by fastify-screen-auth.
     */
    screenUser: ScreenUser | null
  }
  interface FastifyContextConfig {
    /** `false` makes this route public. With any other value, or without a value, the route is guarded. */
    screenAuth?: boolean
  }
}

export function decorate(app: FastifyInstance, tokens: TokenService, loginService: LoginService | null): void {
  const throttle = loginService?.limiter.throttle
  const screenAuth: ScreenAuth = {
    userOf,
    issueToken(user, ...others: unknown[]) {
      if (others.length === 0) return tokens.issue(checkUser(user, 'issueToken'), null)
      throw new WrongArgumentError('issueToken takes only a user; call `issue` of your token service with other times')
    },
    async verifyToken(token, options = {}) {
      const own = checkGroup(options, 'verifyToken.options', { use: value => value as boolean })
      // A host may pass any value that a WebSocket client sent.
      return typeof token === 'string' ? tokens.verify(token, null, own) : null
    },
    reauthenticate: (request: FastifyRequest, password) => reauthenticate(loginService, request, password),
    forgetNetworks: async (username, request?: FastifyRequest) => throttle?.forgetNetworks(username, request),
    unlock: async (target, request?: FastifyRequest) => throttle?.unlock(target, request)
  }
  app.decorateRequest('screenUser', null)
  app.decorate('screenAuth', screenAuth)

  // Decorates the root too, because a host's tests cannot reach the scope of an autoloaded file.
  const root = rootOf(app)
  if (root !== app) root.screenAuth = Object.hasOwn(root, 'screenAuth') ? AMBIGUOUS_SCREEN_AUTH : screenAuth
}

function userOf({ screenUser }: AnyRequest): ScreenUser {
  if (!screenUser) throw new NoUserError()
  return screenUser
}

const AMBIGUOUS_SCREEN_AUTH: ScreenAuth = {
  userOf,
  issueToken: throwSeveralScopes,
  verifyToken: async () => throwSeveralScopes(),
  reauthenticate: async () => throwSeveralScopes(),
  forgetNetworks: async () => throwSeveralScopes(),
  unlock: async () => throwSeveralScopes()
}

function throwSeveralScopes(): never {
  throw new SeveralScopesError()
}
