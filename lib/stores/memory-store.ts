import { LRUCache } from 'lru-cache'
import type { Store, Taken } from './store.ts'

/** A value, or the ids of a count. `expires` is system time: a monotonic clock may stop while the machine sleeps. */
type Entry = { value: unknown; expires: number }
/** Of a cache, in bytes (estimated). */
const MAX_SIZE = 16 * 2 ** 20

/**
 * Keeps values and counts in the memory of this process. Clients choose many of the keys, so each kind of key (the word
 * before the colon) has its own bound, and evicts the entries that were set or taken least recently. Full counts have a
 * bound of their own, so that failures with other names evict no block.
 */
export class MemoryStore implements Store {
  readonly #kinds = new Map<string, Record<'full' | 'others', LRUCache<string, Entry>>>()

  get(key: string): unknown {
    return this.#find(key)?.value ?? null
  }

  set(key: string, value: unknown, ms: number): void {
    this.#replace(key, { value, expires: Date.now() + ms })
  }

  delete(key: string): void {
    for (const entries of Object.values(this.#kindOf(key))) entries.delete(key)
  }

  touch(key: string, ms: number): void {
    const entry = this.#find(key)
    if (entry) entry.expires = Date.now() + ms
  }

  take(key: string, limit: number, ms: number, id: string): Taken {
    const entry = this.#find(key) ?? { value: new Set(), expires: Infinity }
    // The clock may have been set back.
    entry.expires = Math.min(entry.expires, Date.now() + ms)
    const ids = entry.value as Set<string>
    const taken = ids.size < limit || ids.has(id)
    if (taken) this.#replace(key, { ...entry, value: ids.add(id) }, ids.size >= limit)
    return { taken, ms: entry.expires - Date.now() }
  }

  giveBack(key: string, id: string): void {
    const found = this.#find(key)
    const ids = found?.value as Set<string> | undefined
    if (!found || !ids?.delete(id)) return
    if (ids.size > 0) this.#replace(key, found)
    else this.delete(key)
  }

  #find(key: string): Entry | undefined {
    const { full, others } = this.#kindOf(key)
    return [full.peek(key), others.peek(key)].find(entry => entry && entry.expires > Date.now())
  }

  #replace(key: string, entry: Entry, isFull = false): void {
    this.delete(key)
    this.#kindOf(key)[isFull ? 'full' : 'others'].set(key, entry)
  }

  #kindOf(key: string) {
    const name = key.split(':', 1)[0] as string
    const kind = this.#kinds.get(name) ?? { full: createCache(), others: createCache() }
    this.#kinds.set(name, kind)
    return kind
  }
}

/** Not with `max`, which allocates everything up front. A cache drops what is larger than itself. */
function createCache(): LRUCache<string, Entry> {
  const sizeOf = (value: unknown) => (value instanceof Set ? 40 * value.size : JSON.stringify(value).length)
  const sizeCalculation = ({ value }: Entry) => Math.min(MAX_SIZE, 300 + sizeOf(value))
  return new LRUCache({ maxSize: MAX_SIZE, sizeCalculation })
}
