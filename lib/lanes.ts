import PQueue from 'p-queue'

/** Queues by name, each of which is there only while somebody uses it. */
export class Lanes {
  readonly #lanes = new Map<string, { queue: PQueue; users: number }>()

  async use<T>(name: string, work: (lane: PQueue) => Promise<T>): Promise<T> {
    const lane = this.#lanes.get(name) ?? { queue: new PQueue(), users: 0 }
    this.#lanes.set(name, lane)
    lane.users++
    try {
      return await work(lane.queue)
    } finally {
      lane.users--
      if (lane.users === 0) this.#lanes.delete(name)
    }
  }
}
