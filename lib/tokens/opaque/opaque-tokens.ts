import type { FastifyRequest } from 'fastify'
import pTimeout from 'p-timeout'
import {
  checkGroup,
  checkLifetime,
  checkOption,
  checkTime,
  InvalidAnswerError,
  isCount,
  isFunction,
  isTime,
  LONGEST_TIME,
  type ScreenUser,
  TokenStoreError
} from '../../shared/index.ts'
import type { TokenStore } from '../stores/token-store.ts'
import { type TokenService, toUser, trust } from '../token-service.ts'
import { isToken, Sessions } from './sessions.ts'

/** How {@link opaqueTokens} keeps its sessions. All times are whole seconds. */
export interface OpaqueTokensOptions {
  /** `redisStore(client)`, a Keyv, or what has its `get`, `set` with a TTL and `delete`. Required. */
  store: TokenStore
  /** How long a token is valid after the login; with `maxLifetime`, after its last use. Default: 86,400 (24 hours). */
  lifetime?: number | undefined
  /**
   * Makes each use renew the token, until so long after the login. A tenth of `lifetime` must have passed since the
   * last renewal. Default: `lifetime`, so that nothing is renewed.
   */
  maxLifetime?: number | undefined
  /**
   * How long a session is believed without a word of the store; 0 asks with every request. **A revocation holds in every
   * process after so long at the latest**, and at once in the one that revoked. With a store that reports its changes it
   * holds as soon as the report is there, unless the connection is silent without being closed. Default: 3 if the store
   * has `onChange`, else 0.
   */
  cache?: number | undefined
  /** How long the store may take for one token, then it counts as down. Default: 2. */
  timeout?: number | undefined
}

/** Tokens that can be revoked. Pass it as the option `tokens`. */
export interface OpaqueTokens extends TokenService {
  /** Starts a session. */
  issue(user: ScreenUser, request?: FastifyRequest | null): Promise<string>
  /** Returns the user of a session, or null; a promise unless the session is remembered. */
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

/**
 * Makes opaque tokens: each has 256 random bits, and its session is in a store that all processes share. Unlike a JWT it
 * can be revoked. With a store that reports its changes, as `redisStore` does, a session that this process has read is
 * believed until a change of it is reported: then a guarded request asks nobody, and a revocation holds everywhere within
 * milliseconds. A store that does not is asked with every request, or as `cache` says.
 *
 * The store is given SHA-256 of the token, the user, the times, and for `revokeAll` a random mark under SHA-256 of the
 * username; never the token. It must not evict before the TTL is over (Redis: `maxmemory-policy noeviction`, its
 * default), or a revoked session could come back. While the store fails, guarded requests and logins are a 503.
 *
 * @returns a token service for the option `tokens`
 * @throws `FST_SCREEN_AUTH_INVALID_OPTION` when an option is wrong
 *
 * @example
 * const tokens = opaqueTokens({ store: redisStore(redis), lifetime: 3600 })
 * await app.register(screenAuth, { tokens, checkCredentials, mainMenu })
 * app.post('/auth/logout', async (request, reply) => {
 *   await tokens.revoke(bearerToken(request))
 *   return reply.code(204).send()
 * })
 */
export function opaqueTokens(options: OpaqueTokensOptions): OpaqueTokens {
  const { store, lifetime, maxLifetime, cache, timeout } = checkOptions(options)
  const times = { lifetime: lifetime * 1000, maxLifetime: maxLifetime * 1000, cache: cache * 1000 }
  const sessions = new Sessions(store, times)
  const fallback = () => {
    throw new TokenStoreError(`took longer than ${timeout} s`)
  }
  const inTime = <T>(result: Promise<T>) =>
    pTimeout(result.catch(fail), { milliseconds: timeout * 1000, fallback })

  return trust({
    // Async, so that what is no user is a rejection too.
    issue: async user => inTime(sessions.start(toUser(user, 'tokens.issue must be given'))),
    verify: token => sessions.recall(token) ?? (isToken(token) ? inTime(sessions.find(token)) : null),
    async revoke(token) {
      if (isToken(token)) await inTime(sessions.end(token))
    },
    revokeAll: username => inTime(sessions.endAll(username))
  })
}

function fail(cause: unknown): never {
  throw cause instanceof InvalidAnswerError ? cause : new TokenStoreError('failed', { cause })
}

function checkOptions(options: OpaqueTokensOptions) {
  checkGroup(options, 'opaqueTokens', ['store', 'lifetime', 'maxLifetime', 'cache', 'timeout'])
  const { store, lifetime = 86_400, maxLifetime = lifetime, timeout = 2 } = options
  checkOption(
    [store?.get, store?.set, store?.delete].every(isFunction),
    'opaqueTokens.store',
    'must be a Keyv, redisStore(client), or an object with the functions get, set and delete'
  )
  for (const name of ['onChange', 'ping'] as const) {
    const isRight = store[name] === undefined || isFunction(store[name])
    checkOption(isRight, 'opaqueTokens.store', `must have a function \`${name}\`, or none`)
  }
  const { cache = store.onChange ? 3 : 0 } = options
  checkLifetime(lifetime, 'opaqueTokens.lifetime')
  checkOption(
    isCount(maxLifetime) && maxLifetime >= lifetime,
    'opaqueTokens.maxLifetime',
    'must be a whole number of seconds, `lifetime` or more'
  )
  checkOption(
    cache === 0 || isTime(cache),
    'opaqueTokens.cache',
    `must be a whole number of seconds from 0 to ${LONGEST_TIME}`
  )
  checkTime(timeout, 'opaqueTokens.timeout')
  return { store, lifetime, maxLifetime, cache, timeout }
}
