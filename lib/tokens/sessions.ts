import { hash, randomUUID } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import {
  InvalidAnswerError,
  printable,
  publish,
  type ScreenUser,
  type SessionEvent,
  toScreenUser
} from '../shared/index.ts'
import type { CheckedStore } from './checked-store.ts'

/** How long sessions last; all times in milliseconds. */
export interface SessionTimes {
  /** From the login, or from the last use when `longest` is longer. */
  lifetime: number
  /** From the login, however often it is used. */
  longest: number
  /** For which a session that was found is believed without asking the store. */
  cache: number
}

/** What the store holds under the hash of a token, besides the user. */
interface SessionFacts {
  issued: number
  expires: number
  /** The user's generation at the login: null as long as nobody has ended all of the user's sessions. */
  generation: string | null
}

interface Session extends SessionFacts {
  user: ScreenUser
}

/** What this process remembers of a session. */
interface KnownSession {
  user: ScreenUser
  /** When the store must be asked again: the session is over then, or this use is to be written down. */
  until: number
  /** When the store was asked, by the monotonic clock. */
  asked: number
}

/** Sessions that are remembered: some 5 MB. */
const MOST_KNOWN = 12_000

/** A use is written down when this part of the lifetime has passed since the last: to read is cheaper. */
const RENEWED_AFTER = 0.1

/**
 * How long a generation is kept at least, so that no session comes back that a process with longer times has started:
 * 24 days, which any timer can count.
 */
const SHORTEST_GENERATION = 24 * 86_400_000

/**
 * The sessions in a store, under the hashes of their tokens. The store has no transactions, so nothing is read, changed
 * and written back: a session never changes. Its last use is a key of its own, so that a renewal cannot bring back a
 * session that was ended meanwhile. All sessions of a user are ended by giving the user another generation, so that no
 * list of them can miss one.
 */
export class Sessions {
  readonly #store: CheckedStore
  readonly #times: SessionTimes
  readonly #known = new LRUCache<string, KnownSession>({ max: MOST_KNOWN })
  /** Changes when sessions have been ended: what was read before may be out of date. */
  #endings = 0

  constructor(store: CheckedStore, times: SessionTimes) {
    this.#store = store
    this.#times = times
  }

  /** @throws TokenStoreError, as every other method does */
  async start(id: string, { username, displayName }: ScreenUser): Promise<void> {
    const { longest } = this.#times
    // First, so that the generation that is read now outlives the session.
    const issued = Date.now()
    const generation = await this.#generationOf(username)
    const facts: SessionFacts = { issued, expires: issued + longest, generation }
    await this.#store.set(sessionKey(id), { username, displayName, ...facts }, longest)
    publishSession('started', username)
  }

  /** The user of a session that this process has found lately. */
  recall(id: string): ScreenUser | null {
    const known = this.#known.get(id)
    const isFresh = known !== undefined && performance.now() - known.asked < this.#times.cache
    return isFresh && Date.now() < known.until ? known.user : null
  }

  /** The user of a session, or null when there is none, or none any more. */
  async find(id: string): Promise<ScreenUser | null> {
    const endings = this.#endings
    const asked = performance.now()
    // Whose session it is never changes: when it is known, all is asked at once.
    const owner = this.#known.get(id)?.user.username
    const [stored, lastUse, ownersGeneration] = await Promise.all([
      this.#store.get(sessionKey(id)),
      this.#isRenewable ? this.#store.get(lastUseKey(id)) : null,
      owner === undefined ? null : this.#generationOf(owner)
    ])
    const session = toSession(stored)
    if (session === null) return null

    const { user, issued } = session
    const generation = owner === undefined ? await this.#generationOf(user.username) : ownersGeneration
    if (generation !== null && generation !== session.generation) return null

    const { lifetime, longest } = this.#times
    const now = Date.now()
    const used = toTime(lastUse) ?? issued
    // The settings of today count too: an older session may have been promised more.
    const end = Math.min(session.expires, issued + longest)
    const expires = Math.min(end, used + lifetime)
    if (expires <= now) return null

    const isUse = expires < end && now - used >= lifetime * RENEWED_AFTER
    if (isUse) {
      // In the background: the request need not wait for it, and if it fails, a later one will do it.
      this.#store.set(lastUseKey(id), now, Math.min(lifetime, end - now)).catch(() => {})
    }
    const nextUse = (isUse ? now : used) + lifetime * RENEWED_AFTER
    const until = expires < end ? Math.min(nextUse, end) : end
    if (endings === this.#endings) this.#known.set(id, { user, until, asked })
    return user
  }

  async end(id: string): Promise<void> {
    // Asked for before the end, and only waited for after it: an end must not depend on what is published.
    const owner = this.#ownerOf(id).catch(() => undefined)
    try {
      await this.#store.delete(sessionKey(id))
    } finally {
      this.#endings++
      this.#known.delete(id)
    }
    owner.then(user => user && publishSession('ended', user.username))
  }

  async endAll(username: string): Promise<void> {
    try {
      const ttl = Math.max(this.#times.longest, SHORTEST_GENERATION)
      await this.#store.set(generationKey(username), randomUUID(), ttl)
    } finally {
      this.#endings++
      for (const [id, { user }] of this.#known) if (user.username === username) this.#known.delete(id)
    }
    publishSession('all-ended', username)
  }

  async #ownerOf(id: string): Promise<ScreenUser | undefined> {
    return this.#known.get(id)?.user ?? toSession(await this.#store.get(sessionKey(id)))?.user
  }

  get #isRenewable(): boolean {
    return this.#times.longest > this.#times.lifetime
  }

  async #generationOf(username: string): Promise<string | null> {
    const generation = await this.#store.get(generationKey(username))
    if (isGeneration(generation)) return generation
    throw invalidValue()
  }
}

function publishSession(outcome: SessionEvent['outcome'], username: string): void {
  publish('session', { outcome, username: printable(username) })
}

/** Different keys for different things, and none of them a token or a name. */
const sessionKey = (id: string) => `screen_auth_session:${id}`
const lastUseKey = (id: string) => `screen_auth_last_use:${id}`
const generationKey = (username: string) => `screen_auth_generation:${sha256(username)}`

/** The hash of a token or a name, 64 hexadecimal digits. */
export function sha256(text: string): string {
  return hash('sha256', text, 'hex')
}

/** @throws InvalidAnswerError when the store returns something else than it was given */
function toSession(stored: unknown): Session | null {
  if (stored === null) return null
  const user = toScreenUser(stored)
  const { issued, expires, generation } = stored as SessionFacts
  const isSession = Number.isFinite(issued) && Number.isFinite(expires) && isGeneration(generation)
  if (user !== null && isSession) return { user, issued, expires, generation }
  throw invalidValue()
}

function isGeneration(stored: unknown): stored is string | null {
  return stored === null || typeof stored === 'string'
}

function toTime(stored: unknown): number | null {
  if (stored === null || Number.isFinite(stored)) return stored as number | null
  throw invalidValue()
}

function invalidValue(): Error {
  return new InvalidAnswerError('the store of the tokens must return what was set; give it a Keyv')
}
