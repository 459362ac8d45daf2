import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { InvalidAnswerError, ThrottleFailedError } from '../base/errors.ts'
import { publish } from '../base/events.ts'
import { withTimeout } from '../base/promises.ts'
import { MemoryStore } from '../stores/memory-store.ts'
import type { Store, Taken } from '../stores/store.ts'

/** Milliseconds that the host's store may take for one call. */
const TIMEOUT = 2000
/** Milliseconds between two probes during an outage. */
const PROBE_INTERVAL = 1000

class SilentStoreError extends Error {
  override message = `the store has not responded within ${TIMEOUT / 1000} s`
}

/**
 * Creates a store that uses the host's store and, while that fails or is silent, the memory of this process. Counts in
 * memory stay until they end: a store that fails again and again gives no new guesses.
 *
 * @param apps the servers that log an outage. While there are none, nobody asks whether the store is back
 */
export function withFallback(store: Store, apps: ReadonlySet<FastifyInstance>): Store {
  const memory = new MemoryStore()
  /** The last error of an outage; null while the store works. */
  let outage: Error | null = null
  /** Runs a function outside the async context of the login that notices the outage. */
  const runOutside = AsyncLocalStorage.snapshot()

  async function ask<T>(call: (store: Store) => T, isSkipped = outage !== null): Promise<Awaited<T>> {
    if (isSkipped) throw outage
    try {
      return await withTimeout((async () => call(store))(), TIMEOUT, () => new SilentStoreError())
    } catch (cause) {
      const isNew = outage === null
      // Wrapped, because a store may throw any value, even one that cannot be logged.
      outage = new ThrottleFailedError({ cause })
      if (isNew) runOutside(waitForStore, outage)
      throw outage
    }
  }

  async function waitForStore(error: Error): Promise<void> {
    for (const { log } of apps)
      log.warn({ err: error }, `${error.message}; meanwhile this process counts failed logins for itself`)
    if (apps.size > 0) publish('throttle', { outcome: 'store-down' }, { cause: error.cause })
    const isBack = () => ask(takeFrom(...newCount()), false).then(Boolean, () => false)
    do await sleep(PROBE_INTERVAL, undefined, { ref: false })
    while (apps.size > 0 && !(await isBack()))
    outage = null
    for (const { log } of apps) log.info('screen-auth: the store of the throttle is back')
    if (apps.size > 0) publish('throttle', { outcome: 'store-back' })
  }

  /** Changes memory and store. Rejects while the store is down: nobody must believe that an unlock has worked. */
  async function change(call: (store: Store) => unknown, isSkipped?: boolean): Promise<void> {
    call(memory)
    await ask(call, isSkipped)
  }

  /** Only a silent store is skipped by `get` and `giveBack`: a full one still does both. */
  const isSilent = () => outage?.cause instanceof SilentStoreError

  return {
    get: async key => (await ask(async it => it.get(key), isSilent()).catch(() => null)) ?? (outage && memory.get(key)),
    take: (...args) => ask(takeFrom(...args)).catch(() => memory.take(...args)),
    set: (key, value, ms) => change(it => it.set(key, value, ms)),
    delete: key => change(it => it.delete(key)),
    touch: (key, ms) => change(it => it.touch(key, ms)),
    giveBack: (key, id) => change(it => it.giveBack(key, id), isSilent())
  }
}

/** Arguments of `take` for which the store must write: one that is full still serves reads. */
const newCount = () => [`screen_auth_probe:${randomUUID()}`, 1, 1000, 'probe'] as const

/** Asks the store of the host, so that an outage shows before the first login. */
export const probe = (store: Store) => store.take(...newCount())

/** The function throws InvalidAnswerError if a store returns another value: such a count would never fill, or end. */
function takeFrom(...args: Parameters<Store['take']>) {
  return async (store: Store): Promise<Taken> => {
    const value = await store.take(...args)
    if (typeof value?.taken === 'boolean' && Number.isFinite(value.ms)) return value
    throw new InvalidAnswerError('`take` of `throttle.store` must return { taken, ms }')
  }
}
