import type { FastifyBaseLogger } from 'fastify'
import { TimeoutError } from 'p-timeout'
import { publish, ThrottleFailedError } from '../shared/index.ts'

/** Milliseconds between two questions whether the store is back. */
const INTERVAL = 1000

/** Whether the shared store of a throttle is down. It says so once, and once that it is back. */
export class Outage {
  /** Whether nobody should wait for the store: one that fails at once may still be read. */
  isSilent = false
  #state: 'up' | 'down' | 'closed' = 'up'
  readonly #log: Pick<FastifyBaseLogger, 'warn' | 'info'> | undefined

  constructor(log?: Pick<FastifyBaseLogger, 'warn' | 'info'>) {
    this.#log = log
  }

  /** @param probe writes something, because a store that is full, or a replica, can be read */
  begin(cause: unknown, probe: () => Promise<unknown>): void {
    this.isSilent ||= cause instanceof TimeoutError
    if (this.#state !== 'up') return
    this.#state = 'down'
    // Wrapped, because what a store throws can be anything, even something that cannot be logged.
    const err = new ThrottleFailedError({ cause })
    this.#log?.warn({ err }, `${err.message}; meanwhile this process counts failed logins for itself`)
    publish('throttle', { outcome: 'store-down' }, { cause })
    const ask = async () => {
      if (this.#state === 'down') await probe().then(() => this.#end(), askLater)
    }
    const askLater = () => void setTimeout(ask, INTERVAL).unref()
    askLater()
  }

  close(): void {
    this.#state = 'closed'
  }

  #end(): void {
    this.#state = 'up'
    this.isSilent = false
    this.#log?.info('screen-auth: the store of the throttle is back')
    publish('throttle', { outcome: 'store-back' })
  }
}
