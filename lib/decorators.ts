import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Credentials, type Reauthentication, reauthenticate } from './login/index.ts'
import {
  InvalidAnswerError,
  NoUserError,
  networkOf,
  rootOf,
  type ScreenUser,
  SeveralScopesError
} from './shared/index.ts'
import { type TokenService, toUser, type VerifyOptions } from './tokens/index.ts'

/**
 * What `app.screenAuth` offers, for instance to a host's tests or to its WebSocket.
 *
 * The root instance has it too when the plugin is registered in a scope; when it is registered in several, ask that of
 * the scope: on the root all but `userOf` then throw `FST_SCREEN_AUTH_SEVERAL_SCOPES`.
 */
export interface ScreenAuth {
  /**
   * The user of a guarded request: `request.screenUser` that is never null.
   *
   * @throws `FST_SCREEN_AUTH_NO_USER` (500) on a public route and in the no-auth mode
   * @example
   * app.get('/screen/orders', async request => ordersOf(app.screenAuth.userOf(request).username))
   */
  userOf(request: FastifyRequest): ScreenUser
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
   * @param options `use: false` asks only whether it is good: a WebSocket that is merely open must not keep a session alive
   * @returns the user, or null when it is not valid, whatever it is; a promise when the host's token service returns one
   * @throws what the host's token service throws
   */
  verifyToken(token: string, options?: VerifyOptions): ScreenUser | null | Promise<ScreenUser | null>
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
   * @param username in any of the spellings that `throttle.nameOf` takes for the same
   * @param request of the same tenant, for a `throttle.nameOf` that looks at it. Default: it is given null
   * @throws `FST_SCREEN_AUTH_THROTTLE_FAILED` (503) when the store fails; one made by `insuredStore` does not, and then
   * only this process has forgotten them
   */
  forgetNetworks(username: string, request?: FastifyRequest): Promise<void>
  /**
   * Forgets failed logins, so that somebody who is locked out can try again: those of a username, wherever they came from,
   * those of an address, or both. With a shared store that holds for every server.
   *
   * @param who at least one of the two, spelt as it may be entered in the login form
   * @param request of the same tenant, as for `forgetNetworks`
   * @throws `FST_SCREEN_AUTH_INVALID_ANSWER` when neither is given, or something else
   * @throws `FST_SCREEN_AUTH_THROTTLE_FAILED` (503) as `forgetNetworks` does
   * @example
   * await app.screenAuth.unlock({ username: 'ada', address: '192.0.2.1' })
   */
  unlock(who: { username?: string; address?: string }, request?: FastifyRequest): Promise<void>
}

declare module 'fastify' {
  interface FastifyInstance {
    /** What the login offers to the host. Added by fastify-screen-auth. */
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
 * Adds `request.screenUser` and `app.screenAuth` to the scope, and the latter to the root, and nothing else.
 *
 * @param credentials null in the no-auth mode
 */
export function decorate(app: FastifyInstance, tokens: TokenService, credentials: Credentials | null): void {
  const throttle = credentials?.limits.throttle
  const screenAuth: ScreenAuth = {
    userOf,
    issueToken: user => tokens.issue(toUser(user, 'issueToken must be given'), null),
    // What a WebSocket was sent can be anything.
    verifyToken: (token, options) => (typeof token === 'string' ? tokens.verify(token, null, options) : null),
    reauthenticate: (request, password) => reauthenticate(credentials, request, password),
    forgetNetworks: async (username, request) => throttle?.forgetNetworks(username, request ?? null),
    unlock: async (who, request) => throttle?.unlock(toOwner(who), request ?? null)
  }
  app.decorateRequest('screenUser', null)
  app.decorate('screenAuth', screenAuth)

  // A host's tests hold the root, and not the scope of an autoloaded file.
  const root = rootOf(app)
  if (root !== app) root.screenAuth = Object.hasOwn(root, 'screenAuth') ? OF_SEVERAL_SCOPES : screenAuth
}

function userOf({ screenUser }: FastifyRequest): ScreenUser {
  if (!screenUser) throw new NoUserError()
  return screenUser
}

/** @throws InvalidAnswerError when it names nobody: else a misspelt name would unlock nobody without a word */
function toOwner(who: { username?: string; address?: string }): { username?: string; address?: string } {
  const { username, address, ...others } = Object(who) as Record<string, unknown>
  const given = [username, address].filter(one => one !== undefined)
  const isRight = given.length > 0 && given.every(one => typeof one === 'string') && isAddress(address)
  if (isRight && Object.keys(others).length === 0) return who
  throw new InvalidAnswerError(
    'unlock must be given { username, address }, or one of the two: a name and an IP address'
  )
}

function isAddress(address: unknown): boolean {
  return address === undefined || address === 'unknown' || networkOf(String(address)) !== 'unknown'
}

/** What the root has when the plugin is registered in several scopes: it cannot know which of them is meant. */
const OF_SEVERAL_SCOPES: ScreenAuth = {
  userOf,
  issueToken: throwSeveralScopes,
  verifyToken: throwSeveralScopes,
  reauthenticate: async () => throwSeveralScopes(),
  forgetNetworks: async () => throwSeveralScopes(),
  unlock: async () => throwSeveralScopes()
}

function throwSeveralScopes(): never {
  throw new SeveralScopesError()
}
