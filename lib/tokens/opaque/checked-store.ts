import { TokenStoreError } from '../../shared/index.ts'

/**
 * Where {@link opaqueTokens} keeps the sessions: a Keyv with any of its adapters, or an object with the same three
 * functions. Each may return a promise. A failure must throw: a `get` that returns nothing instead logs people out. Keys
 * are short ASCII, values are JSON.
 */
export interface TokenStore {
  /** Returns the value, or undefined or null when there is none. */
  get(key: string): unknown
  /** @param ttl milliseconds after which the value is gone */
  // biome-ignore lint/suspicious/noExplicitAny: Keyv and Map say more exactly what they take
  set(key: string, value: any, ttl: number): unknown
  delete(key: string): unknown
  /**
   * Makes the store report what any process changes in it, this one too. A session is then believed without asking,
   * until a change of it is reported. A Keyv on Redis needs no such function (see {@link opaqueTokens}).
   *
   * It must not fail: what it subscribes to may be down, and is reported by null.
   *
   * @param listener expects, in the order of the changes and once for each, the key of each entry that this process has
   * read and that was set or deleted since; and null as soon as a change may have been missed, for example when a
   * connection was lost. After a report, `get` must return nothing older: no replica that lags behind
   *
   * @example
   * onChange(listener) {
   *   subscriber.on('message', key => listener(key))
   *   subscriber.on('disconnect', () => listener(null))
   * }
   */
  onChange?(listener: (key: string | null) => void): unknown
}

/** The changes that a store reports. */
export type Changes = Required<Pick<TokenStore, 'onChange'>>

/** What an emitter of errors offers; Keyv and its adapters are some. */
type Emitter = { on?: (event: 'error', listener: (error: unknown) => void) => unknown }

/** An adapter of Keyv; that of Redis has a client. */
type Adapter = Emitter & { client?: { isOpen: boolean } }

/**
 * A store whose failures throw. Keyv reports them as a miss and an `error` event; taken for a miss, they would refuse
 * every token, and each client would drop its own.
 */
export class CheckedStore {
  readonly #store: TokenStore
  readonly #adapter: Adapter | undefined
  #errors = 0
  #lastError: unknown

  constructor(store: TokenStore & Emitter & { store?: Adapter }) {
    this.#store = throwing(store)
    this.#adapter = store.store
    const listen = (error: unknown) => {
      this.#errors++
      this.#lastError = error
    }
    // An `error` event that nobody listens to ends the process. A Keyv may keep those of its adapter to itself.
    store.on?.('error', listen)
    store.store?.on?.('error', listen)
  }

  /**
   * Between two calls that belong together: a Keyv would open the connection again that the host has closed meanwhile,
   * and the process would not end.
   *
   * @throws TokenStoreError, as every other method does
   */
  throwIfClosed(): void {
    if (this.#adapter?.client?.isOpen === false)
      throw new TokenStoreError('failed', { cause: this.#lastError })
  }

  /** Returns null when there is nothing. */
  async get(key: string): Promise<unknown> {
    const read = async () => (await this.#store.get(key)) ?? null
    const before = this.#errors
    const value = await this.#call(read)
    if (value !== null || this.#errors === before) return value
    this.throwIfClosed()
    // The error may be that of another call: a store that is full can be read, and not written.
    return this.#ask(read, value => value !== null)
  }

  /** @param ttl milliseconds */
  async set(key: string, value: unknown, ttl: number): Promise<void> {
    const result = await this.#ask(() => this.#store.set(key, value, ttl))
    if (result === false) throw new TokenStoreError('failed', { cause: this.#lastError })
  }

  async delete(key: string): Promise<void> {
    await this.#ask(() => this.#store.delete(key))
  }

  /** @param isProof whether a result shows that the store has worked, whatever errors it has reported meanwhile */
  async #ask(ask: () => unknown, isProof?: (result: unknown) => boolean): Promise<unknown> {
    const before = this.#errors
    const result = await this.#call(ask)
    if (this.#errors === before || isProof?.(result)) return result
    throw new TokenStoreError('failed', { cause: this.#lastError })
  }

  async #call(call: () => unknown): Promise<unknown> {
    try {
      return await call()
    } catch (cause) {
      throw new TokenStoreError('failed', { cause })
    }
  }
}

/** Keyv 5 throws only when told to. A view of it is told: the host may use the Keyv itself for other things. */
function throwing(store: TokenStore & { throwOnErrors?: boolean }): TokenStore {
  return store.throwOnErrors === false ? Object.assign(Object.create(store), { throwOnErrors: true }) : store
}
