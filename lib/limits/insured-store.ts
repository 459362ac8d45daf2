import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import PQueue from 'p-queue'
import pTimeout, { TimeoutError } from 'p-timeout'
import { checkOption, isCount, publish, ThrottleFailedError } from '../shared/index.ts'
import {
  checkCount,
  countOf,
  FAILURE,
  type FailureCount,
  type FailureStore,
  type FailureStoreOptions,
  failuresIn,
  hasNoTimerLimit,
  isStore,
  MemoryStore
} from './failure-store.ts'

/**
 * A store of the throttle for several processes. While the shared one fails, or does not respond within 2 seconds, each
 * process goes on counting in its memory, and later logins do not wait. Failures that were counted so are told to the
 * shared store when that is back. The log, and the channel `fastify-screen-auth.throttle`, say when an outage begins and
 * when it is over.
 *
 * @param shared any limiter of rate-limiter-flexible that has `get`, `penalty`, `reward`, `block` and `delete`
 * @param options what `throttle.store` was given
 * @throws `FST_SCREEN_AUTH_INVALID_OPTION` when one of them is something else
 *
 * @example
 * throttle: {
 *   // useRedisPackage: the client is that of the package redis. Without it ioredis is meant.
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
  return new InsuredStore(shared, options)
}

export class InsuredStore implements FailureStore {
  readonly hasNoTimerLimit: boolean
  readonly #shared: FailureStore
  /** What the shared store does not know: less than nothing, while it still counts a check that has ended. */
  readonly #memory: MemoryStore
  /** The failures that the shared store has counted, as far as it has told. */
  readonly #known: MemoryStore
  #outage!: Outage

  constructor(shared: FailureStore, options: FailureStoreOptions) {
    this.hasNoTimerLimit = hasNoTimerLimit(shared)
    this.#shared = shared
    this.#memory = new MemoryStore(options)
    this.#known = new MemoryStore(options)
    this.join(new Outage())
  }

  /** All stores of a throttle are given one outage, because they fail together. */
  join(outage: Outage): void {
    this.#outage = outage
    // So many at a time that others know soon, and that logins do not wait for all.
    const queue = new PQueue({ concurrency: 100 })
    outage.whenOver(() => queue.addAll(this.#memory.keys().map(key => () => this.penalty(key, 0))))
  }

  async get(key: string): Promise<FailureCount | null> {
    const all = this.#outage.isSilent ? null : await this.#ask(() => countOf(this.#shared, key))
    const own = await this.#memory.get(key)
    return all === null || (own !== null && own.msBeforeNext > all.msBeforeNext) ? own : all
  }

  async penalty(key: string, points: number): Promise<FailureCount> {
    if (this.#outage.isDown) return this.#countHere(key, points)
    const untold = this.#memory.take(key)
    const before = untold?.consumedPoints ?? 0
    const sum = before + points
    const rest = restOf(untold)
    const takeBack = () => this.#memory.penalty(key, -sum)
    const all = await this.#ask(() => this.#add(key, sum, rest), key, takeBack)
    if (all === null) return this.#countHere(key, sum, rest)
    // Less than none: the counter has started again, and knows nothing of the checks that have ended.
    if (before < 0 && all.consumedPoints < 0) return this.penalty(key, -before)
    this.#known.take(key)
    const failures = Math.max(0, failuresIn(all.consumedPoints))
    await this.#known.penalty(key, failures * FAILURE, restOf(all))
    return all
  }

  reward(key: string, points: number): Promise<FailureCount> {
    return this.penalty(key, -points)
  }

  block(key: string, seconds: number): Promise<void> {
    return this.#inBoth(store => store.block(key, seconds))
  }

  async delete(key: string): Promise<void> {
    this.#known.take(key)
    await this.#inBoth(store => store.delete(key))
  }

  async #countHere(key: string, points: number, rest?: Rest): Promise<FailureCount> {
    const own = await this.#memory.penalty(key, points, rest)
    const known = await this.#known.get(key)
    if (known === null) return own
    const { msBeforeNext } = known.consumedPoints > own.consumedPoints ? known : own
    return { consumedPoints: own.consumedPoints + known.consumedPoints, msBeforeNext }
  }

  /** While the shared store is down, the memory is asked. */
  async #inBoth(change: (store: FailureStore) => Promise<unknown>): Promise<void> {
    await change(this.#memory)
    if (!this.#outage.isDown) await this.#ask(() => change(this.#shared))
  }

  async #add(key: string, points: number, rest: Rest): Promise<FailureCount> {
    if (points < 0) return checkCount(await this.#shared.reward(key, -points))
    // Without any seconds it would never end.
    const options = rest && { customDuration: Math.max(1, Math.ceil(rest.customDuration)) }
    return checkCount(await this.#shared.penalty(key, points, options))
  }

  #ask<T>(command: () => Promise<T>, key = 'probe', whenLate?: () => unknown): Promise<T | null> {
    // It writes, because a store that is full, or a replica, can be read.
    const probe = async () => this.#add(key, 0, restOf(await this.#memory.get(key)))
    return this.#outage.ask(command, probe, whenLate)
  }
}

type Rest = { customDuration: number } | undefined

/** What was counted in an outage is kept for the rest of its time. */
function restOf(count: FailureCount | null): Rest {
  return count === null ? undefined : { customDuration: count.msBeforeNext / 1000 }
}

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
  async ask<T>(command: () => Promise<T>, probe: () => Promise<unknown>, whenLate?: () => unknown): Promise<T | null> {
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
