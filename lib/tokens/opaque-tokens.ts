import { randomBytes } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import pTimeout from 'p-timeout'
import {
  checkGroup,
  checkLifetime,
  checkOption,
  checkTime,
  isCount,
  isFunction,
  type ScreenUser,
  TokenStoreError
} from '../shared/index.ts'
import { CheckedStore, type TokenStore } from './checked-store.ts'
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
  /** Returns the user of a session, or null; a promise unless the session is cached. */
  verify(token: string, request?: FastifyRequest | null): ScreenUser | null | Promise<ScreenUser | null>
  /**
   * Ends the session of one token, in all processes that share the store. Does nothing for something that is no token.
   *
   * @throws `FST_SCREEN_AUTH_TOKEN_STORE_FAILED` when that is not sure: the session may go on
   */
  revoke(token: string | null): Promise<void>
  /**
   * Ends all sessions that the user has. A login at the same moment may be ended too, or go on if its token is issued
   * later.
   *
   * @throws `FST_SCREEN_AUTH_TOKEN_STORE_FAILED` when that is not sure: the sessions may go on
   */
  revokeAll(username: string): Promise<void>
}

/** 256 bits as Base64url. */
const TOKEN = /^[\w-]{43}$/

/**
 * Makes opaque tokens: 256 random bits, whose session is in a store that all processes share. Unlike a JWT they can be
 * revoked, at the price of asking the store with every request.
 *
 * The store is given SHA-256 of the token, the user, the times, and for `revokeAll` a random mark under SHA-256 of the
 * username; never the token. It must not evict before the TTL is over (Redis: `maxmemory-policy noeviction`, its
 * default), or a revoked session could come back. While the store fails, guarded requests and logins are a 503.
 *
 * @returns a token service for the option `tokens`
 * @throws `FST_SCREEN_AUTH_INVALID_OPTION` when an option is wrong
 *
 * @example
 * // Without this option, node-redis queues commands without a bound while Redis is down.
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
  const sessions = new Sessions(new CheckedStore(store), {
    lifetime: lifetime * 1000,
    longest: maxLifetime * 1000,
    cache: cache * 1000
  })
  const fallback = () => {
    throw new TokenStoreError(`took longer than ${timeout} s`)
  }
  const inTime = <T>(result: Promise<T>) => pTimeout(result, { milliseconds: timeout * 1000, fallback })

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

/** Whether it can be a token. A host may pass on anything, and an array of one token matches too. */
function isToken(token: unknown): token is string {
  return typeof token === 'string' && TOKEN.test(token)
}

function checkOptions(options: OpaqueTokensOptions) {
  checkGroup(options, 'opaqueTokens', ['store', 'lifetime', 'maxLifetime', 'cache', 'timeout'])
  const { store, lifetime = 86_400, maxLifetime = lifetime, cache = 0, timeout = 2 } = options
  checkOption(
    [store?.get, store?.set, store?.delete].every(isFunction),
    'opaqueTokens.store',
    'must be a Keyv, or an object with the functions get, set and delete'
  )
  checkLifetime(lifetime, 'opaqueTokens.lifetime')
  checkOption(
    isCount(maxLifetime) && maxLifetime >= lifetime,
    'opaqueTokens.maxLifetime',
    'must be a whole number of seconds, `lifetime` or more'
  )
  checkOption(
    cache === 0 || isCount(cache),
    'opaqueTokens.cache',
    'must be a whole number of seconds, 0 or greater'
  )
  checkTime(timeout, 'opaqueTokens.timeout')
  return { store, lifetime, maxLifetime, cache, timeout }
}
