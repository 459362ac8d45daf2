import { randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { LONGEST_TIME } from '../../shared/index.ts'
import type { Changes, CheckedStore } from './checked-store.ts'

/** Milliseconds after a heartbeat that failed: a store that cannot be written is not bothered with each request. */
const PAUSE = 1_000

/**
 * Tells whether this process still hears what changes in the store. A connection may be silent without being closed, so
 * the process changes an entry of its own, time and again: when the store has reported that, it has reported all that
 * was changed before.
 */
export class StoreChanges {
  readonly #store: CheckedStore
  readonly #silence: number
  readonly #onChange: (key: string | null) => void
  readonly #ownChanges = new EventEmitter()
  #heardUntil = Number.NEGATIVE_INFINITY
  #pausedUntil = Number.NEGATIVE_INFINITY
  #heartbeat: AbortController | null = null
  /** Each heartbeat has a key of its own, so that a late report of the last one is not taken for one of this. */
  #key = ''
  #timer: NodeJS.Timeout | undefined

  /**
   * @param silence milliseconds without a word of the store after which it is no longer heard
   * @param onChange is called with the key of each change, and with null when changes may have been missed
   */
  constructor(
    store: CheckedStore,
    changes: Changes,
    silence: number,
    onChange: (key: string | null) => void
  ) {
    this.#store = store
    this.#silence = silence
    this.#onChange = onChange
    changes.onChange(key => {
      if (key === null) this.#lose()
      else if (key === this.#key) this.#ownChanges.emit('change')
      else onChange(key)
    })
  }

  /** Whether all that had changed `silence` milliseconds ago has been reported. */
  get areHeard(): boolean {
    return performance.now() < this.#heardUntil
  }

  /** Starts the heartbeat, which goes on as long as it is heard. */
  listen(): void {
    if (this.#heartbeat !== null || performance.now() < this.#pausedUntil) return
    this.#heartbeat = new AbortController()
    this.#key = `screen_auth_heartbeat:${randomUUID()}`
    const { signal } = this.#heartbeat
    this.#loseAt(performance.now() + this.#silence)
    this.#beat(this.#key, signal).catch(() => {
      if (signal.aborted) return
      this.#pausedUntil = performance.now() + PAUSE
      this.#lose()
    })
  }

  async #beat(key: string, signal: AbortSignal): Promise<never> {
    // Redis reports the change of a key to those who have read it; earlier, if it cannot keep in mind who has read what.
    let reported = this.#report(signal)
    await this.#store.get(key)
    for (;;) {
      this.#throwIfOver(signal)
      const sent = performance.now()
      // Each beat sets it anew, so it expires only when the heartbeat is over.
      await Promise.all([this.#store.set(key, sent, 3 * this.#silence), reported])
      this.#throwIfOver(signal)
      reported = this.#report(signal)
      // A connection that has lost a reply gives each request that of another.
      if ((await this.#store.get(key)) !== sent) throw new Error('the heartbeat was not read back')
      signal.throwIfAborted()
      this.#heardUntil = sent + this.#silence
      // Later: a process that was too busy to hear it believes again what it knows.
      this.#loseAt(this.#heardUntil + this.#silence)
      await sleep(this.#silence / 3, undefined, { ref: false, signal })
    }
  }

  /** Resolves when the store reports a change of the heartbeat's entry. */
  #report(signal: AbortSignal): Promise<unknown> {
    const report = once(this.#ownChanges, 'change', { signal })
    // Nobody may be waiting for it when the heartbeat is lost.
    report.catch(() => {})
    return report
  }

  #throwIfOver(signal: AbortSignal): void {
    signal.throwIfAborted()
    this.#store.throwIfClosed()
  }

  #loseAt(time: number): void {
    clearTimeout(this.#timer)
    const delay = Math.min(time - performance.now(), LONGEST_TIME * 1000)
    this.#timer = setTimeout(() => this.#lose(), delay).unref()
  }

  #lose(): void {
    clearTimeout(this.#timer)
    this.#heartbeat?.abort()
    this.#heartbeat = null
    this.#heardUntil = Number.NEGATIVE_INFINITY
    this.#onChange(null)
  }
}
