import { setTimeout as sleep } from 'node:timers/promises'
import pTimeout from 'p-timeout'
import { LONGEST_TIME } from '../../shared/index.ts'

/** A moment by two clocks: one stands still while the machine is suspended, and the other may be set back. */
class Moment {
  readonly #monotonic = performance.now()
  readonly #wall = Date.now()

  /** Milliseconds since then, by the clock that has gone further. */
  get age(): number {
    return Math.max(performance.now() - this.#monotonic, Date.now() - this.#wall)
  }
}

/** Whether what this process has read may be believed: for so long after a moment at which it was known to be true. */
export class Freshness {
  readonly #limit: number
  readonly #ping: (() => unknown) | undefined
  readonly #onLoss: () => void
  #known: Moment | null = null
  /** The heartbeat that counts: what an older one hears proves nothing. */
  #heartbeat: symbol | null = null

  /**
   * @param limit milliseconds; with 0 nothing is believed
   * @param ping proves that changes are heard; without it, all is read again when the time is over
   * @param onLoss is called when nothing that was read may be believed any more
   */
  constructor(limit: number, ping: (() => unknown) | undefined, onLoss: () => void) {
    this.#limit = limit
    this.#ping = ping
    this.#onLoss = onLoss
  }

  get isFresh(): boolean {
    return this.#known !== null && this.#known.age < this.#limit
  }

  /** Before something is read: begins anew if the time is over, or starts the heartbeat, which goes on while it is heard. */
  renew(): void {
    if (this.isFresh || this.#heartbeat !== null || this.#limit === 0) return
    if (this.#ping === undefined) {
      this.lose()
      this.#known = new Moment()
      return
    }
    const heartbeat = Symbol('heartbeat')
    this.#heartbeat = heartbeat
    this.#beat(heartbeat, this.#ping).catch(() => {
      if (this.#heartbeat === heartbeat) this.lose()
    })
  }

  /** Changes may have been missed. */
  lose(): void {
    this.#heartbeat = null
    this.#known = null
    this.#onLoss()
  }

  async #beat(heartbeat: symbol, ping: () => unknown): Promise<void> {
    // Twice: a process that was too busy to hear the response believes again what it knows.
    const milliseconds = Math.min(2 * this.#limit, LONGEST_TIME * 1000)
    while (this.#heartbeat === heartbeat) {
      const sent = new Moment()
      await pTimeout(Promise.resolve(ping()), { milliseconds })
      if (this.#heartbeat !== heartbeat) return
      this.#known = sent
      await sleep(this.#limit / 3, undefined, { ref: false })
    }
  }
}
