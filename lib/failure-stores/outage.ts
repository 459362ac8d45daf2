import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import pTimeout, { TimeoutError } from 'p-timeout'
import { publish, ThrottleFailedError } from '../shared/index.ts'

/** Milliseconds in which a shared store has to respond. */
const TIME = 2000

/** Milliseconds between two questions whether it is back. */
const INTERVAL = 1000

/** Whether the shared store of a throttle is down. It says so once, and once that the store is back. */
export class Outage {
  /** Whether each process counts for itself. */
  isDown = false
  /** Whether nobody should wait for the store: one that fails at once may still be read. */
  isSilent = false
  #isClosed = false
  readonly #listeners: (() => unknown)[] = []
  /** Leaves the async context of the login that finds the outage. */
  readonly #outside = AsyncLocalStorage.snapshot()
  readonly #log: Pick<FastifyBaseLogger, 'warn' | 'info'> | undefined

  constructor(log?: Pick<FastifyBaseLogger, 'warn' | 'info'>) {
    this.#log = log
  }

  /**
   * Asks the store, and resolves to null when it fails or is silent: then an outage begins.
   *
   * @param probe fails until the outage is over
   * @param whenLate is called when the reply comes all the same
   */
  async ask<T>(
    command: () => Promise<T>,
    probe: () => Promise<unknown>,
    whenLate?: () => unknown
  ): Promise<T | null> {
    const reply = (async () => command())()
    try {
      return await inTime(reply)
    } catch (cause) {
      reply.then(whenLate).catch(() => {})
      this.isSilent ||= cause instanceof TimeoutError
      if (!this.isDown) this.#outside(() => this.#begin(cause, probe))
      return null
    }
  }

  /** Calls a function at the end of each outage. */
  whenOver(listener: () => unknown): void {
    this.#listeners.push(listener)
  }

  close(): void {
    this.#isClosed = true
  }

  async #begin(cause: unknown, probe: () => Promise<unknown>): Promise<void> {
    this.isDown = true
    // Wrapped, because what a store throws can be anything, even something that cannot be logged.
    const err = new ThrottleFailedError({ cause })
    this.#log?.warn({ err }, `${err.message}; meanwhile this process counts failed logins for itself`)
    publish('throttle', { outcome: 'store-down' }, { cause })

    do {
      await sleep(INTERVAL, undefined, { ref: false })
      if (this.#isClosed) return
    } while ((await this.ask(probe, probe)) === null)

    this.isDown = false
    this.isSilent = false
    this.#log?.info('screen-auth: the store of the throttle is back')
    publish('throttle', { outcome: 'store-back' })
    for (const listener of this.#listeners) listener()
  }
}

/**
 * What a store replies in time. A process that is busy sends a command, and reads a reply that has arrived, only when the
 * event loop turns: these two turns are not the store's.
 *
 * @throws TimeoutError
 */
async function inTime<T>(reply: Promise<T>): Promise<T> {
  await Promise.race([reply, setImmediate()])
  const fail = async () => {
    await setImmediate()
    throw new TimeoutError(`it has not responded within ${TIME / 1000} s`)
  }
  return pTimeout(reply, { milliseconds: TIME, fallback: () => Promise.race([reply, fail()]) })
}
