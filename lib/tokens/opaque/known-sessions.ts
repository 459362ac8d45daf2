import { setTimeout as sleep } from 'node:timers/promises'
import v8 from 'node:v8'
import { LRUCache } from 'lru-cache'
import pTimeout from 'p-timeout'
import { LONGEST_TIME, type ScreenUser } from '../../shared/index.ts'
import { copyOf } from '../token-service.ts'

/** What this process knows of a session. */
export interface KnownSession {
  user: ScreenUser
  /** When a use must ask the store: the session is over then, or the use is to be written down. */
  until: number
  /** When the session is over, unless it is used. */
  idleEnd: number
  /** When the session is over at the latest, as the store says. */
  expires: number
}

/** A user of whom this process knows sessions. */
interface Owner {
  name: string
  sessions: number
  /** False as soon as all sessions of the user have been ended. */
  isCurrent: boolean
}

interface Entry {
  /** SHA-256 of the token, by which the store names the session. */
  id: string
  owner: Owner
  /** Null until the store has responded. */
  session: KnownSession | null
}

/** Returns how many milliseconds ago this moment was. One clock stands still while the machine is suspended, one may be set back. */
function startAge(): () => number {
  const [uptime, time] = [performance.now(), Date.now()]
  return () => Math.max(performance.now() - uptime, Date.now() - time)
}

/** Sessions that are remembered: some 700 bytes each, and at most a tenth of the heap together. */
const mostKnown = () => Math.floor(v8.getHeapStatistics().heap_size_limit / 10 / 700)

/**
 * The sessions that this process need not ask the store for, for so long after a moment at which they were known to be
 * true. Each is entered before the store is asked: a change that is reported before the response, or together with it,
 * takes the entry away, and nothing outdated is remembered.
 */
export class KnownSessions {
  readonly #limit: number
  readonly #ping: (() => unknown) | undefined
  #tokens = new Map<string, string>()
  #owners = new Map<string, Owner>()
  #entries = this.#noEntries()
  /** How long ago all that is known was true. */
  #age: (() => number) | null = null
  /** The heartbeat that counts: what an older one hears proves nothing. */
  #heartbeat: symbol | null = null

  /**
   * @param limit milliseconds; with 0 nothing is believed
   * @param ping proves that changes are heard; without it, all is read again when the time is over
   */
  constructor(limit: number, ping: (() => unknown) | undefined) {
    this.#limit = limit
    this.#ping = ping
  }

  /** The user of a session; null when the store must be asked. */
  // By the token: a guarded request need not hash it.
  userOf(token: string, isUse: boolean): ScreenUser | null {
    const session = this.#isFresh ? this.#find(token) : null
    return session && Date.now() < (isUse ? session.until : session.idleEnd) ? session.user : null
  }

  /** What was last known of a session: it may be over. */
  recall(id: string): KnownSession | null {
    return this.#find(this.#tokens.get(id) ?? '')
  }

  /** Returns what `read` resolves to, and remembers it unless the session has been ended meanwhile. */
  async remember(
    sent: string,
    id: string,
    ownerName: string,
    read: () => Promise<KnownSession | null>
  ): Promise<KnownSession | null> {
    this.renew()
    // What is read before changes are heard may be out of date.
    if (!this.#isFresh) return read()
    const token = copyOf(sent)
    const entry: Entry = { id, owner: this.#enter(ownerName), session: null }
    this.#entries.set(token, entry)
    this.#tokens.set(id, token)
    try {
      entry.session = await read()
      return entry.session
    } finally {
      if (entry.session === null && this.#entries.peek(token) === entry) this.#entries.delete(token)
    }
  }

  /** Forgets one session. */
  end(id: string): void {
    this.#entries.delete(this.#tokens.get(id) ?? '')
  }

  /** Forgets all sessions of a user, without looking for them. */
  endAll(ownerName: string): void {
    const owner = this.#owners.get(ownerName)
    if (owner !== undefined) owner.isCurrent = false
    this.#owners.delete(ownerName)
  }

  /** Forgets everything, because changes may have been missed. */
  lose(): void {
    this.#heartbeat = null
    this.#age = null
    // Not one by one: to clear a million entries takes a second.
    this.#tokens = new Map()
    this.#owners = new Map()
    this.#entries = this.#noEntries()
  }

  /** Before something is read: begins anew if the time is over, or starts the heartbeat, which goes on while it is heard. */
  renew(): void {
    if (this.#isFresh || this.#heartbeat !== null || this.#limit === 0) return
    if (this.#ping === undefined) {
      this.lose()
      this.#age = startAge()
      return
    }
    const heartbeat = Symbol('heartbeat')
    this.#heartbeat = heartbeat
    this.#beat(heartbeat, this.#ping).catch(() => {
      if (this.#heartbeat === heartbeat) this.lose()
    })
  }

  #find(token: string): KnownSession | null {
    const entry = this.#entries.get(token)
    return entry?.owner.isCurrent ? entry.session : null
  }

  get #isFresh(): boolean {
    return this.#age !== null && this.#age() < this.#limit
  }

  async #beat(heartbeat: symbol, ping: () => unknown): Promise<void> {
    // Twice: a process that was too busy to hear the response believes again what it knows.
    const milliseconds = Math.min(2 * this.#limit, LONGEST_TIME * 1000)
    while (this.#heartbeat === heartbeat) {
      const age = startAge()
      await pTimeout(Promise.resolve(ping()), { milliseconds })
      if (this.#heartbeat !== heartbeat) return
      this.#age = age
      await sleep(this.#limit / 3, undefined, { ref: false })
    }
  }

  #noEntries() {
    const owners = this.#owners
    const tokens = this.#tokens
    return new LRUCache<string, Entry>({
      // Not `max`, which would reserve the memory at once.
      maxSize: mostKnown(),
      sizeCalculation: () => 1,
      dispose({ id, owner }) {
        tokens.delete(id)
        owner.sessions--
        if (owner.sessions === 0 && owner.isCurrent) owners.delete(owner.name)
      }
    })
  }

  #enter(name: string): Owner {
    const owner = this.#owners.get(name) ?? { name: copyOf(name), sessions: 0, isCurrent: true }
    owner.sessions++
    this.#owners.set(owner.name, owner)
    return owner
  }
}
