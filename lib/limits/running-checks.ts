import { type FailureStore, finite } from './failure-store.ts'

/** Takes a check back that is counted among those that are running. */
export type Release = () => Promise<unknown>

/**
 * Counts the checks that are running on all servers that share the store. Each is counted in the slot of time in which it
 * began, and the last two slots count: so none that is running is forgotten, and one that was never taken back, because a
 * store or a server failed, is forgotten soon.
 *
 * Every method throws what the store throws.
 */
export class RunningChecks {
  readonly #store: FailureStore
  readonly #slot: number
  readonly #kind: string

  /**
   * @param slot milliseconds of a slot; no check takes longer
   * @param kind keeps its keys apart from those of others in the store
   */
  constructor(store: FailureStore, slot: number, kind: string) {
    this.#store = store
    this.#slot = slot
    this.#kind = kind
  }

  /**
   * Counts a check, until it is released.
   *
   * @param releases gets what releases it
   * @returns how many are running, this one included
   */
  async acquire(key: string, releases: Release[]): Promise<number> {
    const [now, before] = this.#keys(key)
    const { consumedPoints } = await this.#store.penalty(now)
    releases.push(() => this.#store.reward(now))
    return finite(consumedPoints) + (await this.#points(before))
  }

  async count(key: string): Promise<number> {
    const [now, before] = await Promise.all(this.#keys(key).map(slot => this.#points(slot)))
    return (now as number) + (before as number)
  }

  async #points(slot: string): Promise<number> {
    const count = await this.#store.get(slot)
    return finite(count?.consumedPoints ?? 0)
  }

  /** The keys of this slot and of the one before. */
  #keys(key: string): [string, string] {
    const slot = Math.floor(Date.now() / this.#slot)
    return [`${this.#kind}:${slot}:${key}`, `${this.#kind}:${slot - 1}:${key}`]
  }
}
