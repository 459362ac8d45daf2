import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { LoginLimits } from './limits/index.ts'
import { type CredentialChecker, type Reauthentication, reauthenticate } from './login/index.ts'
import type { ScreenUser } from './shared/index.ts'
import { type TokenService, toUser } from './tokens/index.ts'

/** What `app.screenAuth` offers, for instance to a host's tests or to its WebSocket. */
export interface ScreenAuth {
  /**
   * Makes a token as a login does, for any user.
   *
   * @returns the token; a promise when the host's token service returns one
   * @throws `FST_SCREEN_AUTH_INVALID_ANSWER` when `user` is not a user
   * @example
   * const token = await app.screenAuth.issueToken({ username: 'ada', displayName: 'Ada' })
   * await app.inject({ url: '/menu/main', headers: { authorization: `Bearer ${token}` } })
   */
  issueToken(user: ScreenUser): string | Promise<string>
  /**
   * Verifies a token.
   *
   * @returns the user, or null when it is not valid, whatever it is; a promise when the host's token service returns one
   * @throws what the host's token service throws
   */
  verifyToken(token: string): ScreenUser | null | Promise<ScreenUser | null>
  /**
   * Asks `checkCredentials` again for the user of a guarded request, before something that a stolen token must not be
   * enough for. It counts as a login: the same limits of failures, the same queue, the same time.
   *
   * @returns the user, or `{ error }`, a message for the person; with `retryAfter`, in seconds, while blocked
   * @throws `FST_SCREEN_AUTH_NO_USER` (500) on a public route and in the no-auth mode
   * @throws `FST_SCREEN_AUTH_LOGIN_FAILED` (500) when `checkCredentials` fails
   * @throws `FST_SCREEN_AUTH_OVERLOADED`, `FST_SCREEN_AUTH_THROTTLE_FAILED` or `FST_SCREEN_AUTH_LOGIN_TIMED_OUT` (503 with
   * `Retry-After`), as a login does
   * @example
   * const result = await app.screenAuth.reauthenticate(request, changes.current_password)
   * if ('error' in result) return { ...form, status: `Error: ${result.error}` }
   */
  reauthenticate(request: FastifyRequest, password: string): Promise<Reauthentication>
  /**
   * Forgets the networks from which a person has logged in, so that the limit of failures by username holds there again.
   * Call it when a password was changed or all sessions were ended.
   *
   * @param username as it is entered in the login form
   * @throws `FST_SCREEN_AUTH_THROTTLE_FAILED` (503) when the store fails; one made by `insuredStore` does not, and then
   * only this process has forgotten them
   */
  forgetNetworks(username: string): Promise<void>
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Issues and verifies tokens outside a request. Added by fastify-screen-auth. */
    screenAuth: ScreenAuth
  }
  interface FastifyRequest {
    /**
     * The user of the verified token, or of the login that is being served; else null: on a public route, and in the
     * no-auth mode. Added by fastify-screen-auth.
     */
    screenUser: ScreenUser | null
  }
  interface FastifyContextConfig {
    /** `false` makes this route public. Any other value, or none, leaves it guarded. */
    screenAuth?: boolean
  }
}

/**
 * Adds `request.screenUser` and `app.screenAuth`, and nothing else.
 *
 * @param credentials null in the no-auth mode, as the limits are
 */
export function decorate(
  app: FastifyInstance,
  tokens: TokenService,
  credentials: CredentialChecker | null,
  limits: LoginLimits | null
): void {
  app.decorateRequest('screenUser', null)
  app.decorate('screenAuth', {
    issueToken: user => tokens.issue(toUser(user, 'issueToken must be given'), null),
    // What a WebSocket was sent can be anything.
    verifyToken: token => (typeof token === 'string' ? tokens.verify(token, null) : null),
    reauthenticate: (request, password) => reauthenticate(credentials, request, password),
    forgetNetworks: async username => limits?.forgetNetworks(username)
  })
}
