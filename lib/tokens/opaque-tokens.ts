import { randomBytes } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { TokenStoreError } from '../shared/errors.ts'
import {
  demand,
  demandLifetime,
  demandSettings,
  demandTime,
  isCount,
  isFunction
} from '../shared/option-rules.ts'
import type { ScreenUser } from '../shared/user.ts'
import { within } from '../shared/within.ts'
import { LoudStore, type TokenStore } from './session-store.ts'
import { Sessions, sha256 } from './sessions.ts'
import { type TokenService, toUser } from './token-service.ts'

/** How {@link opaqueTokens} keeps its sessions. All times are whole seconds. */
export interface OpaqueTokensOptions {
  /** A Keyv, or what has its `get`, `set` with a TTL and `delete`. Required. */
  store: TokenStore
  /** How long a token is valid after the login; with `maxLifetime`, after its last use. Default: 86,400 (24 hours). */
  lifetime?: number | undefined
  /**
   * Makes each use renew the token, until so long after the login. A tenth of `lifetime` must have passed since the
   * last renewal. Default: `lifetime`, so that nothing is renewed.
   */
  maxLifetime?: number | undefined
  /**
   * How long a token that was found valid is believed without asking the store. **So long after a revocation it is sure
   * to hold everywhere**; in the process that revoked it holds at once. Default: 0, which asks with every request.
   */
  cache?: number | undefined
  /** How long the store may take for one token, then it counts as down. Default: 2. */
  timeout?: number | undefined
}

/** Tokens that can be revoked. Pass it as the option `tokens`. */
export interface OpaqueTokens extends TokenService {
  /** Starts a session. */
  issue(user: ScreenUser, request?: FastifyRequest | null): Promise<string>
  /** The user of a session, or null; a promise unless the answer is cached. */
  verify(token: string, request?: FastifyRequest | null): ScreenUser | null | Promise<ScreenUser | null>
  /**
   * Ends the session of one token, in all processes that share the store. What is no token has none.
   *
   * @throws `FST_SCREEN_AUTH_TOKEN_STORE_FAILED` when that is not sure: the session may go on
   */
  revoke(token: string | null): Promise<void>
  /**
   * Ends all sessions that the user has. A login that is going on meanwhile may be ended, too, or go on if its token is
   * issued later.
   *
   * @throws `FST_SCREEN_AUTH_TOKEN_STORE_FAILED` when that is not sure: the sessions may go on
   */
  revokeAll(username: string): Promise<void>
}

/** 256 bits as Base64url. */
const TOKEN = /^[\w-]{43}$/

/**
 * Tokens that say nothing: 256 random bits, and the session behind them is in a store that all processes share. Unlike a
 * JWT they can be revoked, at the price of asking the store with every request.
 *
 * The store is given SHA-256 of the token, the user, the times, and for `revokeAll` a random mark under SHA-256 of the
 * username; never the token. It must not evict before the TTL is over (Redis: `maxmemory-policy noeviction`, its
 * default), or a revoked session could come back. While the store fails, guarded requests are answered 503 and logins
 * refused.
 *
 * @throws `FST_SCREEN_AUTH_INVALID_OPTION` when an option is wrong
 *
 * @example
 * // Without the option the client would keep what is asked in an outage until Redis is back, without a bound.
 * const redis = await createClient({ url: 'redis://127.0.0.1:6379', disableOfflineQueue: true }).connect()
 * const tokens = opaqueTokens({ store: createKeyv(redis), lifetime: 3600 })
 * await app.register(screenAuth, { tokens, checkCredentials, mainMenu })
 * app.post('/auth/logout', async (request, reply) => {
 *   await tokens.revoke(bearerToken(request))
 *   return reply.code(204).send()
 * })
 */
export function opaqueTokens(options: OpaqueTokensOptions): OpaqueTokens {
  const { store, lifetime, maxLifetime, cache, timeout } = checkOptions(options)
  const sessions = new Sessions(new LoudStore(store), {
    lifetime: lifetime * 1000,
    longest: maxLifetime * 1000,
    cache: cache * 1000
  })
  const inTime = <T>(answer: Promise<T>) =>
    within(timeout, answer, () => new TokenStoreError(`took longer than ${timeout} s`))

  return {
    async issue(user) {
      const token = randomBytes(32).toString('base64url')
      await inTime(sessions.start(sha256(token), toUser(user, 'tokens.issue must be given')))
      return token
    },
    verify(token) {
      if (!isToken(token)) return null
      const id = sha256(token)
      return sessions.recall(id) ?? inTime(sessions.find(id))
    },
    async revoke(token) {
      if (isToken(token)) await inTime(sessions.end(sha256(token)))
    },
    revokeAll: username => inTime(sessions.endAll(username))
  }
}

/** Whether it can be a token. What a host passes on may be anything, and an array of one token reads like one. */
function isToken(token: unknown): token is string {
  return typeof token === 'string' && TOKEN.test(token)
}

function checkOptions(options: OpaqueTokensOptions) {
  demandSettings(options, 'opaqueTokens', ['store', 'lifetime', 'maxLifetime', 'cache', 'timeout'])
  const { store, lifetime = 86_400, maxLifetime = lifetime, cache = 0, timeout = 2 } = options
  demand(
    [store?.get, store?.set, store?.delete].every(isFunction),
    'opaqueTokens.store',
    'must be a Keyv, or an object with the functions get, set and delete'
  )
  demandLifetime(lifetime, 'opaqueTokens.lifetime')
  demand(
    isCount(maxLifetime) && maxLifetime >= lifetime,
    'opaqueTokens.maxLifetime',
    'must be a whole number of seconds, `lifetime` or more'
  )
  demand(
    cache === 0 || isCount(cache),
    'opaqueTokens.cache',
    'must be a whole number of seconds, 0 or greater'
  )
  demandTime(timeout, 'opaqueTokens.timeout')
  return { store, lifetime, maxLifetime, cache, timeout }
}
