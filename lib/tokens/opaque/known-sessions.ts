import v8 from 'node:v8'
import { LRUCache } from 'lru-cache'
import type { ScreenUser } from '../../shared/index.ts'
import { copyOf } from '../token-format.ts'

/** What this process knows of a session. */
export interface KnownSession {
  user: ScreenUser
  /** When the store must be asked again: the session is over then, or a use is to be written down. */
  until: number
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

/** Sessions that are remembered: some 700 bytes each, and at most a tenth of the heap together. */
const mostKnown = () => Math.floor(v8.getHeapStatistics().heap_size_limit / 10 / 700)

/**
 * The sessions that this process need not ask the store for. Each is entered before the store is asked: a change that
 * is reported before the response, or together with it, takes the entry away, and nothing outdated is remembered.
 */
export class KnownSessions {
  readonly #tokens = new Map<string, string>()
  readonly #owners = new Map<string, Owner>()
  // Not `max`, which would reserve the memory at once.
  readonly #entries = new LRUCache<string, Entry>({
    maxSize: mostKnown(),
    sizeCalculation: () => 1,
    dispose: entry => this.#leave(entry)
  })

  // By the token: a guarded request need not hash it.
  get(token: string): KnownSession | null {
    const entry = this.#entries.get(token)
    return entry?.owner.isCurrent ? entry.session : null
  }

  /** Returns what `read` resolves to, and remembers it unless the session has been ended meanwhile. */
  async remember(
    sent: string,
    id: string,
    ownerName: string,
    read: () => Promise<KnownSession | null>
  ): Promise<KnownSession | null> {
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

  #enter(name: string): Owner {
    const owner = this.#owners.get(name) ?? { name: copyOf(name), sessions: 0, isCurrent: true }
    owner.sessions++
    this.#owners.set(owner.name, owner)
    return owner
  }

  #leave({ id, owner }: Entry): void {
    this.#tokens.delete(id)
    owner.sessions--
    if (owner.sessions === 0 && owner.isCurrent) this.#owners.delete(owner.name)
  }
}
