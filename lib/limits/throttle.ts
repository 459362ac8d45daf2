import { hash } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import { checkOption, InvalidAnswerError, InvalidOptionError } from '../shared/index.ts'
import { FailureCounter } from './failure-counter.ts'
import { type FailureStore, isStore } from './failure-store.ts'
import { InsuredStore } from './insured-store.ts'
import { KNOWN_SECONDS, KnownNetworks } from './known-networks.ts'
import { askStore, LoginAttempt } from './login-attempt.ts'
import { networkOf } from './network.ts'
import type { Kind, ThrottleSettings } from './options.ts'
import { RunningChecks } from './running-checks.ts'

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
  static async create(
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
  async begin(username: string, address: string | undefined): Promise<LoginAttempt | number> {
    const name = this.#hashOf(username)
    const network = networkOf(address)
    const { usernameAndAddress: pair, address: ofNetwork, username: ofName } = this.#counters
    const [isKnown, ...waits] = await askStore(() =>
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
    return new LoginAttempt(counts, () => this.#networks.add(name, network))
  }

  /** Forgets the networks from which a name has logged in. */
  async forgetNetworks(username: string): Promise<void> {
    const name = this.#hashOf(username)
    await askStore(() => this.#networks.forget(name))
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
  checkOption(
    isStore(store),
    'throttle.store',
    'must return a limiter of rate-limiter-flexible that has get, penalty, reward, block and delete'
  )
  if (store instanceof InsuredStore) store.log = log
  return store
}
