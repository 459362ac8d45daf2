import { hash } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import { networkOf } from '../shared/client-address.ts'
import { InvalidAnswerError, InvalidOptionError, ThrottleFailedError } from '../shared/errors.ts'
import { demand } from '../shared/option-rules.ts'
import { type Admission, FailureCounter } from './failure-counter.ts'
import { type FailureStore, isStore } from './failure-store.ts'
import { InsuredStore } from './insured-store.ts'
import { KNOWN_SECONDS, KnownNetworks } from './known-networks.ts'
import type { Kind, ThrottleSettings } from './options.ts'
import { type RunningCheck, RunningChecks } from './running-checks.ts'

/** Limits failed logins by who tries, and from where. */
export class Throttle {
  readonly #counters: Record<Kind, FailureCounter>
  readonly #networks: KnownNetworks
  readonly #nameOf: ThrottleSettings['nameOf']

  private constructor(
    counters: Record<Kind, FailureCounter>,
    networks: KnownNetworks,
    nameOf: ThrottleSettings['nameOf']
  ) {
    this.#counters = counters
    this.#networks = networks
    this.#nameOf = nameOf
  }

  /**
   * @param timeout seconds that a check may take
   * @param log where an insured store says that it is in use
   * @throws InvalidOptionError when `store` fails or returns no store
   */
  static async of(
    { limits, store, nameOf }: ThrottleSettings,
    timeout: number,
    log: FastifyBaseLogger
  ): Promise<Throttle> {
    const make = (kind: string, points: number, duration: number) =>
      makeStore(() => store({ keyPrefix: `screen_auth_${kind}`, points, duration }), log)
    // A slot is longer than a check, and its count is kept until it does not count any more.
    const slot = 2 * timeout
    const running = await make('running', 1, 3 * slot)
    const counter = async (kind: Kind) => {
      const { failures, seconds } = limits[kind]
      const checks = new RunningChecks(running, slot * 1000, kind)
      return new FailureCounter(limits[kind], await make(kind, failures, seconds), checks)
    }
    const [usernameAndAddress, address, username, networks] = await Promise.all([
      counter('usernameAndAddress'),
      counter('address'),
      counter('username'),
      make('network', 1, KNOWN_SECONDS)
    ])
    return new Throttle({ usernameAndAddress, address, username }, new KnownNetworks(networks), nameOf)
  }

  /**
   * The attempt to log in with a name from an address, if it may be made.
   *
   * @returns the seconds to wait when it may not
   * @throws ThrottleFailedError when a store fails, as every method of an attempt does
   */
  async begin(username: string, address: string | undefined): Promise<Attempt | number> {
    const name = this.#hashOf(username)
    const network = networkOf(address)
    const { usernameAndAddress: pair, address: ofNetwork, username: ofName } = this.#counters
    const [isKnown, ...waits] = await asking(() =>
      Promise.all([
        this.#networks.has(name, network),
        pair.blockedFor(`${name}@${network}`),
        ofNetwork.blockedFor(network),
        ofName.blockedFor(name)
      ])
    )
    // From there, failures of strangers elsewhere must not lock the person out.
    if (isKnown) waits.pop()
    const wait = Math.max(...waits)
    if (wait > 0) return wait

    const counts = [
      { counter: pair, key: `${name}@${network}` },
      { counter: ofNetwork, key: network },
      { counter: ofName, key: name }
    ]
    if (isKnown) counts.pop()
    return new Attempt(counts, () => this.#networks.add(name, network))
  }

  /** Forgets the networks from which a name has logged in. */
  async forgetNetworks(username: string): Promise<void> {
    const name = this.#hashOf(username)
    await asking(() => this.#networks.forget(name))
  }

  /** Names are hashed: they can be long, and some people type their password there. */
  #hashOf(username: string): string {
    try {
      return hash('sha256', this.#nameOf(username), 'base64url')
    } catch (cause) {
      // Wrapped, because a status of the host's own error must not pass.
      throw new InvalidAnswerError('throttle.nameOf must return a string', { cause })
    }
  }
}

interface Count {
  counter: FailureCounter
  key: string
}

/** An attempt to log in. Its check is counted before it runs, as one that may fail. */
export class Attempt {
  /** The pair of name and network first, and the widest last: what one refuses is not held against those before. */
  readonly #counts: Count[]
  readonly #remember: () => Promise<void>
  readonly #checks: RunningCheck[] = []

  constructor(counts: Count[], remember: () => Promise<void>) {
    this.#counts = counts
    this.#remember = remember
  }

  /** Counts the check, unless it must not run: others have to end before, or not for so many seconds. */
  async admit(): Promise<'admitted' | Exclude<Admission, RunningCheck>> {
    try {
      for (const { counter, key } of this.#counts) {
        const admission = await counter.admit(key)
        if (typeof admission !== 'object') {
          await this.leave()
          return admission
        }
        this.#checks.push(admission)
      }
      return 'admitted'
    } catch (cause) {
      await this.leave()
      throw new ThrottleFailedError({ cause })
    }
  }

  /** Whether others have to end before. */
  async isFull(): Promise<boolean> {
    const full = await asking(() => Promise.all(this.#counts.map(({ counter, key }) => counter.isFull(key))))
    return full.includes(true)
  }

  async failed(): Promise<void> {
    await this.#end(() => Promise.all(this.#counts.map(({ counter, key }) => counter.failed(key))))
  }

  async succeeded(): Promise<void> {
    const [{ counter, key }] = this.#counts as [Count]
    await this.#end(() => Promise.all([counter.clear(key), this.#remember()]))
  }

  /** The check is over. A count that cannot be taken back is forgotten by itself. */
  async leave(): Promise<void> {
    await Promise.allSettled(this.#checks.splice(0).map(check => check.leave()))
  }

  /** What came of the check is counted before it leaves: in between, none of the counts would know of it. */
  async #end(count: () => Promise<unknown>): Promise<void> {
    const [result] = await Promise.allSettled([asking(count)])
    await this.leave()
    if (result.status === 'rejected') throw result.reason
  }
}

/** @throws ThrottleFailedError when a store fails */
async function asking<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (cause) {
    throw new ThrottleFailedError({ cause })
  }
}

async function makeStore(
  make: () => FailureStore | Promise<FailureStore>,
  log: FastifyBaseLogger
): Promise<FailureStore> {
  let store: FailureStore
  try {
    store = await make()
  } catch (cause) {
    if (cause instanceof InvalidOptionError) throw cause
    throw new InvalidOptionError('option `throttle.store` must not fail; see the cause', { cause })
  }
  demand(
    isStore(store),
    'throttle.store',
    'must return a limiter of rate-limiter-flexible that has get, penalty, reward, block and delete'
  )
  if (store instanceof InsuredStore) store.log = log
  return store
}
