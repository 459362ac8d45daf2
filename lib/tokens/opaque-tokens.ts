import { randomBytes, randomUUID } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { InvalidAnswerError, TokenStoreError, WrongArgumentError } from '../base/errors.ts'
import { printable, publish } from '../base/events.ts'
import { type AnyRequest, areOptions } from '../base/http.ts'
import { withTimeout } from '../base/promises.ts'
import { sha256 } from '../base/texts.ts'
import { checkUser, type ScreenUser, toScreenUser } from '../base/user.ts'
import { warnOnce } from '../base/warnings.ts'
import { checkOpaqueOptions, type OpaqueTokensOptions, type SessionTimes, timesOf } from './opaque-options.ts'
import { issuersInUse, type TokenService, trust, type VerifyOptions } from './token-service.ts'

/** Issues tokens that can be revoked. Pass the service as the option `tokens`. */
export interface OpaqueTokens extends TokenService {
  /**
   * Creates a session.
   *
   * @param request goes into the property `request` of the session's event
   * @param times the times of this session, which the store keeps. Default: the times of the service
   * @throws `FST_SCREEN_AUTH_INVALID_OPTION` when the times are invalid
   * @example
   * const issue = (user, request) => tokens.issue(user, request, wantsToStay(request) ? { lifetime: 30 * 86_400 } : {})
   */
  issue(user: ScreenUser, request?: AnyRequest | null, times?: SessionTimes): Promise<string>
  /**
   * Resolves with the user of a token, or null.
   *
   * @throws `FST_SCREEN_AUTH_WRONG_ARGUMENT` when the options are in place of the request, which may be null
   * @throws `FST_SCREEN_AUTH_TOKEN_STORE_FAILED` when the store fails or times out, or 1,000 other tokens wait for it
   */
  verify(token: string, request?: AnyRequest | null, options?: VerifyOptions): Promise<ScreenUser | null>
  /**
   * Returns the id of a token's session. It grants no access, so you may store it, but it suffices for `revokeById`.
   *
   * @returns null if the value does not have the format of a token. Does not check the session
   */
  idOf(token: string | null): string | null
  /**
   * Revokes the session of one token: no process that shares the store accepts it in a request that arrives after this
   * function has resolved. Does nothing for null, or a session that has ended.
   *
   * @throws `FST_SCREEN_AUTH_WRONG_ARGUMENT`, a TypeError, when the value is not a token, for instance a username
   * @throws `FST_SCREEN_AUTH_TOKEN_STORE_FAILED` when the store fails or times out: the session may still be valid
   */
  revoke(token: string | null): Promise<void>
  /**
   * Revokes the session with this id, as `revoke` does. First check that the session belongs to the user: a client may
   * send any id. Does nothing for text that is neither an id nor a token.
   *
   * @throws as `revoke`
   */
  revokeById(id: string | null): Promise<void>
  /**
   * Revokes all sessions of a user, as `revoke` does. The session of a concurrent login may or may not be revoked.
   *
   * @param username the username that `checkCredentials` returned
   * @throws as `revoke`; `FST_SCREEN_AUTH_WRONG_ARGUMENT` when the value is no string, empty, a token or a session's id
   */
  revokeAll(username: string): Promise<void>
}

/** A session in the store. All times are milliseconds. */
interface Session extends ScreenUser {
  /** Also the key, so that the reply to another command is no session. */
  id: string
  issued: number
  /** The latest end: a use renews the session only until then. */
  expires: number
  /** Milliseconds that may pass between two uses. Absent if only `expires` limits the session. */
  lifetime?: number
  /** Whether the caller of `issue` set the times, so that those of the service do not limit them. */
  isOwn: boolean
  /** The user's generation at the login; null if `revokeAll` was never called for the user. */
  generation: string | null
}

/**
 * Both begin with the same word, because a store in memory drops the oldest value of one kind of key: a generation then
 * stays for longer than the sessions that it ends. No key contains a token or a username.
 */
const SESSION = 'screen_auth_opaque:'
const GENERATION = 'screen_auth_opaque:generation:'

/** Milliseconds: 30 days more than the longest session, so that no slow clock restores a revoked one. */
const GENERATION_TTL = 430 * 86_400_000

/** Characters of the owner id. 43 random characters follow it. */
const OWNER_LENGTH = 24
const TOKEN = /^[\w-]{67}$/
const ID = /^[\w-]{43}$/

/** The number of tokens that may wait for the store: one that hangs must not fill the memory. */
const MAX_WAITING = 1000

// `revokeAll` stores a new generation for the user, which ends all earlier sessions: a list of sessions could miss one. A
// login reads the generation before it stores the session, so its session is valid or not, depending on which of the two
// comes first. A token begins with the owner id of its user, so that session and generation are read together.

/**
 * Creates a service for opaque tokens. Each token has 256 random bits, and its session is in a store that all processes
 * share. Unlike a JWT, an opaque token can be revoked: each request reads its session from the store, in one round trip.
 *
 * The store never contains a token, only its SHA-256. It must not evict the entry of a `revokeAll`, or a revoked session
 * could become valid again. While the store fails, the response to guarded requests and logins is a 503.
 *
 * @returns a token service for the option `tokens`
 * @throws `FST_SCREEN_AUTH_INVALID_OPTION` when an option is invalid
 *
 * @example
 * const tokens = opaqueTokens({ store: redisStore(redis, { prefix: 'shop:' }), lifetime: 3600 })
 * await app.register(screenAuth, { tokens, checkCredentials, mainMenu })
 * app.post('/auth/logout', async request => tokens.revoke(bearerToken(request)))
 */
export function opaqueTokens(options: OpaqueTokensOptions = {}): OpaqueTokens {
  const settings = checkOpaqueOptions(options)
  const { store, timeout } = settings
  /** When this process renewed a session: further uses need no write until a tenth of the lifetime has passed. */
  const renewed = new LRUCache<string, number>({ max: 10_000 })
  let waiting = 0

  function inTime<T>(call: () => Promise<T>): Promise<T> {
    const onTimeout = () => new TokenStoreError(`took longer than ${timeout} s`)
    return withTimeout(call().catch(throwStoreError), timeout * 1000, onTimeout)
  }

  /** A store of the host may return a promise or not, and undefined for no value. */
  const get = async (key: string): Promise<unknown> => (await store.get(key)) ?? null

  async function userOf(token: string, isUse: boolean): Promise<ScreenUser | null> {
    const id = sha256(token)
    // On a connection that has lost a reply, the session is another one. The generation, read first, may be null.
    const [generation, stored] = await Promise.all([ownerGenerationKey(token), SESSION + id].map(get))
    if (stored === null) return null
    const session = stored as Session
    const user = toScreenUser(session)
    const rule = 'the store of the tokens must return the values that were set'
    if (session.id !== id || user === null) throw new InvalidAnswerError(rule)
    // The store drops a generation when all sessions that it ended are too old.
    if (generation !== null && generation !== session.generation) return null
    const { isOwn, issued, expires, lifetime } = session
    // The current settings apply too, if they are shorter.
    const limits = isOwn ? { lifetime: Infinity, maxLifetime: Infinity } : settings
    const left = Math.min(expires, issued + limits.maxLifetime * 1000) - Date.now()
    if (!(left > 0)) return null
    if (isUse && lifetime !== undefined) renew(id, Math.min(lifetime, limits.lifetime * 1000), left)
    return user
  }

  /** Moves the end of a session, in the background. After a failure, the next use tries again. */
  async function renew(id: string, lifetime: number, left: number): Promise<void> {
    // Negative if the clock was set back.
    const passed = Date.now() - (renewed.get(id) ?? -Infinity)
    if (passed >= 0 && passed < lifetime / 10) return
    renewed.set(id, Date.now())
    try {
      await store.touch(SESSION + id, Math.min(lifetime, left))
    } catch {
      renewed.delete(id)
    }
  }

  /** Without an `await`, an error must not end the process, because a client may have sent the argument. */
  function revocation<T>(revoke: (value: T) => Promise<void>) {
    return (value: T): Promise<void> => {
      if (!options.store && !issuersInUse.has(settings))
        warnOnce('an unused `opaqueTokens()` cannot revoke a session; use the one of the plugin')
      const done = revoke(value)
      done.catch(({ message }: Error) => warnOnce(`a revocation failed; await each, and handle its error: ${message}`))
      return done
    }
  }

  const end = (id: string) =>
    inTime(async () => {
      // Read before the delete, but awaited later: the revocation must not depend on the event.
      const found = get(SESSION + id).catch(() => null)
      await store.delete(SESSION + id)
      found.then(publishEnded)
    })

  // No function uses `this`: a host may call them without it.
  return trust([options.store ?? settings], {
    async issue(given, request = null, times = {}) {
      issuersInUse.add(settings)
      const user = checkUser(given, 'tokens.issue')
      const { lifetime, maxLifetime, isOwn } = timesOf(request, times, settings)
      const token = ownerOf(user.username) + randomBytes(32).toString('base64url')
      const [id, issued] = [sha256(token), Date.now()]
      const expires = issued + maxLifetime * 1000
      const idle = lifetime < maxLifetime && { lifetime: lifetime * 1000 }
      await inTime(async () => {
        const generation = await get(ownerGenerationKey(token))
        await store.set(SESSION + id, { ...user, id, issued, expires, ...idle, isOwn, generation }, lifetime * 1000)
      })
      publish('session', { outcome: 'started', username: printable(user.username), id, expires }, { request, user })
      return token
    },
    async verify(token, request, options) {
      issuersInUse.add(settings)
      if (areOptions(request, ['use']))
        throw new WrongArgumentError('tokens.verify takes the options after the request, which may be null')
      if (!isToken(token)) return null
      if (waiting >= MAX_WAITING) throw new TokenStoreError(`has not yet replied to ${MAX_WAITING} reads`)
      waiting++
      return inTime(() => userOf(token, options?.use !== false).finally(() => waiting--))
    },
    idOf(token) {
      // No error, because a client may have sent the value.
      if (token !== null && (typeof token !== 'string' || token.includes(' ')))
        warnOnce('tokens.idOf got a value that is no token, such as a whole header or a request')
      return isToken(token) ? sha256(token) : null
    },
    revoke: revocation(async token => {
      if (token === null) return
      if (!isToken(token)) throw wrongArgument('revoke takes a token')
      await end(sha256(token))
    }),
    revokeById: revocation(async id => {
      if (id !== null && (typeof id !== 'string' || isToken(id))) throw wrongArgument('revokeById takes an id')
      if (id !== null && ID.test(id)) await end(id)
    }),
    revokeAll: revocation(async username => {
      const isName = typeof username === 'string' && username !== '' && !TOKEN.test(username)
      // A username may look like an id.
      const isSession = isName && ID.test(username) && (await inTime(() => get(SESSION + username))) !== null
      if (!isName || isSession) throw wrongArgument('revokeAll takes a username')
      await inTime(async () => store.set(ownerGenerationKey(ownerOf(username)), randomUUID(), GENERATION_TTL))
      publish('session', { outcome: 'all-ended', username: printable(username) }, { user: { username } })
    })
  })
}

function publishEnded(stored: unknown): void {
  const user = toScreenUser(stored)
  const { id, expires } = Object(stored) as Session
  if (user) publish('session', { outcome: 'ended', username: printable(user.username), id, expires }, { user })
}

function wrongArgument(text: string): Error {
  const others = 'use revoke for a token, revokeById for an id, and revokeAll for a username'
  return new WrongArgumentError(`tokens.${text}; ${others}`)
}

function throwStoreError(cause: unknown): never {
  throw cause instanceof InvalidAnswerError ? cause : new TokenStoreError('failed', { cause })
}

/** Checks the type too, because an array of one token matches the pattern. */
const isToken = (token: unknown): token is string => typeof token === 'string' && TOKEN.test(token)

const ownerOf = (username: string) => sha256(username).slice(0, OWNER_LENGTH)
const ownerGenerationKey = (text: string) => GENERATION + text.slice(0, OWNER_LENGTH)
