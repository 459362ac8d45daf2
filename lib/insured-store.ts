import type { FastifyBaseLogger } from 'fastify'
import { within } from './deadline.ts'
import { demand, isCount, isTime } from './demand.ts'
import { ThrottleFailedError } from './errors.ts'
import { BoundedMemory, type FailureStore, type FailureStoreOptions, isStore } from './failure-store.ts'

/** Seconds that the shared store may take for one answer. */
const TIMEOUT = 2

/** Made once: nobody wants to know where. */
const SILENT = new Error(`it took longer than ${TIMEOUT} s`)

/** Milliseconds between two warnings: failed logins come in floods. */
const WARNING_INTERVAL = 60_000

/**
 * A store of the throttle for several processes that counts in the memory of each, like the default, what the shared
 * one does not count within 2 seconds; while that is silent, only one call at a time waits for it. The log of the server
 * says so once a minute. What a process has counted for itself it keeps to itself, until its time is over or a login with
 * this process succeeds.
 *
 * Unlike with the `insuranceLimiter` of rate-limiter-flexible both counts are added up: a Redis that is full, or a
 * replica, can still be read, and would say for ever that nobody has failed.
 *
 * @param shared any limiter of rate-limiter-flexible that has `get`, `penalty`, `block` and `delete`
 * @param options what `throttle.store` was given
 * @throws `FST_SCREEN_AUTH_INVALID_OPTION` when one of them is something else
 *
 * @example
 * throttle: {
 *   // useRedisPackage: the client is that of redis or @keyv/redis. Without it ioredis is meant.
 *   store: options =>
 *     insuredStore(new RateLimiterRedis({ storeClient: redis, useRedisPackage: true, ...options }), options)
 * }
 */
export function insuredStore(shared: FailureStore, options: FailureStoreOptions): FailureStore {
  demand(
    isStore(shared) && isCount(options?.points) && isTime(options.duration),
    'insuredStore',
    'must be given a limiter that has get, penalty, block and delete, and then the options of `throttle.store`'
  )
  return new InsuredStore(shared, new BoundedMemory(options))
}

export class InsuredStore implements FailureStore {
  /** Where it says that the shared store fails. */
  log: Pick<FastifyBaseLogger, 'warn'> | undefined
  readonly #shared: FailureStore
  readonly #memory: BoundedMemory
  /** Whether the shared store did not answer the last time. */
  #isSilent = false
  /** How many calls wait for it. */
  #waiting = 0
  /** By a clock that nobody sets. */
  #nextWarning = 0

  constructor(shared: FailureStore, memory: BoundedMemory) {
    this.#shared = shared
    this.#memory = memory
  }

  async get(key: string): ReturnType<FailureStore['get']> {
    const [all, own] = await Promise.all([this.#tell(shared => shared.get(key)), this.#memory.get(key)])
    if (all === null || own === null) return all ?? own
    return {
      consumedPoints: all.consumedPoints + own.consumedPoints,
      msBeforeNext: Math.max(all.msBeforeNext, own.msBeforeNext)
    }
  }

  penalty(key: string): ReturnType<FailureStore['penalty']> {
    return this.#ask(
      shared => shared.penalty(key),
      () => this.#memory.penalty(key)
    )
  }

  /** In both, lest the shared one forgets it, or can be written and not be read. */
  block(key: string, seconds: number): Promise<unknown> {
    return Promise.all([this.#tell(shared => shared.block(key, seconds)), this.#memory.block(key, seconds)])
  }

  delete(key: string): Promise<unknown> {
    return Promise.all([this.#tell(shared => shared.delete(key)), this.#memory.delete(key)])
  }

  #tell<T>(ask: (shared: FailureStore) => Promise<T>): Promise<T | null> {
    return this.#ask<T | null>(ask, () => null)
  }

  async #ask<T>(ask: (shared: FailureStore) => Promise<T>, instead: () => T | Promise<T>): Promise<T> {
    if (this.#isSilent && this.#waiting > 0) return instead()
    this.#waiting++
    try {
      const answer = await within(TIMEOUT, ask(this.#shared), () => SILENT)
      this.#note(false)
      return answer
    } catch (cause) {
      this.#note(cause === SILENT)
      this.#warn(cause)
      return instead()
    }
  }

  #note(isSilent: boolean): void {
    this.#isSilent = isSilent
    this.#waiting--
  }

  #warn(cause: unknown): void {
    if (performance.now() < this.#nextWarning) return
    this.#nextWarning = performance.now() + WARNING_INTERVAL
    // Wrapped, because what a store throws can be anything, even something that cannot be logged.
    const err = new ThrottleFailedError({ cause })
    this.log?.warn({ err }, `${err.message}; meanwhile this process counts failed logins for itself`)
  }
}
