import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import PQueue from 'p-queue'
import pTimeout, { TimeoutError } from 'p-timeout'
import { checkOption, isCount, publish, ThrottleFailedError } from '../shared/index.ts'
import {
  checkCount,
  FAILURE,
  type FailureCount,
  type FailureStore,
  type FailureStoreOptions,
  failuresIn,
  hasNoTimerLimit,
  isStore,
  MemoryStore,
  readCount
} from './failure-store.ts'

/**
 * Creates a throttle store that several processes share and that survives an outage. While the shared store fails, or
 * does not respond within 2 seconds, each process counts failed logins in its own memory, and later logins do not wait
 * for the shared store. After the outage, each process sends its counts to the shared store. The log and the channel
 * `fastify-screen-auth.throttle` report the start and the end of an outage.
 *
 * @param shared any limiter of rate-limiter-flexible that has `get`, `penalty`, `reward`, `block` and `delete`
 * @param options the options that the plugin passes to `throttle.store`
 * @throws `FST_SCREEN_AUTH_INVALID_OPTION` when an argument is invalid
 *
 * @example
 * throttle: {
 *   // The client is from the package `redis`. Without `useRedisPackage`, the limiter expects an `ioredis` client.
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
  /** Points not yet sent to the shared store. Negative while the shared store still counts a check that has ended. */
  readonly #memory: MemoryStore
  /** The failures in the last response of the shared store. */
  readonly #lastKnown: MemoryStore
  #outage!: Outage

  constructor(shared: FailureStore, options: FailureStoreOptions) {
    this.hasNoTimerLimit = hasNoTimerLimit(shared)
    this.#shared = shared
    this.#memory = new MemoryStore(options)
    this.#lastKnown = new MemoryStore(options)
    this.useOutage(new Outage())
  }

  /** Replaces the outage of this store by one that all stores of the throttle share, because they fail together. */
  useOutage(outage: Outage): void {
    this.#outage = outage
    // Sends 100 counters in parallel: other processes get the failures soon, but logins do not wait for all counters.
    const queue = new PQueue({ concurrency: 100 })
    outage.onRecovery(() => queue.addAll(this.#memory.keys().map(key => () => this.penalty(key, 0))))
  }

  async get(key: string): Promise<FailureCount | null> {
    const shared = this.#outage.isUnresponsive ? null : await this.#callShared(() => readCount(this.#shared, key))
    const local = await this.#memory.get(key)
    return shared === null || (local !== null && local.msBeforeNext > shared.msBeforeNext) ? local : shared
  }

  async penalty(key: string, points: number): Promise<FailureCount> {
    if (this.#outage.isDown) return this.#countLocally(key, points)
    const unsent = this.#memory.take(key)
    const before = unsent?.consumedPoints ?? 0
    const sum = before + points
    const remaining = remainingTime(unsent)
    const takeBack = () => this.#memory.penalty(key, -sum)
    const shared = await this.#callShared(() => this.#add(key, sum, remaining), key, takeBack)
    if (shared === null) return this.#countLocally(key, sum, remaining)
    // The counter has restarted and no longer counts the ended checks: add the subtracted points again.
    if (before < 0 && shared.consumedPoints < 0) return this.penalty(key, -before)
    this.#lastKnown.take(key)
    const failures = Math.max(0, failuresIn(shared.consumedPoints))
    await this.#lastKnown.penalty(key, failures * FAILURE, remainingTime(shared))
    return shared
  }

  reward(key: string, points: number): Promise<FailureCount> {
    return this.penalty(key, -points)
  }

  block(key: string, seconds: number): Promise<void> {
    return this.#changeBoth(store => store.block(key, seconds))
  }

  async delete(key: string): Promise<void> {
    this.#lastKnown.take(key)
    await this.#changeBoth(store => store.delete(key))
  }

  async #countLocally(key: string, points: number, remaining?: RemainingTime): Promise<FailureCount> {
    const local = await this.#memory.penalty(key, points, remaining)
    const known = await this.#lastKnown.get(key)
    if (known === null) return local
    const { msBeforeNext } = known.consumedPoints > local.consumedPoints ? known : local
    return { consumedPoints: local.consumedPoints + known.consumedPoints, msBeforeNext }
  }

  /** Changes the memory, and also the shared store unless it is down. */
  async #changeBoth(change: (store: FailureStore) => Promise<unknown>): Promise<void> {
    await change(this.#memory)
    if (!this.#outage.isDown) await this.#callShared(() => change(this.#shared))
  }

  async #add(key: string, points: number, remaining: RemainingTime): Promise<FailureCount> {
    if (points < 0) return checkCount(await this.#shared.reward(key, -points))
    // At least 1, because a counter of 0 seconds would never expire.
    const options = remaining && { customDuration: Math.max(1, Math.ceil(remaining.customDuration)) }
    return checkCount(await this.#shared.penalty(key, points, options))
  }

  #callShared<T>(command: () => Promise<T>, key = 'probe', onLateResponse?: () => unknown): Promise<T | null> {
    // Probes with a write, because a full store or a replica still serves reads.
    const probe = async () => this.#add(key, 0, remainingTime(await this.#memory.get(key)))
    return this.#outage.call(command, probe, onLateResponse)
  }
}

type RemainingTime = { customDuration: number } | undefined

/** Points from an outage keep their expiry when they are sent to the shared store. */
function remainingTime(count: FailureCount | null): RemainingTime {
  return count === null ? undefined : { customDuration: count.msBeforeNext / 1000 }
}

/** Milliseconds after which a call of the shared store times out. */
const TIMEOUT = 2000

/** Milliseconds between two probes during an outage. */
const PROBE_INTERVAL = 1000

/** Tracks whether the shared store of a throttle is down. Reports the start and the end of each outage once. */
export class Outage {
  /** Whether this process counts in its own memory. */
  isDown = false
  /** Whether the store has timed out. Reads then skip the store. A store that fails at once is still read. */
  isUnresponsive = false
  #isClosed = false
  readonly #listeners: (() => unknown)[] = []
  /** Runs a function outside the async context of the login that detects the outage. */
  readonly #runOutside = AsyncLocalStorage.snapshot()
  readonly #log: Pick<FastifyBaseLogger, 'warn' | 'info'> | undefined

  constructor(log?: Pick<FastifyBaseLogger, 'warn' | 'info'>) {
    this.#log = log
  }

  /**
   * Calls the store. Resolves to null if the call fails or times out, which starts an outage.
   *
   * @param probe a call that rejects until the store works again
   * @param onLateResponse is called if the store responds after the timeout
   */
  async call<T>(
    command: () => Promise<T>,
    probe: () => Promise<unknown>,
    onLateResponse?: () => unknown
  ): Promise<T | null> {
    const response = (async () => command())()
    try {
      return await withTimeout(response)
    } catch (cause) {
      response.then(onLateResponse).catch(() => {})
      this.isUnresponsive ||= cause instanceof TimeoutError
      if (!this.isDown) this.#runOutside(() => this.#begin(cause, probe))
      return null
    }
  }

  onRecovery(listener: () => unknown): void {
    this.#listeners.push(listener)
  }

  close(): void {
    this.#isClosed = true
  }

  async #begin(cause: unknown, probe: () => Promise<unknown>): Promise<void> {
    this.isDown = true
    // Wrapped, because a store may throw any value, even one that cannot be logged.
    const err = new ThrottleFailedError({ cause })
    this.#log?.warn({ err }, `${err.message}; meanwhile this process counts failed logins for itself`)
    publish('throttle', { outcome: 'store-down' }, { cause })

    do {
      await sleep(PROBE_INTERVAL, undefined, { ref: false })
      if (this.#isClosed) return
    } while ((await this.call(probe, probe)) === null)

    this.isDown = false
    this.isUnresponsive = false
    this.#log?.info('screen-auth: the store of the throttle is back')
    publish('throttle', { outcome: 'store-back' })
    for (const listener of this.#listeners) listener()
  }
}

/**
 * Rejects if the store does not respond in time. The timeout excludes the turn of the event loop that sends the command
 * and the turn that reads the response, because a turn is long in a busy process.
 *
 * @throws TimeoutError
 */
async function withTimeout<T>(response: Promise<T>): Promise<T> {
  await Promise.race([response, setImmediate()])
  const fail = async () => {
    await setImmediate()
    throw new TimeoutError(`the store has not responded within ${TIMEOUT / 1000} s`)
  }
  return pTimeout(response, { milliseconds: TIMEOUT, fallback: () => Promise.race([response, fail()]) })
}
