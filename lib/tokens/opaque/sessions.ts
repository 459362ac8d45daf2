import { hash, randomBytes, randomUUID } from 'node:crypto'
import {
  InvalidAnswerError,
  printable,
  publish,
  type ScreenUser,
  type SessionEvent,
  toScreenUser
} from '../../shared/index.ts'
import { checkedStore } from '../stores/checked-store.ts'
import { GENERATION, LAST_USE, SESSION, type TokenStore } from '../stores/token-store.ts'
import { Freshness } from './freshness.ts'
import { type KnownSession, KnownSessions } from './known-sessions.ts'

/** How long sessions last; all times in milliseconds. */
export interface SessionTimes {
  /** From the login, or from the last use when `maxLifetime` is longer. */
  lifetime: number
  /** From the login, however often it is used. */
  maxLifetime: number
  /** How long a session is believed without a word of the store. */
  cache: number
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
export class Sessions {
  readonly #store: TokenStore
  readonly #times: SessionTimes
  readonly #freshness: Freshness
  #known = new KnownSessions()

  constructor(store: TokenStore, times: SessionTimes) {
    this.#store = checkedStore(store)
    this.#times = times
    // It proves nothing where nothing is reported.
    const ping = store.onChange && store.ping && (() => store.ping?.())
    // Not one by one: to clear a million entries takes a second.
    this.#freshness = new Freshness(times.cache, ping, () => {
      this.#known = new KnownSessions()
    })
    store.onChange?.(key => this.#changed(key))
  }

  /** @returns the token */
  async start({ username, displayName }: ScreenUser): Promise<string> {
    this.#freshness.renew()
    const owner = ownerOf(username)
    const token = owner + randomBytes(32).toString('base64url')
    const { maxLifetime } = this.#times
    // First, so that the generation that is read now outlives the session.
    const issued = Date.now()
    const generation = toGeneration(await this.#store.get(generationKey(owner)))
    const facts: SessionFacts = { issued, expires: issued + maxLifetime, generation }
    await this.#store.set(sessionKey(sha256(token)), { username, displayName, ...facts }, maxLifetime)
    publishSession('started', username)
    return token
  }

  /** The user of a session that this process knows; null when the store must be asked. */
  recall(token: string): ScreenUser | null {
    const known = this.#freshness.isFresh ? this.#known.get(token) : null
    return known !== null && Date.now() < known.until ? known.user : null
  }

  /** The user of a session, or null when there is none, or none any more. */
  async find(token: string): Promise<ScreenUser | null> {
    this.#freshness.renew()
    const id = sha256(token)
    const owner = token.slice(0, OWNER_LENGTH)
    const read = () => this.#read(id, owner)
    // What was read before changes were heard may be out of date.
    const session = this.#freshness.isFresh
      ? await this.#known.remember(token, id, owner, read)
      : await read()
    return session?.user ?? null
  }

  async end(token: string): Promise<void> {
    const id = sha256(token)
    // Asked for before the end, and only waited for after it: an end must not depend on what is published.
    const user = this.#userOf(token, id).catch(() => null)
    try {
      await this.#store.delete(sessionKey(id))
    } finally {
      this.#known.end(id)
    }
    user.then(user => user && publishSession('ended', user.username))
  }

  async endAll(username: string): Promise<void> {
    const owner = ownerOf(username)
    try {
      const ttl = Math.max(this.#times.maxLifetime, SHORTEST_GENERATION)
      await this.#store.set(generationKey(owner), randomUUID(), ttl)
    } finally {
      this.#known.endAll(owner)
    }
    publishSession('all-ended', username)
  }

  async #read(id: string, owner: string): Promise<KnownSession | null> {
    const { lifetime, maxLifetime } = this.#times
    const asked = Date.now()
    const [stored, lastUse, currentGeneration] = await Promise.all([
      this.#store.get(sessionKey(id)),
      maxLifetime > lifetime ? this.#store.get(lastUseKey(id)) : null,
      this.#store.get(generationKey(owner))
    ])
    const session = toSession(stored)
    const generation = toGeneration(currentGeneration)
    if (session === null || (generation !== null && generation !== session.generation)) return null

    const { user, issued } = session
    // After a connection has lost one reply, each request is given the reply to another.
    if (ownerOf(user.username) !== owner) throw invalidValue()
    const used = toTime(lastUse) ?? issued
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
      await this.#store.set(lastUseKey(id), used, ttl)
    } catch {
      // The next use asks the store, and tries again.
      this.#known.end(id)
    }
  }

  /** @param key null when any key may have changed */
  #changed(key: string | null): void {
    if (key === null) this.#freshness.lose()
    else if (key.startsWith(SESSION)) this.#known.end(key.slice(SESSION.length))
    else if (key.startsWith(GENERATION)) this.#known.endAll(key.slice(GENERATION.length))
  }

  async #userOf(token: string, id: string): Promise<ScreenUser | null> {
    return this.#known.get(token)?.user ?? toScreenUser(await this.#store.get(sessionKey(id)))
  }
}

/** Whether it can be a token. A host may pass on anything, and an array of one token matches too. */
export function isToken(token: unknown): token is string {
  return typeof token === 'string' && TOKEN.test(token)
}

function publishSession(outcome: SessionEvent['outcome'], username: string): void {
  publish('session', { outcome, username: printable(username) })
}

const sessionKey = (id: string) => SESSION + id
const lastUseKey = (id: string) => LAST_USE + id
const generationKey = (owner: string) => GENERATION + owner

function sha256(text: string): string {
  return hash('sha256', text, 'base64url')
}

function ownerOf(username: string): string {
  return sha256(username).slice(0, OWNER_LENGTH)
}

/** @throws InvalidAnswerError when the store returns something else than it was given */
function toSession(stored: unknown): (SessionFacts & { user: ScreenUser }) | null {
  if (stored === null) return null
  const user = toScreenUser(stored)
  const { issued, expires, generation } = stored as SessionFacts
  if (user === null || !Number.isFinite(issued) || !Number.isFinite(expires)) throw invalidValue()
  return { user, issued, expires, generation: toGeneration(generation) }
}

function toGeneration(stored: unknown): string | null {
  if (stored === null || typeof stored === 'string') return stored
  throw invalidValue()
}

function toTime(stored: unknown): number | null {
  if (stored === null || Number.isFinite(stored)) return stored as number | null
  throw invalidValue()
}

function invalidValue(): Error {
  return new InvalidAnswerError('the store of the tokens must return what was set; give it a Keyv')
}
