import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import {
  checkCount,
  type FailureStore,
  InsuredStore,
  makeStore,
  type Outage
} from '../failure-stores/index.ts'
import { InvalidAnswerError, LONGEST_TIME, networkOf, ThrottleFailedError } from '../shared/index.ts'
import { Counter, type Place } from './counter.ts'
import type { Kind, ThrottleSettings } from './options.ts'

/** Seconds for which a network is known after a login: 30 days. */
const KNOWN_SECONDS = 30 * 86_400

/** Counts what has come of a check: `unknown` when nobody is told. Only the first call counts. */
export type Settle = (outcome: 'failed' | 'succeeded' | 'unknown') => Promise<void>

type Means = Record<Kind, Counter> & { networks: FailureStore; nameOf: ThrottleSettings['nameOf'] }

/** Limits failed logins by who tries, and from where. Every method throws ThrottleFailedError when a store fails. */
export class Throttle {
  readonly #means: Means

  private constructor(means: Means) {
    this.#means = means
  }

  /** @throws InvalidOptionError when `store` fails or returns no store */
  static async create({ limits, store, nameOf }: ThrottleSettings, outage: Outage): Promise<Throttle> {
    const make = async (kind: string, points: number, duration: number) => {
      const made = await makeStore(() => store({ keyPrefix: `screen_auth_${kind}`, points, duration }))
      if (made instanceof InsuredStore) made.join(outage)
      return made
    }
    const counter = async (kind: Kind) =>
      new Counter(limits[kind], await make(kind, limits[kind].failures, limits[kind].seconds))
    return new Throttle({
      usernameAndAddress: await counter('usernameAndAddress'),
      address: await counter('address'),
      username: await counter('username'),
      networks: await make('network', 1, KNOWN_SECONDS),
      nameOf
    })
  }

  /**
   * Reserves a place for a check in each counter.
   *
   * @returns what settles it, or the seconds for which it is blocked; 0 when others have to end before
   */
  async reserve(name: string, network: string, request: FastifyRequest): Promise<Settle | number> {
    const { folded, exact } = this.#spellingsOf(name, request)
    const login = `${exact}@${network}`
    const isKnown = await inStore(() => this.#isKnown(exact, login))
    // What fails is counted for all spellings of a name; what a success grants is for the one that was entered.
    const pair = isKnown ? login : `${folded}@${network}`
    const { usernameAndAddress, address, username } = this.#means
    const reserved = [usernameAndAddress.reserve(pair, folded), address.reserve(network)]
    // In a network that is known, failures of strangers elsewhere must not lock the person out.
    if (!isKnown) reserved.push(username.reserve(folded))

    const results = await inStore(() => Promise.all(reserved)).catch(error => {
      for (const result of reserved) result.then(place => giveBack([place])).catch(() => {})
      throw error
    })
    const waits = results.filter(result => typeof result === 'number')
    if (waits.length > 0) {
      await giveBack(results)
      return Math.max(...waits)
    }
    const places = results as Place[]
    let isSettled = false
    return async outcome => {
      if (isSettled) return
      isSettled = true
      if (outcome === 'unknown') return giveBack(places)
      if (outcome === 'failed') return inStore(() => all(places.map(place => place.fail())))
      // In a network that is known, it ends the row of failures.
      const rows = isKnown ? places.splice(0, 1) : []
      return inStore(() => all([...rows.map(row => row.giveBackAll()), giveBack(places), this.#keep(login)]))
    }
  }

  /** Forgets the networks from which somebody has logged in with a name. */
  async forgetNetworks(username: string, request: FastifyRequest | null): Promise<void> {
    const { exact } = this.#spellingsOf(username, request)
    await inStore(() => this.#keep(exact))
  }

  /** Forgets the failures of a name, and those of an address. */
  async unlock(who: { username?: string; address?: string }, request: FastifyRequest | null): Promise<void> {
    const { usernameAndAddress, address, username } = this.#means
    const names = who.username === undefined ? [] : [this.#spellingsOf(who.username, request).folded]
    const networks = who.address === undefined ? [] : [networkOf(who.address)]
    await inStore(() =>
      Promise.all([
        ...names.flatMap(name => [username.unlock(name), usernameAndAddress.unlock(name)]),
        ...networks.map(network => address.unlock(network))
      ])
    )
  }

  async #isKnown(exact: string, login: string): Promise<boolean> {
    const { networks } = this.#means
    const timeOf = async (key: string) => {
      const count = await networks.get(key)
      return count === null ? 0 : checkCount(count).msBeforeNext
    }
    const [known, forgotten] = await Promise.all([timeOf(login), timeOf(exact)])
    // Of the two, the one that is kept longer from now is the newer.
    return known > forgotten
  }

  #keep(key: string): Promise<unknown> {
    const { networks } = this.#means
    const { hasNoTimerLimit = 'client' in networks } = networks
    return networks.block(key, hasNoTimerLimit ? KNOWN_SECONDS : LONGEST_TIME)
  }

  /** Hashed: a name can be long, and some people type their password there. */
  #spellingsOf(username: string, request: FastifyRequest | null): { folded: string; exact: string } {
    try {
      const name: unknown = this.#means.nameOf(username, request)
      if (typeof name === 'string') return { folded: digest(name), exact: digest(`${name}\0${username}`) }
      // If it is a promise, nobody else catches its error.
      Promise.resolve(name).catch(() => {})
      throw new Error('it returned something else')
    } catch (cause) {
      // Wrapped, because a status of the host's own error must not pass.
      throw new InvalidAnswerError('throttle.nameOf must return a string, and no promise', { cause })
    }
  }
}

async function giveBack(results: (Place | number)[]): Promise<void> {
  await Promise.all(results.map(result => typeof result !== 'number' && result.giveBack()))
}

async function all(changes: Promise<unknown>[]): Promise<void> {
  await Promise.all(changes)
}

function digest(name: string): string {
  return hash('sha256', name, 'base64url')
}

async function inStore<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (cause) {
    throw new ThrottleFailedError({ cause })
  }
}
