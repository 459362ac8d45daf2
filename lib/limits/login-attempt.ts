import { ThrottleFailedError } from '../shared/index.ts'
import type { Admission, FailureCounter } from './failure-counter.ts'
import type { Release } from './running-checks.ts'

/** A counter, and what it counts this attempt under. */
export interface Count {
  counter: FailureCounter
  key: string
}

/** An attempt to log in. Its check is counted before it runs, as one that may fail. */
export class LoginAttempt {
  /** The pair of name and network first, and the widest last: what one refuses is not held against those before. */
  readonly #counts: Count[]
  readonly #remember: () => Promise<void>
  readonly #releases: Release[] = []

  /** @param remember is called when the attempt has succeeded */
  constructor(counts: Count[], remember: () => Promise<void>) {
    this.#counts = counts
    this.#remember = remember
  }

  /**
   * Counts the check, unless it must not run. Afterwards it must be released, whatever comes of it.
   *
   * @returns `full` when others have to end before, a number of seconds when it is blocked
   * @throws ThrottleFailedError when a store fails, as every other method does
   */
  async admit(): Promise<Admission> {
    for (const { counter, key } of this.#counts) {
      const admission = await askStore(() => counter.admit(key, this.#releases))
      if (admission !== 'admitted') return admission
    }
    return 'admitted'
  }

  /** Whether others have to end before. */
  async isFull(): Promise<boolean> {
    const full = await askStore(() =>
      Promise.all(this.#counts.map(({ counter, key }) => counter.isFull(key)))
    )
    return full.includes(true)
  }

  /** Counts a failure, before the attempt is released: in between, none of the counts would know of it. */
  async failed(): Promise<void> {
    if (this.#isReleased) return
    await askStore(() => Promise.all(this.#counts.map(({ counter, key }) => counter.failed(key))))
  }

  /** Forgets the failures of the pair, before the attempt is released. */
  async succeeded(): Promise<void> {
    if (this.#isReleased) return
    const [{ counter, key }] = this.#counts as [Count]
    await askStore(() => Promise.all([counter.clear(key), this.#remember()]))
  }

  /** The check is over, or must not run. A count that cannot be taken back is forgotten by itself. */
  async release(): Promise<void> {
    await Promise.allSettled(this.#releases.splice(0).map(async release => release()))
  }

  /** Once the attempt is released, others may have been blocked: a late result must not change that. */
  get #isReleased(): boolean {
    return this.#releases.length === 0
  }
}

/** @throws ThrottleFailedError when a store fails */
export async function askStore<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (cause) {
    throw new ThrottleFailedError({ cause })
  }
}
