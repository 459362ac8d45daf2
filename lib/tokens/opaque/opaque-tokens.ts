import { hash, randomBytes, randomUUID } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import pTimeout from 'p-timeout'
import {
  InvalidAnswerError,
  printable,
  publish,
  type ScreenUser,
  type SessionEvent,
  TokenStoreError,
  toScreenUser
} from '../../shared/index.ts'
import { checkedStore, GENERATION, LAST_USE, SESSION, type TokenStore } from '../stores/token-store.ts'
import { type TokenService, toUser, trust } from '../token-service.ts'
import { type KnownSession, KnownSessions } from './known-sessions.ts'
import { checkOptions, type OpaqueTokensOptions, type OpaqueTokensSettings } from './options.ts'

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
  return trust(new Sessions(checkOptions(options)))
}

/** What the store holds under the hash of a token, besides the user. */
interface SessionFacts {
  issued: number
  expires: number
  /** The user's generation at the login: null as long as nobody has ended all of the user's sessions. */
  generation: string | null
}

/** Characters of a token that say whose it is, and those that nobody can guess. */
const OWNER_LENGTH = 24
const RANDOM_LENGTH = 43
const TOKEN = new RegExp(`^[\\w-]{${OWNER_LENGTH + RANDOM_LENGTH}}$`)

/** A use is written down when this part of the lifetime has passed since the last one: not each use costs a write. */
const RENEWED_AFTER = 0.1

/** Milliseconds that a use outlives what it says: a process that reads it late must still know when it was. */
const MARGIN = 60_000

/**
 * How long a generation is kept at least, so that no session comes back that a process with longer times has started: 24
 * days, about the longest time of a `setTimeout`, by which a store may let it expire.
 */
const SHORTEST_GENERATION = 24 * 86_400_000

/**
 * The sessions in a store, under the hashes of their tokens. The store has no transactions, so nothing is read, changed
 * and written back: a session never changes. Its last use is a key of its own, so that a renewal cannot bring back a
 * session that was ended meanwhile. All sessions of a user are ended by giving the user another generation, so that no
 * list of them can miss one. A token begins with the hash of its owner, so that session and generation are read at once.
 */
class Sessions implements OpaqueTokens {
  readonly #store: TokenStore
  readonly #known: KnownSessions
  // All in milliseconds.
  readonly #lifetime: number
  readonly #maxLifetime: number
  readonly #timeout: number

  constructor({ store, lifetime, maxLifetime, cache, timeout }: OpaqueTokensSettings) {
    this.#store = checkedStore(store)
    this.#lifetime = lifetime * 1000
    this.#maxLifetime = maxLifetime * 1000
    this.#timeout = timeout * 1000
    // It proves nothing where nothing is reported.
    const ping = store.onChange && store.ping && (() => store.ping?.())
    this.#known = new KnownSessions(cache * 1000, ping)
    store.onChange?.(key => this.#changed(key))
  }

  // Properties, not methods: a host may take them off, or replace one of them.
  issue = async (user: ScreenUser) => this.#inTime(this.#start(toUser(user, 'tokens.issue must be given')))

  verify = (token: string) => this.#known.userOf(token) ?? (isToken(token) ? this.#inTime(this.#find(token)) : null)

  revoke = async (token: string | null) => {
    if (isToken(token)) await this.#inTime(this.#end(token))
  }

  revokeAll = (username: string) => this.#inTime(this.#endAll(username))

  #inTime<T>(result: Promise<T>): Promise<T> {
    const fallback = () => {
      throw new TokenStoreError(`took longer than ${this.#timeout / 1000} s`)
    }
    return pTimeout(result.catch(fail), { milliseconds: this.#timeout, fallback })
  }

  async #start({ username, displayName }: ScreenUser): Promise<string> {
    this.#known.renew()
    const owner = ownerOf(username)
    const token = owner + randomBytes(32).toString('base64url')
    // First, so that the generation that is read now outlives the session.
    const issued = Date.now()
    const generation = await this.#store.get(GENERATION + owner)
    check(isGeneration(generation))
    const facts: SessionFacts = { issued, expires: issued + this.#maxLifetime, generation }
    await this.#store.set(SESSION + sha256(token), { username, displayName, ...facts }, this.#maxLifetime)
    publishSession('started', username)
    return token
  }

  async #find(token: string): Promise<ScreenUser | null> {
    const id = sha256(token)
    const owner = token.slice(0, OWNER_LENGTH)
    const session = await this.#known.remember(token, id, owner, () => this.#read(id, owner))
    return session?.user ?? null
  }

  async #end(token: string): Promise<void> {
    const id = sha256(token)
    // Asked for before the end, and only waited for after it: an end must not depend on what is published.
    const user = this.#userOf(token, id).catch(() => null)
    try {
      await this.#store.delete(SESSION + id)
    } finally {
      this.#known.end(id)
    }
    user.then(user => user && publishSession('ended', user.username))
  }

  async #endAll(username: string): Promise<void> {
    const owner = ownerOf(username)
    try {
      const ttl = Math.max(this.#maxLifetime, SHORTEST_GENERATION)
      await this.#store.set(GENERATION + owner, randomUUID(), ttl)
    } finally {
      this.#known.endAll(owner)
    }
    publishSession('all-ended', username)
  }

  async #read(id: string, owner: string): Promise<KnownSession | null> {
    const [lifetime, maxLifetime] = [this.#lifetime, this.#maxLifetime]
    const asked = Date.now()
    const [stored, lastUse, generation] = await Promise.all([
      this.#store.get(SESSION + id),
      maxLifetime > lifetime ? this.#store.get(LAST_USE + id) : null,
      this.#store.get(GENERATION + owner)
    ])
    const session = toSession(stored)
    check(isGeneration(generation))
    if (session === null || (generation !== null && generation !== session.generation)) return null

    const { user, issued } = session
    // After a connection has lost one reply, each request is given the reply to another.
    check(ownerOf(user.username) === owner && (lastUse === null || isNumber(lastUse)))
    const used = lastUse ?? issued
    // The settings of today count too: an older session may have been promised more.
    const end = Math.min(session.expires, issued + maxLifetime)
    const expires = Math.min(end, used + lifetime)
    // As it was when the store was asked: others may have renewed the session meanwhile, but not beyond its end.
    if (expires <= asked || end <= Date.now()) return null

    const isUse = expires < end && asked - used >= lifetime * RENEWED_AFTER
    // In the background: the request need not wait for it.
    if (isUse) this.#renew(id, asked, Math.min(lifetime, end - asked) + MARGIN)
    const nextUse = (isUse ? asked : used) + lifetime * RENEWED_AFTER
    return { user, until: expires < end ? Math.min(nextUse, end) : end }
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

  async #userOf(token: string, id: string): Promise<ScreenUser | null> {
    return this.#known.recall(token)?.user ?? toScreenUser(await this.#store.get(SESSION + id))
  }
}

function fail(cause: unknown): never {
  throw cause instanceof InvalidAnswerError ? cause : new TokenStoreError('failed', { cause })
}

/** Whether it can be a token. A host may pass on anything, and an array of one token matches too. */
function isToken(token: unknown): token is string {
  return typeof token === 'string' && TOKEN.test(token)
}

function publishSession(outcome: SessionEvent['outcome'], username: string): void {
  publish('session', { outcome, username: printable(username) })
}

function sha256(text: string): string {
  return hash('sha256', text, 'base64url')
}

function ownerOf(username: string): string {
  return sha256(username).slice(0, OWNER_LENGTH)
}

function toSession(stored: unknown): (SessionFacts & { user: ScreenUser }) | null {
  if (stored === null) return null
  const user = toScreenUser(stored)
  const { issued, expires, generation } = stored as SessionFacts
  check(user !== null && isNumber(issued) && isNumber(expires) && isGeneration(generation))
  return { user, issued, expires, generation }
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
