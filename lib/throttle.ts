import { hash } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import { networkOf } from './address.ts'
import { demand } from './demand.ts'
import { InvalidAnswerError, InvalidOptionError, ThrottleFailedError } from './errors.ts'
import { type FailureStore, type FailureStoreOptions, isStore } from './failure-store.ts'
import { InsuredStore } from './insured-store.ts'
import type { FailureLimit, Kind, ThrottleSettings } from './throttle-options.ts'

/** The keys of the counters of one attempt: who tries to log in, and from where. */
export type Keys = Record<Kind, string>

/** What the counters say of an attempt. */
export interface Allowance {
  /** How many more failures it may have. */
  left: number
  /** Seconds for which it must not be tried when there is none. */
  wait: number
  /** Whether a success has failures to clear. */
  hasFailed: boolean
}

interface Counter extends FailureLimit {
  kind: Kind
  store: FailureStore
}

/** Counts failed logins. Without counters it is off, and lets everything pass. */
export class Throttle {
  readonly #counters: Counter[]

  private constructor(counters: Counter[]) {
    this.#counters = counters
  }

  /**
   * @param settings null switches it off
   * @param log where an insured store says that it is in use
   * @throws InvalidOptionError when `store` fails or answers no store
   */
  static async of(settings: ThrottleSettings | null, log: FastifyBaseLogger): Promise<Throttle> {
    if (settings === null) return new Throttle([])
    const counters = Object.entries(settings.limits).map(async ([kind, { failures, seconds }]) => {
      const options = { keyPrefix: `screen_auth_${kind}`, points: failures, duration: seconds }
      const store = await makeStore(settings, options)
      if (store instanceof InsuredStore) store.log = log
      return { kind: kind as Kind, failures, seconds, store }
    })
    return new Throttle(await Promise.all(counters))
  }

  /** @throws ThrottleFailedError when a store fails, as every other method does */
  async allowance(keys: Keys): Promise<Allowance> {
    try {
      const counts = await Promise.all(this.#counters.map(async ({ kind, store }) => store.get(keys[kind])))
      return toAllowance(this.#counters, counts)
    } catch (cause) {
      throw new ThrottleFailedError({ cause })
    }
  }

  async failed(keys: Keys): Promise<void> {
    await this.#each(async ({ kind, failures, seconds, store }) => {
      const { consumedPoints } = await store.penalty(keys[kind])
      // From the last failure on, not from the first: what is left of the time may be next to nothing.
      if (finite(consumedPoints) >= failures) await store.block(keys[kind], seconds)
    })
  }

  async succeeded(keys: Keys): Promise<void> {
    await this.#each(async ({ kind, store }) => {
      if (kind === 'usernameAndAddress') await store.delete(keys[kind])
    })
  }

  async #each<T>(ask: (counter: Counter) => Promise<T>): Promise<T[]> {
    try {
      return await Promise.all(this.#counters.map(ask))
    } catch (cause) {
      throw new ThrottleFailedError({ cause })
    }
  }
}

/** The strictest of what the counters say. Without counters everything is allowed. */
function toAllowance(counters: Counter[], counts: Awaited<ReturnType<FailureStore['get']>>[]): Allowance {
  const allowance = { left: Number.POSITIVE_INFINITY, wait: 0, hasFailed: false }
  counters.forEach(({ kind, failures }, i) => {
    const count = counts[i] as (typeof counts)[number]
    const left = count === null ? failures : failures - finite(count.consumedPoints)
    allowance.left = Math.min(allowance.left, left)
    if (count !== null && left <= 0) {
      const wait = Math.max(1, Math.ceil(finite(count.msBeforeNext) / 1000))
      allowance.wait = Math.max(allowance.wait, wait)
    }
    if (count !== null && kind === 'usernameAndAddress') allowance.hasFailed = true
  })
  return allowance
}

async function makeStore(settings: ThrottleSettings, options: FailureStoreOptions): Promise<FailureStore> {
  let store: FailureStore
  try {
    store = await settings.store(options)
  } catch (cause) {
    if (cause instanceof InvalidOptionError) throw cause
    throw new InvalidOptionError('option `throttle.store` must not fail; see the cause', { cause })
  }
  demand(
    isStore(store),
    'throttle.store',
    'must answer a limiter of rate-limiter-flexible that has get, penalty, block and delete'
  )
  return store
}

/** A number that a store has answered. With anything else no limit would ever be reached. */
function finite(number: unknown): number {
  if (Number.isFinite(number)) return number as number
  throw new InvalidAnswerError('the store of the throttle must answer numbers')
}

/** Names are hashed: they can be long, and some people type their password there. */
export function keysOf(username: string, address: string | undefined): Keys {
  const network = networkOf(address)
  const name = hash('sha256', plain(username), 'base64url')
  return { usernameAndAddress: `${name}@${network}`, address: network, username: name }
}

/** Without what a user store may ignore: then one name has many spellings, each with guesses of its own. */
function plain(username: string): string {
  return username
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]/gu, '')
    .trim()
    .toUpperCase()
}
