import { LRUCache } from 'lru-cache'
import type { FailureCount, FailureStore, FailureStoreOptions } from './failure-store.ts'

/** Keys that count, and as many again that are blocked: some 6 MB when full. */
const MOST_KEYS = 40_000

interface Entry {
  points: number
  /** By the clock of the system: one that stands still while the machine sleeps would make a block longer. */
  until: number
}

/**
 * Counts in this process, and drops the oldest key when there are too many: the names that are tried come from the
 * client. Blocked keys are kept apart, so that nobody can push them out by failing with other names.
 */
export class MemoryStore implements FailureStore {
  readonly hasNoTimerLimit = true
  readonly #counting = entries()
  readonly #blocked = entries()
  readonly #points: number
  readonly #milliseconds: number

  constructor({ points, duration }: Pick<FailureStoreOptions, 'points' | 'duration'>) {
    this.#points = points
    this.#milliseconds = duration * 1000
  }

  async get(key: string): Promise<FailureCount | null> {
    const entry = this.#find(key)
    return entry === undefined ? null : toCount(entry)
  }

  async penalty(key: string): Promise<FailureCount> {
    const entry = this.#find(key) ?? { points: 0, until: Date.now() + this.#milliseconds }
    entry.points++
    if (!this.#blocked.has(key)) this.#counting.set(key, entry)
    return toCount(entry)
  }

  async reward(key: string): Promise<FailureCount> {
    const entry = this.#find(key)
    if (entry === undefined) return { consumedPoints: 0, msBeforeNext: 0 }
    entry.points--
    if (entry.points === 0) this.#counting.delete(key)
    return toCount(entry)
  }

  async block(key: string, seconds: number): Promise<void> {
    this.#counting.delete(key)
    this.#blocked.set(key, { points: this.#points + 1, until: Date.now() + seconds * 1000 })
  }

  async delete(key: string): Promise<void> {
    this.#counting.delete(key)
    this.#blocked.delete(key)
  }

  #find(key: string): Entry | undefined {
    const entry = this.#blocked.get(key) ?? this.#counting.get(key)
    if (entry === undefined || entry.until > Date.now()) return entry
    this.#blocked.delete(key)
    this.#counting.delete(key)
    return undefined
  }
}

/** By size and not by number: for a number the place would be taken at once. */
function entries(): LRUCache<string, Entry> {
  return new LRUCache({ maxSize: MOST_KEYS, sizeCalculation: () => 1 })
}

function toCount({ points, until }: Entry): FailureCount {
  return { consumedPoints: points, msBeforeNext: until - Date.now() }
}
