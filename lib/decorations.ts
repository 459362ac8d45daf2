import type { FastifyInstance } from 'fastify'
import { type TokenService, toUser } from './tokens.ts'
import type { ScreenUser } from './user.ts'

/** What `app.screenAuth` offers, for instance to a host's tests or to its WebSocket. */
export interface ScreenAuth {
  /**
   * Makes a token as a login does, for any user. A promise when the host's token service answers one.
   *
   * @throws `FST_SCREEN_AUTH_INVALID_ANSWER` when `user` is not a user
   * @example
   * const token = await app.screenAuth.issueToken({ username: 'ada', displayName: 'Ada' })
   * await app.inject({ url: '/menu/main', headers: { authorization: `Bearer ${token}` } })
   */
  issueToken(user: ScreenUser): string | Promise<string>
  /**
   * Answers the user of a token, or null when it is not valid. A promise when the host's token service answers one;
   * throws what that service throws.
   */
  verifyToken(token: string): ScreenUser | null | Promise<ScreenUser | null>
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Issues and verifies tokens outside a request. Added by fastify-screen-auth. */
    screenAuth: ScreenAuth
  }
  interface FastifyRequest {
    /**
     * The user of the verified token, or of the login that is being answered; else null: on a public route, and in
     * the no-auth mode. Added by fastify-screen-auth.
     */
    screenUser: ScreenUser | null
  }
  interface FastifyContextConfig {
    /** `false` makes this route public. Any other value, or none, leaves it guarded. */
    screenAuth?: boolean
  }
}

/** Adds `request.screenUser` and `app.screenAuth`, and nothing else. */
export function decorate(app: FastifyInstance, tokens: TokenService): void {
  app.decorateRequest('screenUser', null)
  app.decorate('screenAuth', {
    issueToken: user => tokens.issue(toUser(user, 'issueToken must be given'), null),
    verifyToken: token => tokens.verify(token, null)
  })
}
