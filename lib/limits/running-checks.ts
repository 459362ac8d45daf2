import { type FailureStore, finite } from './failure-store.ts'

/** A check that is counted among those that are running. */
export interface RunningCheck {
  /** How many are running, this one included. */
  readonly position: number
  /** Takes it back. Call it once, when the check is over. */
  leave(): Promise<void>
}

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

  async count(key: string): Promise<number> {
    const counts = await Promise.all(this.#keys(key).map(async one => this.#store.get(one)))
    return counts.reduce((sum, count) => sum + finite(count?.consumedPoints ?? 0), 0)
  }

  async enter(key: string): Promise<RunningCheck> {
    const [now, before] = this.#keys(key)
    const { consumedPoints: position } = await this.#store.penalty(now)
    const leave = async () => void (await this.#store.reward(now))
    try {
      const earlier = await this.#store.get(before)
      return { position: finite(position) + finite(earlier?.consumedPoints ?? 0), leave }
    } catch (error) {
      await leave()
      throw error
    }
  }

  /** The keys of this slot and of the one before. */
  #keys(key: string): [string, string] {
    const slot = Math.floor(Date.now() / this.#slot)
    return [`${this.#kind}:${slot}:${key}`, `${this.#kind}:${slot - 1}:${key}`]
  }
}
