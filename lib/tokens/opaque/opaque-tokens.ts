import { hash, randomBytes, randomUUID } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import {
  InvalidAnswerError,
  LONGEST_LIFETIME,
  LONGEST_TIME,
  printable,
  publish,
  type ScreenUser,
  TokenStoreError,
  toScreenUser,
  WrongArgumentError,
  withTimeout
} from '../../shared/index.ts'
import { checkedStore, GENERATION, LAST_USE, LONG_OWNER, SESSION, type TokenStore } from '../stores/token-store.ts'
import { isRequest, type TokenService, toUser, trust, type VerifyOptions } from '../token-service.ts'
import {
  checkOptions,
  type OpaqueTokensOptions,
  type OpaqueTokensSettings,
  type SessionTimes,
  type Times,
  timesOf
} from './options.ts'
import { type CachedSession, SessionCache } from './session-cache.ts'

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
  issue(user: ScreenUser, request?: FastifyRequest | null, times?: SessionTimes): Promise<string>
  /** Returns the user of a token, or null. Returns a promise if the store must be read. */
  verify(token: string, options: VerifyOptions): ScreenUser | null | Promise<ScreenUser | null>
  verify(
    token: string,
    request?: FastifyRequest | null,
    options?: VerifyOptions
  ): ScreenUser | null | Promise<ScreenUser | null>
  /**
   * Returns the id of a token's session, which is its key in the store. The id grants no access, so you may store it,
   * but it suffices to revoke the session.
   *
   * @returns null if the value does not have the format of a token. Does not check the session
   */
  idOf(token: string | null): string | null
  /**
   * Revokes the session of one token, in all processes that share the store. Does nothing for null.
   *
   * @throws `FST_SCREEN_AUTH_WRONG_ARGUMENT`, a TypeError, when the value is not a token, for instance a username
   * @throws `FST_SCREEN_AUTH_TOKEN_STORE_FAILED` when the store fails or times out: the session may still be valid
   */
  revoke(token: string | null): Promise<void>
  /**
   * Revokes the session with this id, as `revoke` does. First check that the session belongs to the user: a client may
   * send any id.
   *
   * @throws as `revoke`
   */
  revokeById(id: string | null): Promise<void>
  /**
   * Revokes all sessions of a user. The session of a concurrent login may or may not be revoked.
   *
   * @param username the username that `checkCredentials` returned
   * @throws as `revoke`
   */
  revokeAll(username: string): Promise<void>
}

/**
 * Creates a service for opaque tokens. Each token has 256 random bits, and all processes share a store with the
 * sessions. Unlike a JWT, an opaque token can be revoked. If the store reports its changes, as `redisStore` does, each
 * process caches every session that it reads, and drops the session when the store reports a change. A guarded request
 * then needs no read, and a revocation takes effect in every process within milliseconds. Any other store is read on
 * every request, unless `cache` is set.
 *
 * The store never contains the token. It keeps the user and the lifetime of each session under the SHA-256 of the
 * token. For each user with `revokeAll`, it keeps a random value under part of the SHA-256 of the username. The store
 * must not evict a key before its TTL, or a revoked session could become valid again. Redis evicts no keys by default
 * (`maxmemory-policy noeviction`). While the store fails, the server responds to guarded requests and logins with 503.
 *
 * @returns a token service for the option `tokens`
 * @throws `FST_SCREEN_AUTH_INVALID_OPTION` when an option is invalid
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
  return trust(new Sessions(checkOptions(options)))
}

/** A session in the store, without the user. Its key contains the hash of the token. */
interface SessionData {
  issued: number
  expires: number
  /** The user's generation at the login; null if `revokeAll` was never called for the user. */
  generation: string | null
  /** Milliseconds that may pass between two uses. Absent if only `expires` limits the session. */
  lifetime?: number
  isOwn?: true
}

type Session = SessionData & { user: ScreenUser }

/** Lengths in characters. A token is an owner id, followed by random characters. */
const OWNER_LENGTH = 24
const RANDOM_LENGTH = 43
const TOKEN = new RegExp(`^[\\w-]{${OWNER_LENGTH + RANDOM_LENGTH}}$`)
const ID = /^[\w-]{43}$/

/** The part of the lifetime that must pass before another use is recorded, so that not every use needs a write. */
const RENEWAL_FRACTION = 0.1

/** Extra milliseconds for which the store keeps a last use, so that a late read still finds it. */
const LAST_USE_MARGIN = 60_000

/**
 * The minimum TTL of a generation in milliseconds, some 24 days. A generation must outlive the sessions that it
 * revokes, even those of a process with a longer `maxLifetime`, or the sessions would become valid again. The value is
 * the longest `setTimeout`, which a store may use for expiry. Longer sessions belong to a second owner id of the user.
 * The store keeps a mark for this id, and the generation of this id, for ten years.
 */
const MIN_GENERATION_TTL = LONGEST_TIME * 1000

/**
 * Keeps sessions in a store, under the hashes of their tokens. The store has no transactions, so a stored session never
 * changes. The last use of a session has a separate key, so that a renewal cannot restore a revoked session.
 * `revokeAll` stores a new generation for the user, which invalidates all earlier sessions: a list of sessions could
 * miss one. A token begins with the owner id of its user, so that session and generation are read in parallel.
 */
class Sessions implements OpaqueTokens {
  readonly #store: TokenStore
  readonly #cache: SessionCache
  readonly #settings: OpaqueTokensSettings
  // In milliseconds.
  readonly #lifetime: number
  readonly #maxLifetime: number

  constructor(settings: OpaqueTokensSettings) {
    const { store, lifetime, maxLifetime, cache } = settings
    this.#settings = settings
    this.#store = checkedStore(store)
    this.#lifetime = lifetime * 1000
    this.#maxLifetime = maxLifetime * 1000
    // Ignores `ping` without `onChange`, because the store then reports no changes that a ping could confirm.
    const ping = store.onChange && store.ping && (() => store.ping?.())
    this.#cache = new SessionCache(cache * 1000, ping)
    store.onChange?.(key => this.#invalidate(key))
  }

  // Properties, not methods, because a host may call them without `this`, or replace them.
  issue = async (given: ScreenUser, request: FastifyRequest | null = null, times: SessionTimes = {}) => {
    const user = toUser(given, 'tokens.issue must be given')
    return this.#withTimeout(this.#create(user, request, timesOf(request, times, this.#settings)))
  }

  verify = (token: string, request?: FastifyRequest | VerifyOptions | null, options = request) => {
    const isUse = (options as VerifyOptions | null | undefined)?.use !== false || isRequest(options)
    return this.#cache.userOf(token, isUse) ?? (isToken(token) ? this.#withTimeout(this.#lookUp(token, isUse)) : null)
  }

  idOf = (token: string | null) => (isToken(token) ? sha256(token) : null)

  revoke = async (token: string | null) => {
    if (token === null) return
    if (!isToken(token)) throw new WrongArgumentError('revoke takes a token')
    await this.#withTimeout(this.#revoke(sha256(token)))
  }

  revokeById = async (id: string | null) => {
    if (id === null) return
    if (typeof id !== 'string' || !ID.test(id)) throw new WrongArgumentError('revokeById takes the id of a session')
    await this.#withTimeout(this.#revoke(id))
  }

  revokeAll = async (username: string) => {
    if (typeof username !== 'string' || username === '') throw new WrongArgumentError('revokeAll takes a username')
    await this.#withTimeout(this.#revokeAll(username))
  }

  #withTimeout<T>(result: Promise<T>): Promise<T> {
    const { timeout } = this.#settings
    const onTimeout = () => new TokenStoreError(`took longer than ${timeout} s`)
    return withTimeout(result.catch(throwStoreError), timeout * 1000, onTimeout)
  }

  async #create(user: ScreenUser, request: FastifyRequest | null, times: Times): Promise<string> {
    this.#cache.refresh()
    const { username } = user
    const [lifetime, maxLifetime] = [times.lifetime * 1000, times.maxLifetime * 1000]
    const isLong = maxLifetime > MIN_GENERATION_TTL
    const owner = ownerOf(username, isLong)
    const token = owner + randomBytes(32).toString('base64url')
    if (isLong) await this.#markLongOwner(owner)
    // Before the generation is read: a later `revokeAll` then stores a generation that expires after this session. If it
    // expired earlier, the revoked session would be valid again.
    const issued = Date.now()
    const generation = await this.#store.get(GENERATION + owner)
    checkStored(isGeneration(generation))
    const expires = issued + maxLifetime
    const data: SessionData = { issued, expires, generation }
    if (lifetime < maxLifetime) data.lifetime = lifetime
    if (times.isOwn) data.isOwn = true
    const id = sha256(token)
    await this.#store.set(SESSION + id, { ...user, ...data }, maxLifetime)
    publish('session', { outcome: 'started', username: printable(username), id, expires }, { request, user })
    return token
  }

  /**
   * Marks the owner of a long session. Throws if the store cannot keep the mark: it could not keep a generation either.
   */
  async #markLongOwner(longOwner: string): Promise<void> {
    await this.#store.set(LONG_OWNER + longOwner, true, LONGEST_LIFETIME * 1000)
    if ((await this.#store.get(LONG_OWNER + longOwner)) === null) {
      throw new Error('the store cannot keep a value for ten years, which a session of more than 24 days needs')
    }
  }

  async #lookUp(token: string, isUse: boolean): Promise<ScreenUser | null> {
    const id = sha256(token)
    const owner = token.slice(0, OWNER_LENGTH)
    const session = await this.#cache.load(token, id, owner, () => this.#read(id, owner, isUse))
    return session?.user ?? null
  }

  async #revoke(id: string): Promise<void> {
    // Reads before the delete, but awaits the session later: the revocation must not depend on the event.
    const session = this.#findForEvent(id).catch(() => null)
    try {
      await this.#store.delete(SESSION + id)
    } finally {
      this.#cache.invalidate(id)
    }
    session.then(found => {
      if (found === null) return
      const { user, expires } = found
      publish('session', { outcome: 'ended', username: printable(user.username), id, expires }, { user })
    })
  }

  async #revokeAll(username: string): Promise<void> {
    // A username may look like a token or an id.
    const id = isToken(username) ? sha256(username) : username
    const isSession = ID.test(id) && (await this.#store.get(SESSION + id)) !== null
    const longOwner = ownerOf(username, true)
    const hasLong = (await this.#store.get(LONG_OWNER + longOwner)) !== null
    await Promise.all([
      this.#changeGeneration(ownerOf(username, false), Math.max(this.#maxLifetime, MIN_GENERATION_TTL)),
      hasLong && this.#changeGeneration(longOwner, LONGEST_LIFETIME * 1000)
    ])
    publish('session', { outcome: 'all-ended', username: printable(username) }, { user: { username } })
    // Throws only after the revocation, because the value may be a username that looks like a token or an id.
    if (isSession) throw new WrongArgumentError('revokeAll takes a username')
  }

  async #changeGeneration(owner: string, ttl: number): Promise<void> {
    try {
      await this.#store.set(GENERATION + owner, randomUUID(), ttl)
    } finally {
      this.#cache.invalidateAll(owner)
    }
  }

  async #read(id: string, owner: string, isUse: boolean): Promise<CachedSession | null> {
    const readAt = Date.now()
    const getLastUse = () => this.#store.get(LAST_USE + id)
    const [stored, prefetched, generation] = await Promise.all([
      this.#store.get(SESSION + id),
      this.#maxLifetime > this.#lifetime ? getLastUse() : undefined,
      this.#store.get(GENERATION + owner)
    ])
    const session = toSession(stored)
    checkStored(isGeneration(generation))
    if (session === null || (generation !== null && generation !== session.generation)) return null

    const { user, issued, lifetime, end } = this.#effectiveTimes(session)
    const isRenewable = issued + lifetime < end
    const lastUse = isRenewable && prefetched === undefined ? await getLastUse() : prefetched
    // A connection out of step returns the replies of other requests.
    const isOwner = [false, true].some(isLong => ownerOf(user.username, isLong) === owner)
    checkStored(isOwner && (lastUse == null || isNumber(lastUse)))
    const used = isRenewable ? (lastUse ?? issued) : issued
    const idleEnd = Math.min(end, used + lifetime)
    // Compares `idleEnd` with the time of the read, because another process may have renewed the session since then. No
    // renewal can extend `end`.
    if (idleEnd <= readAt || end <= Date.now()) return null
    const { expires } = session
    if (idleEnd === end) return { user, refreshAt: end, idleEnd, expires }

    const isRenewed = isUse && readAt - used >= lifetime * RENEWAL_FRACTION
    // In the background, so that the request does not wait for the write.
    if (isRenewed) this.#recordUse(id, readAt, Math.min(lifetime, end - readAt) + LAST_USE_MARGIN)
    const refreshAt = Math.min((isRenewed ? readAt : used) + lifetime * RENEWAL_FRACTION, end)
    return { user, refreshAt, idleEnd, expires }
  }

  /** The times of a session. Unless the caller of `issue` passed times, the current settings apply too, if shorter. */
  #effectiveTimes({ user, issued, expires, lifetime = Infinity, isOwn }: Session) {
    if (isOwn) return { user, issued, lifetime, end: expires }
    return {
      user,
      issued,
      lifetime: Math.min(lifetime, this.#lifetime),
      end: Math.min(expires, issued + this.#maxLifetime)
    }
  }

  async #recordUse(id: string, used: number, ttl: number): Promise<void> {
    try {
      await this.#store.set(LAST_USE + id, used, ttl)
    } catch {
      // The next use reads from the store again, and retries the write.
      this.#cache.invalidate(id)
    }
  }

  /** @param key null if any key may have changed */
  #invalidate(key: string | null): void {
    if (key === null) this.#cache.clear()
    else if (key.startsWith(SESSION)) this.#cache.invalidate(key.slice(SESSION.length))
    else if (key.startsWith(GENERATION)) this.#cache.invalidateAll(key.slice(GENERATION.length))
  }

  async #findForEvent(id: string): Promise<Pick<Session, 'user' | 'expires'> | null> {
    return this.#cache.findStale(id) ?? toSession(await this.#store.get(SESSION + id))
  }
}

function throwStoreError(cause: unknown): never {
  const isOwn = cause instanceof InvalidAnswerError || cause instanceof WrongArgumentError
  throw isOwn ? cause : new TokenStoreError('failed', { cause })
}

/** Checks the type too, because a host may pass any value, and an array of one token matches the pattern. */
function isToken(token: unknown): token is string {
  return typeof token === 'string' && TOKEN.test(token)
}

function sha256(text: string): string {
  return hash('sha256', text, 'base64url')
}

/** @param isLong whether to return the owner id for sessions of more than 24 days */
function ownerOf(username: string, isLong: boolean): string {
  const hash = sha256(username)
  return isLong ? hash.slice(-OWNER_LENGTH) : hash.slice(0, OWNER_LENGTH)
}

function toSession(stored: unknown): Session | null {
  if (stored === null) return null
  const user = toScreenUser(stored)
  const data = stored as SessionData
  const { issued, expires, generation, lifetime = 0 } = data
  checkStored(user !== null && [issued, expires, lifetime].every(isNumber) && isGeneration(generation))
  return { ...data, user }
}

function isGeneration(stored: unknown): stored is SessionData['generation'] {
  return stored === null || typeof stored === 'string'
}

function isNumber(stored: unknown): stored is number {
  return Number.isFinite(stored)
}

/** @throws InvalidAnswerError when the store returned another value than the one that was set */
function checkStored(isValid: boolean): asserts isValid {
  if (!isValid) throw new InvalidAnswerError('the store of the tokens must return the values that were set; use a Keyv')
}
