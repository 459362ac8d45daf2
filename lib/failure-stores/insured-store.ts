import pTimeout from 'p-timeout'
import { checkOption, isCount } from '../shared/index.ts'
import {
  FAILURE,
  type FailureCount,
  type FailureStore,
  type FailureStoreOptions,
  isStore
} from './failure-store.ts'
import { MemoryStore } from './memory-store.ts'
import { Outage } from './outage.ts'

/** The shared store has so much time to respond. */
const TIME = { milliseconds: 2000 }

/**
 * A store of the throttle for several processes that counts in the memory of each, like the default, what the shared
 * one does not count within 2 seconds; while that is silent, nobody waits for it. The log, and the channel
 * `fastify-screen-auth.throttle`, say when an outage begins and when it is over. What a process has counted for itself is
 * added to what the shared store counts, until its time is over.
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
  /** All stores of a throttle are given the same one, because they fail together. */
  outage = new Outage()
  readonly hasNoTimerLimit: boolean
  readonly #shared: FailureStore
  readonly #memory: MemoryStore

  constructor(shared: FailureStore, memory: MemoryStore) {
    this.hasNoTimerLimit = shared.hasNoTimerLimit ?? 'client' in shared
    this.#shared = shared
    this.#memory = memory
  }

  async get(key: string): Promise<FailureCount | null> {
    const [all, own] = await Promise.all([this.#ask(shared => shared.get(key)), this.#memory.get(key)])
    return all === null || (own !== null && own.msBeforeNext > all.msBeforeNext) ? own : all
  }

  async penalty(key: string, points: number): Promise<FailureCount & { countedBy?: FailureStore }> {
    // A place that was reserved too late is nobody's.
    const undo = points === 1 ? () => this.#shared.reward(key, 1) : undefined
    const all = await this.#ask(shared => shared.penalty(key, points), undo)
    if (all === null) {
      // The place of this failure was reserved in the shared store.
      const own = await this.#memory.penalty(key, points === FAILURE - 1 ? FAILURE : points)
      return { ...own, countedBy: this.#memory }
    }
    const own = await this.#memory.get(key)
    if (own === null) return all
    const msBeforeNext = Math.min(all.msBeforeNext, own.msBeforeNext)
    return { consumedPoints: all.consumedPoints + own.consumedPoints, msBeforeNext }
  }

  reward(key: string, points: number): Promise<unknown> {
    return this.#ask(shared => shared.reward(key, points))
  }

  /** In both: while the shared store is down, the memory is asked. */
  block(key: string, seconds: number): Promise<unknown> {
    return Promise.all([this.#ask(shared => shared.block(key, seconds)), this.#memory.block(key, seconds)])
  }

  delete(key: string): Promise<unknown> {
    return Promise.all([this.#ask(shared => shared.delete(key)), this.#memory.delete(key)])
  }

  /** What the shared store returns; null when it fails or is silent. What it has done too late is undone. */
  async #ask<T>(ask: (shared: FailureStore) => Promise<T>, undo?: () => Promise<unknown>): Promise<T | null> {
    if (this.outage.isSilent) return null
    const reply = (async () => ask(this.#shared))()
    try {
      return await pTimeout(reply, TIME)
    } catch (cause) {
      reply.then(undo).catch(() => {})
      this.outage.begin(cause, async () => pTimeout(this.#shared.penalty('probe', 1), TIME))
      return null
    }
  }
}
