import { LRUCache } from 'lru-cache'
import { checkOption, InvalidAnswerError, InvalidOptionError, isFunction } from '../shared/index.ts'

/** Points of one failure. A running check has one point, so that one atomic number counts failures and checks. */
export const FAILURE = 100_000

/** The points of a key, and the milliseconds until it expires. */
export interface FailureCount {
  consumedPoints: number
  msBeforeNext: number
}

/** The part of a rate-limiter-flexible limiter that the throttle uses. */
export interface FailureStore {
  /**
   * Whether the store can keep a key for 30 days. A store with Node timers cannot: they take at most 24 days. Default:
   * true if the store has a `client`, because such a store sets no timers.
   */
  readonly hasNoTimerLimit?: boolean
  get(key: string): Promise<FailureCount | null>
  /**
   * Adds points atomically. The first points of a key start its counter.
   *
   * @param options.customDuration seconds until a new counter expires. Default: `duration`
   */
  penalty(key: string, points: number, options?: { customDuration: number }): Promise<FailureCount>
  /** Subtracts points. */
  reward(key: string, points: number): Promise<FailureCount>
  /** Keeps a key for the given number of seconds. */
  block(key: string, seconds: number): Promise<unknown>
  delete(key: string): Promise<unknown>
}

/** The options that the plugin passes to `throttle.store`, for a limiter of rate-limiter-flexible. */
export interface FailureStoreOptions {
  /** A prefix of the keys, so that several counters can share one database. */
  keyPrefix: string
  /** Allowed failures. */
  points: number
  /** Seconds until a counter restarts. */
  duration: number
}

/** @throws InvalidOptionError when the function fails, or does not return a `FailureStore` */
export async function makeStore(make: () => FailureStore | Promise<FailureStore>): Promise<FailureStore> {
  const store = await (async () => make())().catch(cause => {
    if (cause instanceof InvalidOptionError) throw cause
    throw new InvalidOptionError('option `throttle.store` must not fail; see the cause', { cause })
  })
  const rule = 'must return a limiter of rate-limiter-flexible that has get, penalty, reward, block and delete'
  checkOption(isStore(store), 'throttle.store', rule)
  return store
}

export function isStore(store: Partial<FailureStore> | null | undefined): boolean {
  return [store?.get, store?.penalty, store?.reward, store?.block, store?.delete].every(isFunction)
}

export function hasNoTimerLimit(store: FailureStore): boolean {
  return store.hasNoTimerLimit ?? 'client' in store
}

/**
 * The number of failures in `points`. The other points are running checks; they are negative if a check was released
 * twice.
 */
export function failuresIn(points: number): number {
  return Math.round(points / FAILURE)
}

/** @throws InvalidAnswerError when the store did not return numbers, because such a count would never reach a limit */
export function checkCount(count: FailureCount): FailureCount {
  if (Number.isFinite(count?.consumedPoints) && Number.isFinite(count.msBeforeNext)) return count
  throw new InvalidAnswerError('the store of the throttle must return numbers')
}

/** @throws InvalidAnswerError as {@link checkCount} */
export async function readCount(store: FailureStore, key: string): Promise<FailureCount | null> {
  const count = await store.get(key)
  return count === null ? null : checkCount(count)
}

/** Maximum number of keys in each list of a `MemoryStore`. A full list takes some 9 MB. */
const MAX_KEYS = 40_000

/** Maximum number of keys that `block` keeps for one name. */
const MAX_BLOCKS_PER_NAME = 20

interface Entry {
  points: number
  /** System time: a monotonic clock may stop while the machine sleeps, which would prolong a block. */
  expires: number
}

/**
 * Counts in the memory of this process. Clients choose the names, so a full list evicts its oldest key. Keys without
 * failures, keys with failures and blocked keys are in separate lists: blocked attempts cannot evict a failure, and
 * failures of other names cannot evict a block.
 */
export class MemoryStore implements FailureStore {
  readonly hasNoTimerLimit = true
  readonly #counted = [createEntries<Entry>(), createEntries<Entry>(), createEntries<Entry>()] as const
  /** Grouped by name, so that logins with one name from many networks do not evict the keys of other names. */
  readonly #blocks = createEntries<Map<string, Entry>>()
  readonly #options: Pick<FailureStoreOptions, 'points' | 'duration'>

  constructor({ points, duration }: Pick<FailureStoreOptions, 'points' | 'duration'>) {
    this.#options = { points, duration }
  }

  async get(key: string): Promise<FailureCount | null> {
    return toCount(this.#find(key))
  }

  async penalty(key: string, points: number, { customDuration = this.#options.duration } = {}): Promise<FailureCount> {
    const entry = this.#find(key) ?? { points: 0, expires: Date.now() + customDuration * 1000 }
    this.take(key)
    entry.points += points
    const failures = failuresIn(entry.points)
    const group = failures <= 0 ? 0 : failures < this.#options.points ? 1 : 2
    if (entry.points !== 0) this.#counted[group].set(key, entry)
    return toCount(entry) as FailureCount
  }

  async reward(key: string, points: number): Promise<FailureCount> {
    return this.#find(key) ? this.penalty(key, -points) : { consumedPoints: 0, msBeforeNext: 0 }
  }

  async block(key: string, seconds: number): Promise<void> {
    const keys = this.#blocks.get(namePart(key)) ?? new Map<string, Entry>()
    this.#blocks.set(namePart(key), keys)
    keys.delete(key)
    keys.set(key, { points: FAILURE, expires: Date.now() + seconds * 1000 })
    const [oldest = ''] = keys.keys()
    if (keys.size > MAX_BLOCKS_PER_NAME) keys.delete(oldest)
  }

  async delete(key: string): Promise<void> {
    this.take(key)
  }

  /** Returns and deletes the counter of a key, atomically. */
  take(key: string): FailureCount | null {
    const count = toCount(this.#find(key))
    for (const entries of this.#counted) entries.delete(key)
    return count
  }

  keys(): string[] {
    return this.#counted.flatMap(entries => [...entries.keys()]).filter(key => this.#find(key))
  }

  #find(key: string): Entry | undefined {
    const found = [this.#blocks.get(namePart(key)), ...this.#counted].map(entries => entries?.get(key))
    return found.find(entry => entry && entry.expires > Date.now())
  }
}

/** Uses `maxSize`, because `max` allocates everything up front. */
function createEntries<Value extends object>(): LRUCache<string, Value> {
  return new LRUCache({ maxSize: MAX_KEYS, sizeCalculation: () => 1 })
}

/** The part of a key before the network. */
function namePart(key: string): string {
  return key.split('@', 1)[0] as string
}

function toCount(entry: Entry | undefined): FailureCount | null {
  return entry ? { consumedPoints: entry.points, msBeforeNext: entry.expires - Date.now() } : null
}
