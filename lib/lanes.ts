import { Gate } from './gate.ts'

/** Gates by name, each of which is there only while somebody uses it. */
export class Lanes {
  readonly #lanes = new Map<string, { lane: Gate; users: number }>()

  async use<T>(name: string, work: (lane: Gate) => Promise<T>): Promise<T> {
    const entry = this.#lanes.get(name) ?? { lane: new Gate(Number.POSITIVE_INFINITY), users: 0 }
    this.#lanes.set(name, entry)
    entry.users++
    try {
      return await work(entry.lane)
    } finally {
      entry.users--
      if (entry.users === 0) this.#lanes.delete(name)
    }
  }
}
