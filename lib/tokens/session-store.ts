import { TokenStoreError } from '../shared/errors.ts'

/**
 * Where {@link opaqueTokens} keeps the sessions: a Keyv with any of its adapters, or whatever has the same three
 * functions. Each may answer a promise; a throw means "cannot tell". Keys are short ASCII, values are JSON.
 */
export interface TokenStore {
  /** Answers the value, or undefined or null when there is none. */
  get(key: string): unknown
  /** @param ttl milliseconds after which the value is gone */
  // biome-ignore lint/suspicious/noExplicitAny: Keyv and Map say more exactly what they take
  set(key: string, value: any, ttl: number): unknown
  delete(key: string): unknown
}

/** What an emitter of errors offers; Keyv and its adapters are some. */
type Emitter = { on?: (event: 'error', listener: (error: unknown) => void) => unknown }

/**
 * A store whose failures throw. Keyv reports them as a miss and an `error` event instead; taken for a miss, they would
 * refuse every token, and each client would drop its own.
 */
export class LoudStore {
  readonly #store: TokenStore
  #errors = 0
  #lastError: unknown

  constructor(store: TokenStore & Emitter & { store?: Emitter }) {
    this.#store = throwing(store)
    const listen = (error: unknown) => {
      this.#errors++
      this.#lastError = error
    }
    // Besides, an `error` event that nobody listens to ends the process. And a Keyv may keep those of its adapter quiet.
    store.on?.('error', listen)
    store.store?.on?.('error', listen)
  }

  /**
   * Answers null when there is nothing.
   *
   * @throws TokenStoreError, as every other method does
   */
  get(key: string): Promise<unknown> {
    return this.#ask(
      async () => (await this.#store.get(key)) ?? null,
      answer => answer !== null
    )
  }

  /** @param ttl milliseconds */
  async set(key: string, value: unknown, ttl: number): Promise<void> {
    const answer = await this.#ask(() => this.#store.set(key, value, ttl))
    if (answer === false) throw new TokenStoreError('failed', { cause: this.#lastError })
  }

  async delete(key: string): Promise<void> {
    await this.#ask(() => this.#store.delete(key))
  }

  /** @param isProof whether an answer shows that the store has worked, whatever it has reported meanwhile */
  async #ask(ask: () => unknown, isProof?: (answer: unknown) => boolean): Promise<unknown> {
    const before = this.#errors
    let answer: unknown
    try {
      answer = await ask()
    } catch (cause) {
      throw new TokenStoreError('failed', { cause })
    }
    if (this.#errors === before || isProof?.(answer)) return answer
    throw new TokenStoreError('failed', { cause: this.#lastError })
  }
}

/** Keyv 5 must be told to throw; a view of it is, because elsewhere the host may like it as it is. */
function throwing(store: TokenStore & { throwOnErrors?: boolean }): TokenStore {
  return store.throwOnErrors === false ? Object.assign(Object.create(store), { throwOnErrors: true }) : store
}
