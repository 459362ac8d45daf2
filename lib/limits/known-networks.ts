import { type FailureStore, finite, secondsFor } from './failure-store.ts'

/** Seconds for which a network is known after a login: 30 days. */
export const KNOWN_SECONDS = 30 * 86_400

/**
 * The networks from which each name has logged in lately: OWASP's device cookies, with the network in the place of the
 * cookie. Each is a key that is kept for 30 days, and so is the name itself once its networks are forgotten. Of the two, the
 * one that is kept longer from now is the newer.
 *
 * Every method throws what the store throws.
 */
export class KnownNetworks {
  readonly #store: FailureStore

  constructor(store: FailureStore) {
    this.#store = store
  }

  async has(name: string, network: string): Promise<boolean> {
    const login = await this.#store.get(`${name}@${network}`)
    if (login === null) return false
    const forgotten = await this.#store.get(name)
    return forgotten === null || finite(login.msBeforeNext) > finite(forgotten.msBeforeNext)
  }

  add(name: string, network: string): Promise<void> {
    return this.#keep(`${name}@${network}`)
  }

  forget(name: string): Promise<void> {
    return this.#keep(name)
  }

  async #keep(key: string): Promise<void> {
    await this.#store.block(key, secondsFor(this.#store, KNOWN_SECONDS))
  }
}
