import { LRUCache } from 'lru-cache'
import { checkOption, InvalidAnswerError, InvalidOptionError, isFunction } from '../shared/index.ts'

/** Points of a failure. A check that is running has one point: so one number, changed in one step, holds both. */
export const FAILURE = 100_000

/** What a store says of one key: its points, and the milliseconds until it is forgotten. */
export interface FailureCount {
  consumedPoints: number
  msBeforeNext: number
}

/** What the throttle needs of a limiter of rate-limiter-flexible. */
export interface FailureStore {
  /** Whether it can keep a key for 30 days. Default: if it has a `client`, because no timer of Node is set for so long. */
  readonly hasNoTimerLimit?: boolean
  get(key: string): Promise<FailureCount | null>
  /**
   * Adds points, in one step that nothing can come between. The first ones start the time of the counter.
   *
   * @param options.customDuration the seconds of a counter that this starts. Default: `duration`
   */
  penalty(key: string, points: number, options?: { customDuration: number }): Promise<FailureCount>
  /** Takes points back. */
  reward(key: string, points: number): Promise<FailureCount>
  /** Keeps a key for so many seconds. */
  block(key: string, seconds: number): Promise<unknown>
  delete(key: string): Promise<unknown>
}

/** Options of a limiter of rate-limiter-flexible. */
export interface FailureStoreOptions {
  /** Keeps what the throttle counts apart within one store. */
  keyPrefix: string
  /** Failures that are allowed. */
  points: number
  /** Seconds until a counter starts again. */
  duration: number
}

/**
 * Makes a store of the throttle with the host's function.
 *
 * @throws InvalidOptionError when the function fails or returns something else
 */
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

/** The failures in a number of points; the rest is running checks, less than none when some ended twice. */
export function failuresIn(points: number): number {
  return Math.round(points / FAILURE)
}

/** @throws InvalidAnswerError when a store has returned no numbers: then no limit would ever be reached */
export function checkCount(count: FailureCount): FailureCount {
  if (Number.isFinite(count?.consumedPoints) && Number.isFinite(count.msBeforeNext)) return count
  throw new InvalidAnswerError('the store of the throttle must return numbers')
}

/**
 * What a store has counted for a key; null when it has counted nothing.
 *
 * @throws InvalidAnswerError as {@link checkCount}
 */
export async function countOf(store: FailureStore, key: string): Promise<FailureCount | null> {
  const count = await store.get(key)
  return count === null ? null : checkCount(count)
}

/** Keys of each sort: some 6 MB when all are taken. */
const MOST_KEYS = 40_000

/** Keys of one name that `block` keeps. */
const MOST_OF_A_NAME = 20

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
  readonly #options: Pick<FailureStoreOptions, 'points' | 'duration'>

  constructor({ points, duration }: Pick<FailureStoreOptions, 'points' | 'duration'>) {
    this.#options = { points, duration }
  }

  async get(key: string): Promise<FailureCount | null> {
    return toCount(this.#find(key))
  }

  async penalty(key: string, points: number, { customDuration = this.#options.duration } = {}): Promise<FailureCount> {
    const entry = this.#find(key) ?? { points: 0, until: Date.now() + customDuration * 1000 }
    this.take(key)
    entry.points += points
    const failures = failuresIn(entry.points)
    const sort = failures <= 0 ? 0 : failures < this.#options.points ? 1 : 2
    if (entry.points !== 0) this.#counted[sort].set(key, entry)
    return toCount(entry) as FailureCount
  }

  async reward(key: string, points: number): Promise<FailureCount> {
    return this.#find(key) ? this.penalty(key, -points) : { consumedPoints: 0, msBeforeNext: 0 }
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
