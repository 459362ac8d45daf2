import { LRUCache } from 'lru-cache'
import {
  FAILURE,
  type FailureCount,
  type FailureStore,
  type FailureStoreOptions,
  failuresIn
} from './failure-store.ts'

/** Keys of each sort: some 6 MB when all are taken. */
const MOST_KEYS = 40_000

/** Keys of one name that `block` keeps. */
const MOST_OF_A_NAME = 20

const NOTHING: FailureCount = { consumedPoints: 0, msBeforeNext: 0 }

interface Entry {
  points: number
  /** By the clock of the system: one that stands still while the machine sleeps would make a block longer. */
  until: number
}

/**
 * Counts in this process, and drops the oldest key when there are too many: the names that are tried come from the
 * client. What has not failed, what has, and what is blocked is kept apart, so that nobody can push out a failure by trying
 * while blocked, or a block by failing with other names.
 */
export class MemoryStore implements FailureStore {
  readonly hasNoTimerLimit = true
  readonly #counted = [entries<Entry>(), entries<Entry>(), entries<Entry>()] as const
  /** By name: who logs in from many networks makes it forget no other name's. */
  readonly #kept = entries<Map<string, Entry>>()
  readonly #points: number
  readonly #duration: number

  constructor({ points, duration }: Pick<FailureStoreOptions, 'points' | 'duration'>) {
    this.#points = points
    this.#duration = duration
  }

  async get(key: string): Promise<FailureCount | null> {
    return toCount(this.#find(key))
  }

  async penalty(
    key: string,
    points: number,
    { customDuration = this.#duration }: { customDuration?: number } = {}
  ): Promise<FailureCount> {
    const entry = this.#find(key) ?? { points: 0, until: Date.now() + customDuration * 1000 }
    this.take(key)
    entry.points += points
    const failures = failuresIn(entry.points)
    const sort = failures <= 0 ? 0 : failures < this.#points ? 1 : 2
    if (entry.points !== 0) this.#counted[sort].set(key, entry)
    return toCount(entry) as FailureCount
  }

  async reward(key: string, points: number): Promise<FailureCount> {
    return this.#find(key) === undefined ? NOTHING : this.penalty(key, -points)
  }

  async block(key: string, seconds: number): Promise<void> {
    const keys = this.#kept.get(nameIn(key)) ?? new Map<string, Entry>()
    this.#kept.set(nameIn(key), keys)
    keys.delete(key)
    keys.set(key, { points: FAILURE, until: Date.now() + seconds * 1000 })
    const [oldest = ''] = keys.keys()
    if (keys.size > MOST_OF_A_NAME) keys.delete(oldest)
  }

  async delete(key: string): Promise<void> {
    this.take(key)
  }

  /** Returns what is counted for a key, and forgets it, in one step. */
  take(key: string): FailureCount | null {
    const count = toCount(this.#find(key))
    for (const entries of this.#counted) entries.delete(key)
    return count
  }

  /** The keys for which something is counted. */
  keys(): string[] {
    return this.#counted.flatMap(entries => [...entries.keys()]).filter(key => this.#find(key))
  }

  #find(key: string): Entry | undefined {
    const found = [this.#kept.get(nameIn(key)), ...this.#counted].map(entries => entries?.get(key))
    return found.find(entry => entry && entry.until > Date.now())
  }
}

/** By size and not by number: for a number the place would be taken at once. */
function entries<Value extends object>(): LRUCache<string, Value> {
  return new LRUCache({ maxSize: MOST_KEYS, sizeCalculation: () => 1 })
}

/** The part of a key in front of the network. */
function nameIn(key: string): string {
  return key.split('@', 1)[0] as string
}

function toCount(entry: Entry | undefined): FailureCount | null {
  return entry ? { consumedPoints: entry.points, msBeforeNext: entry.until - Date.now() } : null
}
