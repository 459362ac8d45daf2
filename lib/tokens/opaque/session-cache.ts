import { setTimeout as sleep } from 'node:timers/promises'
import v8 from 'node:v8'
import { LRUCache } from 'lru-cache'
import { LONGEST_TIME, type ScreenUser, withTimeout } from '../../shared/index.ts'
import { copyOf } from '../token-service.ts'

/** A session as last read from the store. All times are milliseconds since 1970. */
export interface CachedSession {
  user: ScreenUser
  /** From this time on, a use must read from the store, because the session has ended or the use must be recorded. */
  refreshAt: number
  /** When the session ends without further use. */
  idleEnd: number
  /** When the session ends at the latest, according to the store. */
  expires: number
}

interface Owner {
  name: string
  sessions: number
  /** False as soon as all sessions of the user have been revoked. */
  isCurrent: boolean
}

interface Entry {
  /** SHA-256 of the token: the id of the session in the store. */
  id: string
  owner: Owner
  /** Null until the store has responded. */
  session: CachedSession | null
}

/**
 * Returns a function that measures the milliseconds since this call, as the maximum of two clocks: the monotonic clock
 * may stop while the machine is suspended, and the system time may be set back.
 */
function startTimer(): () => number {
  const [uptime, time] = [performance.now(), Date.now()]
  return () => Math.max(performance.now() - uptime, Date.now() - time)
}

/** The maximum number of cached sessions: some 700 bytes each, together at most a tenth of the heap. */
const maxSessions = () => Math.floor(v8.getHeapStatistics().heap_size_limit / 10 / 700)

/**
 * Caches sessions, so that a request need not read from the store. The cache expires after `limit`, unless a ping
 * confirms it. An entry is inserted before the store is read. A report that arrives before the response, or with it,
 * then removes the entry, so that no stale session is cached.
 */
export class SessionCache {
  readonly #limit: number
  readonly #ping: (() => unknown) | undefined
  #tokens = new Map<string, string>()
  #owners = new Map<string, Owner>()
  #entries = this.#createEntries()
  /** The milliseconds since the cache was last confirmed; null if it must not be used. */
  #age: (() => number) | null = null
  /** The current heartbeat: a response to an older heartbeat confirms nothing. */
  #heartbeat: symbol | null = null

  /**
   * @param limit milliseconds for which the cache is fresh; 0 disables the cache
   * @param ping confirms that the store's reports arrive. Without it, the whole cache expires after `limit`
   */
  constructor(limit: number, ping: (() => unknown) | undefined) {
    this.#limit = limit
    this.#ping = ping
  }

  /** Returns the user of a session; null if the caller must read from the store. */
  // Looks up by token, not by id, so that a guarded request computes no hash.
  userOf(token: string, isUse: boolean): ScreenUser | null {
    const session = this.#isFresh ? this.#find(token) : null
    return session && Date.now() < (isUse ? session.refreshAt : session.idleEnd) ? session.user : null
  }

  findStale(id: string): CachedSession | null {
    return this.#find(this.#tokens.get(id) ?? '')
  }

  /** Returns the result of `read`, and caches it unless the session is revoked during the read. */
  async load(
    sent: string,
    id: string,
    ownerName: string,
    read: () => Promise<CachedSession | null>
  ): Promise<CachedSession | null> {
    this.refresh()
    // Before the first ping has succeeded, reports of changes may be missing.
    if (!this.#isFresh) return read()
    const token = copyOf(sent)
    const entry: Entry = { id, owner: this.#addSession(ownerName), session: null }
    this.#entries.set(token, entry)
    this.#tokens.set(id, token)
    try {
      entry.session = await read()
      return entry.session
    } finally {
      if (entry.session === null && this.#entries.peek(token) === entry) this.#entries.delete(token)
    }
  }

  invalidate(id: string): void {
    this.#entries.delete(this.#tokens.get(id) ?? '')
  }

  /** Invalidates all sessions of a user in constant time. */
  invalidateAll(ownerName: string): void {
    const owner = this.#owners.get(ownerName)
    if (owner !== undefined) owner.isCurrent = false
    this.#owners.delete(ownerName)
  }

  /** Empties the cache, because reports of changes may have been lost. */
  clear(): void {
    this.#heartbeat = null
    this.#age = null
    // New maps, because clearing a million entries takes a second.
    this.#tokens = new Map()
    this.#owners = new Map()
    this.#entries = this.#createEntries()
  }

  /**
   * Call before a read. Starts the heartbeat, which continues until a ping fails. Without `ping`, empties the cache if
   * it has expired.
   */
  refresh(): void {
    if (this.#isFresh || this.#heartbeat !== null || this.#limit === 0) return
    if (this.#ping === undefined) {
      this.clear()
      this.#age = startTimer()
      return
    }
    const heartbeat = Symbol('heartbeat')
    this.#heartbeat = heartbeat
    this.#beat(heartbeat, this.#ping).catch(() => {
      if (this.#heartbeat === heartbeat) this.clear()
    })
  }

  #find(token: string): CachedSession | null {
    const entry = this.#entries.get(token)
    return entry?.owner.isCurrent ? entry.session : null
  }

  get #isFresh(): boolean {
    return this.#age !== null && this.#age() < this.#limit
  }

  async #beat(heartbeat: symbol, ping: () => unknown): Promise<void> {
    // Twice the limit: a grace period, so that a blocked event loop does not empty the cache.
    const milliseconds = Math.min(2 * this.#limit, LONGEST_TIME * 1000)
    while (this.#heartbeat === heartbeat) {
      const age = startTimer()
      await withTimeout(Promise.resolve(ping()), milliseconds, () => new Error('the store is silent'))
      if (this.#heartbeat !== heartbeat) return
      this.#age = age
      await sleep(this.#limit / 3, undefined, { ref: false })
    }
  }

  #createEntries() {
    const owners = this.#owners
    const tokens = this.#tokens
    return new LRUCache<string, Entry>({
      // Not `max`, which allocates everything up front.
      maxSize: maxSessions(),
      sizeCalculation: () => 1,
      dispose({ id, owner }) {
        tokens.delete(id)
        owner.sessions--
        if (owner.sessions === 0 && owner.isCurrent) owners.delete(owner.name)
      }
    })
  }

  #addSession(name: string): Owner {
    const owner = this.#owners.get(name) ?? { name: copyOf(name), sessions: 0, isCurrent: true }
    owner.sessions++
    this.#owners.set(owner.name, owner)
    return owner
  }
}
