import type { FastifyBaseLogger } from 'fastify'
import pTimeout from 'p-timeout'
import { checkOption, isCount, ThrottleFailedError } from '../shared/index.ts'
import {
  type FailureCount,
  type FailureStore,
  type FailureStoreOptions,
  isStore,
  secondsFor
} from './failure-store.ts'
import { MemoryStore } from './memory-store.ts'

/** Milliseconds that the shared store may take to respond. */
const TIMEOUT = 2000

/** Made once, because its stack says nothing. */
const SILENT = new Error(`it took longer than ${TIMEOUT / 1000} s`)

/** Milliseconds between two warnings: failed logins come in floods. */
const WARNING_INTERVAL = 60_000

/**
 * A store of the throttle for several processes that counts in the memory of each, like the default, what the shared
 * one does not count within 2 seconds; while that is silent, nobody waits for it. The log of the server says so once a
 * minute. What a process has counted for itself it keeps to itself, until its time is over or a login with this process
 * succeeds.
 *
 * Unlike with the `insuranceLimiter` of rate-limiter-flexible both counts are added up: a Redis that is full, or a
 * replica, can still be read, and would always say that no login has failed.
 *
 * @param shared any limiter of rate-limiter-flexible that has `get`, `penalty`, `reward`, `block` and `delete`
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
  checkOption(
    isStore(shared) && isCount(options?.points) && isCount(options.duration),
    'insuredStore',
    'must be given a limiter that has get, penalty, reward, block and delete, and then the options of `throttle.store`'
  )
  return new InsuredStore(shared, new MemoryStore(options))
}

export class InsuredStore implements FailureStore {
  readonly hasNoTimerLimit = true
  /** Where it says that the shared store fails. */
  log: Pick<FastifyBaseLogger, 'warn'> | undefined
  readonly #shared: FailureStore
  readonly #memory: MemoryStore
  /** Whether the shared store did not respond the last time. */
  #isSilent = false
  #isProbing = false
  /** By the monotonic clock. */
  #nextWarning = 0

  constructor(shared: FailureStore, memory: MemoryStore) {
    this.#shared = shared
    this.#memory = memory
  }

  async get(key: string): Promise<FailureCount | null> {
    const [all, own] = await Promise.all([this.#ask(shared => shared.get(key)), this.#memory.get(key)])
    return sum(all, own)
  }

  async penalty(key: string): Promise<FailureCount> {
    const all = await this.#ask(shared => shared.penalty(key))
    const own = all === null ? await this.#memory.penalty(key) : await this.#memory.get(key)
    return sum(all, own) as FailureCount
  }

  /** From the memory first: it has only what the shared store did not count. */
  async reward(key: string): Promise<FailureCount> {
    if ((await this.#memory.get(key)) !== null) return this.#memory.reward(key)
    return (await this.#ask(shared => shared.reward(key))) ?? this.#memory.reward(key)
  }

  /** In both, because the shared one may forget it, or be one that can be written and not be read. */
  block(key: string, seconds: number): Promise<unknown> {
    // For as long in both: of two keys, the one that is kept longer must be the newer.
    const time = secondsFor(this.#shared, seconds)
    return Promise.all([this.#ask(shared => shared.block(key, time)), this.#memory.block(key, time)])
  }

  delete(key: string): Promise<unknown> {
    return Promise.all([this.#ask(shared => shared.delete(key)), this.#memory.delete(key)])
  }

  /** What the shared store returns; null when it fails or is silent. */
  async #ask<T>(ask: (shared: FailureStore) => Promise<T>): Promise<T | null> {
    if (this.#isSilent) {
      this.#probe()
      return null
    }
    try {
      return await pTimeout(ask(this.#shared), { milliseconds: TIMEOUT, message: SILENT })
    } catch (cause) {
      this.#isSilent = cause === SILENT
      this.#warn(cause)
      return null
    }
  }

  /** Asks a silent store whether it is back, one question at a time. */
  #probe(): void {
    if (this.#isProbing) return
    this.#isProbing = true
    const over = (isSilent: boolean) => {
      this.#isProbing = false
      this.#isSilent = isSilent
    }
    const question = async () => this.#shared.get('probe')
    pTimeout(question(), { milliseconds: TIMEOUT, message: SILENT }).then(
      () => over(false),
      cause => over(cause === SILENT)
    )
  }

  #warn(cause: unknown): void {
    if (performance.now() < this.#nextWarning) return
    this.#nextWarning = performance.now() + WARNING_INTERVAL
    // Wrapped, because what a store throws can be anything, even something that cannot be logged.
    const err = new ThrottleFailedError({ cause })
    this.log?.warn({ err }, `${err.message}; meanwhile this process counts failed logins for itself`)
  }
}

/** Both counts together. */
function sum(all: FailureCount | null, own: FailureCount | null): FailureCount | null {
  if (all === null || own === null) return all ?? own
  return {
    consumedPoints: all.consumedPoints + own.consumedPoints,
    msBeforeNext: Math.max(all.msBeforeNext, own.msBeforeNext)
  }
}
