import { hash, randomBytes, randomUUID } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import pTimeout from 'p-timeout'
import {
  InvalidAnswerError,
  LONGEST_LIFETIME,
  LONGEST_TIME,
  printable,
  publish,
  type ScreenUser,
  TokenStoreError,
  toScreenUser,
  WrongArgumentError
} from '../../shared/index.ts'
import { checkedStore, GENERATION, LAST_USE, LONG, SESSION, type TokenStore } from '../stores/token-store.ts'
import { isRequest, type TokenService, toUser, trust, type VerifyOptions } from '../token-service.ts'
import { type KnownSession, KnownSessions } from './known-sessions.ts'
import {
  checkOptions,
  type OpaqueTokensOptions,
  type OpaqueTokensSettings,
  type SessionTimes,
  type Times,
  timesOf
} from './options.ts'

/** Tokens that can be revoked. Pass it as the option `tokens`. */
export interface OpaqueTokens extends TokenService {
  /**
   * Starts a session.
   *
   * @param request for the event of the session
   * @param times of this session alone, which the store keeps. Default: those of the service
   * @throws `FST_SCREEN_AUTH_INVALID_OPTION` when the times are wrong
   * @example
   * const issue = (user, request) => tokens.issue(user, request, wantsToStay(request) ? { lifetime: 30 * 86_400 } : {})
   */
  issue(user: ScreenUser, request?: FastifyRequest | null, times?: SessionTimes): Promise<string>
  /** Returns the user of a session, or null; a promise unless the session is remembered. */
  verify(token: string, options: VerifyOptions): ScreenUser | null | Promise<ScreenUser | null>
  verify(
    token: string,
    request?: FastifyRequest | null,
    options?: VerifyOptions
  ): ScreenUser | null | Promise<ScreenUser | null>
  /**
   * The id of a session: what the store keeps it under. It opens nothing, so it may be stored. Who has it can end the session.
   *
   * @returns null for what can be no token of this service, whether or not its session is there
   */
  idOf(token: string | null): string | null
  /**
   * Ends the session of one token, in all processes that share the store. Does nothing for null.
   *
   * @throws `FST_SCREEN_AUTH_WRONG_ARGUMENT`, a TypeError, for what is no token, a username for instance
   * @throws `FST_SCREEN_AUTH_TOKEN_STORE_FAILED` when that is not sure: the session may go on
   */
  revoke(token: string | null): Promise<void>
  /**
   * Ends the session with an id, as `revoke` does. Look first whose it is: a client may have sent the id of another one's session.
   *
   * @throws as `revoke`
   */
  revokeById(id: string | null): Promise<void>
  /**
   * Ends all sessions that the user has. A login at the same moment may be ended too, or go on if its token is issued
   * later.
   *
   * @param username as `checkCredentials` has returned it
   * @throws as `revoke`
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
  return trust(new Sessions(checkOptions(options)))
}

/** What the store holds under the hash of a token, besides the user. */
interface SessionFacts {
  issued: number
  expires: number
  /** The user's generation at the login: null as long as nobody has ended all of the user's sessions. */
  generation: string | null
  /** Milliseconds from one use to the next, if they count. */
  lifetime?: number
  /** Whether the times are those of this session, and not of the service. */
  isOwn?: true
}

type Session = SessionFacts & { user: ScreenUser }

/** Characters of a token that say whose it is, and those that nobody can guess. */
const OWNER_LENGTH = 24
const RANDOM_LENGTH = 43
const TOKEN = new RegExp(`^[\\w-]{${OWNER_LENGTH + RANDOM_LENGTH}}$`)
const ID = /^[\w-]{43}$/

/** A use is written down when this part of the lifetime has passed since the last one: not each use costs a write. */
const RENEWED_AFTER = 0.1

/** Milliseconds that a use outlives what it says: a process that reads it late must still know when it was. */
const MARGIN = 60_000

/**
 * How long a generation is kept at least, so that no session comes back that a process with longer times has started: the
 * longest time of a `setTimeout`, by which a store may let it expire, some 24 days. For longer sessions the user is another
 * owner, who is noted, and whose generation outlives them all.
 */
const SHORTEST_GENERATION = LONGEST_TIME * 1000

/**
 * The sessions in a store, under the hashes of their tokens. The store has no transactions, so nothing is read, changed
 * and written back: a session never changes. Its last use is a key of its own, so that a renewal cannot bring back a
 * session that was ended meanwhile. All sessions of a user are ended by giving the user another generation, so that no
 * list of them can miss one. A token begins with the hash of its owner, so that session and generation are read at once.
 */
class Sessions implements OpaqueTokens {
  readonly #store: TokenStore
  readonly #known: KnownSessions
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
    // It proves nothing where nothing is reported.
    const ping = store.onChange && store.ping && (() => store.ping?.())
    this.#known = new KnownSessions(cache * 1000, ping)
    store.onChange?.(key => this.#changed(key))
  }

  // Properties, not methods: a host may take them off, or replace one of them.
  issue = async (given: ScreenUser, request: FastifyRequest | null = null, times: SessionTimes = {}) => {
    const user = toUser(given, 'tokens.issue must be given')
    return this.#inTime(this.#start(user, request, timesOf(request, times, this.#settings)))
  }

  verify = (token: string, request?: FastifyRequest | VerifyOptions | null, options = request) => {
    const isUse = (options as VerifyOptions | null | undefined)?.use !== false || isRequest(options)
    return this.#known.userOf(token, isUse) ?? (isToken(token) ? this.#inTime(this.#find(token, isUse)) : null)
  }

  idOf = (token: string | null) => (isToken(token) ? sha256(token) : null)

  revoke = async (token: string | null) => {
    if (token === null) return
    if (!isToken(token)) throw new WrongArgumentError('revoke takes a token')
    await this.#inTime(this.#end(sha256(token)))
  }

  revokeById = async (id: string | null) => {
    if (id === null) return
    if (typeof id !== 'string' || !ID.test(id)) throw new WrongArgumentError('revokeById takes the id of a session')
    await this.#inTime(this.#end(id))
  }

  revokeAll = async (username: string) => {
    if (typeof username !== 'string' || username === '') throw new WrongArgumentError('revokeAll takes a username')
    await this.#inTime(this.#endAll(username))
  }

  #inTime<T>(result: Promise<T>): Promise<T> {
    const { timeout } = this.#settings
    const fallback = () => {
      throw new TokenStoreError(`took longer than ${timeout} s`)
    }
    return pTimeout(result.catch(fail), { milliseconds: timeout * 1000, fallback })
  }

  async #start(user: ScreenUser, request: FastifyRequest | null, times: Times): Promise<string> {
    this.#known.renew()
    const { username } = user
    const [lifetime, maxLifetime] = [times.lifetime * 1000, times.maxLifetime * 1000]
    const isLong = maxLifetime > SHORTEST_GENERATION
    const owner = ownerOf(username, isLong)
    const token = owner + randomBytes(32).toString('base64url')
    if (isLong) await this.#note(owner)
    // Before the generation is read, so that it outlives the session.
    const issued = Date.now()
    const generation = await this.#store.get(GENERATION + owner)
    check(isGeneration(generation))
    const expires = issued + maxLifetime
    const facts: SessionFacts = { issued, expires, generation }
    if (lifetime < maxLifetime) facts.lifetime = lifetime
    if (times.isOwn) facts.isOwn = true
    const id = sha256(token)
    await this.#store.set(SESSION + id, { ...user, ...facts }, maxLifetime)
    publish('session', { outcome: 'started', username: printable(username), id, expires }, { request, user })
    return token
  }

  /** Notes the owner of a long session. A store that cannot keep it would keep no generation for it either. */
  async #note(longOwner: string): Promise<void> {
    await this.#store.set(LONG + longOwner, true, LONGEST_LIFETIME * 1000)
    if ((await this.#store.get(LONG + longOwner)) === null) {
      throw new Error('the store keeps nothing for ten years, which a session of more than 24 days needs')
    }
  }

  async #find(token: string, isUse: boolean): Promise<ScreenUser | null> {
    const id = sha256(token)
    const owner = token.slice(0, OWNER_LENGTH)
    const session = await this.#known.remember(token, id, owner, () => this.#read(id, owner, isUse))
    return session?.user ?? null
  }

  async #end(id: string): Promise<void> {
    // Asked for before the end, and only waited for after it: an end must not depend on what is published.
    const session = this.#sessionOf(id).catch(() => null)
    try {
      await this.#store.delete(SESSION + id)
    } finally {
      this.#known.end(id)
    }
    session.then(it => {
      if (it === null) return
      const { user, expires } = it
      publish('session', { outcome: 'ended', username: printable(user.username), id, expires }, { user })
    })
  }

  async #endAll(username: string): Promise<void> {
    // A username may look like a token, or like an id.
    const id = isToken(username) ? sha256(username) : username
    const isSession = ID.test(id) && (await this.#store.get(SESSION + id)) !== null
    const longOwner = ownerOf(username, true)
    const hasLong = (await this.#store.get(LONG + longOwner)) !== null
    await Promise.all([
      this.#renewGeneration(ownerOf(username, false), Math.max(this.#maxLifetime, SHORTEST_GENERATION)),
      hasLong && this.#renewGeneration(longOwner, LONGEST_LIFETIME * 1000)
    ])
    publish('session', { outcome: 'all-ended', username: printable(username) }, { user: { username } })
    // Afterwards: there must be no name whose sessions cannot be ended.
    if (isSession) throw new WrongArgumentError('revokeAll takes a username')
  }

  async #renewGeneration(owner: string, ttl: number): Promise<void> {
    try {
      await this.#store.set(GENERATION + owner, randomUUID(), ttl)
    } finally {
      this.#known.endAll(owner)
    }
  }

  async #read(id: string, owner: string, isUse: boolean): Promise<KnownSession | null> {
    const asked = Date.now()
    const getLastUse = () => this.#store.get(LAST_USE + id)
    const [stored, early, generation] = await Promise.all([
      this.#store.get(SESSION + id),
      this.#maxLifetime > this.#lifetime ? getLastUse() : undefined,
      this.#store.get(GENERATION + owner)
    ])
    const session = toSession(stored)
    check(isGeneration(generation))
    if (session === null || (generation !== null && generation !== session.generation)) return null

    const { user, issued, lifetime, end } = this.#withSettings(session)
    const isRenewable = issued + lifetime < end
    const lastUse = isRenewable && early === undefined ? await getLastUse() : early
    // After a connection has lost one reply, each request is given the reply to another.
    const isOwner = [false, true].some(isLong => ownerOf(user.username, isLong) === owner)
    check(isOwner && (lastUse == null || isNumber(lastUse)))
    const used = isRenewable ? (lastUse ?? issued) : issued
    const idleEnd = Math.min(end, used + lifetime)
    // As it was when the store was asked: others may have renewed the session meanwhile, but not beyond its end.
    if (idleEnd <= asked || end <= Date.now()) return null
    const { expires } = session
    if (idleEnd === end) return { user, until: end, idleEnd, expires }

    const isRenewed = isUse && asked - used >= lifetime * RENEWED_AFTER
    // In the background: the request need not wait for it.
    if (isRenewed) this.#renew(id, asked, Math.min(lifetime, end - asked) + MARGIN)
    const until = Math.min((isRenewed ? asked : used) + lifetime * RENEWED_AFTER, end)
    return { user, until, idleEnd, expires }
  }

  /** The times of a session: its own, or else those of today, too: it may have been promised more. */
  #withSettings({ user, issued, expires, lifetime = Infinity, isOwn }: Session) {
    if (isOwn) return { user, issued, lifetime, end: expires }
    return {
      user,
      issued,
      lifetime: Math.min(lifetime, this.#lifetime),
      end: Math.min(expires, issued + this.#maxLifetime)
    }
  }

  async #renew(id: string, used: number, ttl: number): Promise<void> {
    try {
      await this.#store.set(LAST_USE + id, used, ttl)
    } catch {
      // The next use asks the store, and tries again.
      this.#known.end(id)
    }
  }

  /** @param key null when any key may have changed */
  #changed(key: string | null): void {
    if (key === null) this.#known.lose()
    else if (key.startsWith(SESSION)) this.#known.end(key.slice(SESSION.length))
    else if (key.startsWith(GENERATION)) this.#known.endAll(key.slice(GENERATION.length))
  }

  async #sessionOf(id: string): Promise<Pick<Session, 'user' | 'expires'> | null> {
    return this.#known.recall(id) ?? toSession(await this.#store.get(SESSION + id))
  }
}

function fail(cause: unknown): never {
  const isOwn = cause instanceof InvalidAnswerError || cause instanceof WrongArgumentError
  throw isOwn ? cause : new TokenStoreError('failed', { cause })
}

/** Whether it can be a token. A host may pass on anything, and an array of one token matches too. */
function isToken(token: unknown): token is string {
  return typeof token === 'string' && TOKEN.test(token)
}

function sha256(text: string): string {
  return hash('sha256', text, 'base64url')
}

/** @param isLong whether it is the owner of sessions of more than 24 days */
function ownerOf(username: string, isLong: boolean): string {
  const hash = sha256(username)
  return isLong ? hash.slice(-OWNER_LENGTH) : hash.slice(0, OWNER_LENGTH)
}

function toSession(stored: unknown): Session | null {
  if (stored === null) return null
  const user = toScreenUser(stored)
  const facts = stored as SessionFacts
  const { issued, expires, generation, lifetime = 0 } = facts
  check(user !== null && [issued, expires, lifetime].every(isNumber) && isGeneration(generation))
  return { ...facts, user }
}

function isGeneration(stored: unknown): stored is SessionFacts['generation'] {
  return stored === null || typeof stored === 'string'
}

function isNumber(stored: unknown): stored is number {
  return Number.isFinite(stored)
}

/** @throws InvalidAnswerError when the store has returned something else than it was given */
function check(isRight: boolean): asserts isRight {
  if (!isRight) throw new InvalidAnswerError('the store of the tokens must return what was set; give it a Keyv')
}
