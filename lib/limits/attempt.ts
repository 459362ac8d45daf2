import { randomBytes } from 'node:crypto'
import type { Store } from '../stores/index.ts'
import type { FailureLimit } from './options.ts'

/** The store with the counts of failures, and the logins of this process that are taking or holding places there. */
export type Counts = { store: Store; attempts: Set<Attempt> }
/** The milliseconds until a full count ends, and the logins of this process that may still give a place back. */
export type FullCount = { ms: number; holders: Attempt[] }

/**
 * A login and its places in the counts. It takes them before the check, so that parallel guesses get no more checks
 * than sequential ones. Places that are not given back are failures.
 */
export class Attempt {
  readonly #counts: Counts
  readonly #id = randomBytes(9).toString('base64url')
  readonly #keys = new Set<string>()
  /** Lets the logins that wait for a place of this one try again. */
  end!: () => void
  readonly ended = new Promise<void>(resolve => {
    this.end = () => {
      this.#counts.attempts.delete(this)
      resolve()
    }
  })

  constructor(counts: Counts) {
    this.#counts = counts
    counts.attempts.add(this)
  }

  /** Takes a place. Resolves to null, or to the count if it is full. */
  async take(key: string, { failures, seconds }: FailureLimit): Promise<FullCount | null> {
    const { store, attempts } = this.#counts
    const holders = () => [...attempts].filter(other => other.#keys.has(key))
    const before = holders()
    const { taken, ms } = await store.take(key, failures, seconds * 1000, this.#id)
    // A login may have ended after the store had refused this one, but before its reply was read.
    if (!taken) return { ms, holders: [...before, ...holders()] }
    this.#keys.add(key)
    return null
  }

  /** Never rejects: a place that the store does not take back counts until its count ends. */
  async giveBack(): Promise<void> {
    await Promise.allSettled([...this.#keys].map(async key => this.#counts.store.giveBack(key, this.#id)))
    this.end()
  }
}
