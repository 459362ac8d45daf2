/** The prefixes of the keys, one for each kind of value. No key contains a token or a username. */
export const SESSION = 'screen_auth_session:'
export const LAST_USE = 'screen_auth_last_use:'
export const GENERATION = 'screen_auth_generation:'
export const LONG_OWNER = 'screen_auth_long:'

/**
 * The store for the sessions of `opaqueTokens`: `redisStore`, a Keyv with any adapter, or an object with `get`, `set`
 * and `delete`. Each function may return a promise. Each function must throw if it fails: a `get` that returns
 * undefined instead logs users out. Keys are short ASCII, values are JSON.
 */
export interface TokenStore {
  /** Returns the value; undefined or null if the store has no value for the key. */
  get(key: string): unknown
  /** @param ttl milliseconds after which the value expires */
  // biome-ignore lint/suspicious/noExplicitAny: Keyv and Map have narrower types
  set(key: string, value: any, ttl: number): unknown
  delete(key: string): unknown
  /**
   * Makes the store report the changes of all processes. A process then caches a session for `cache` seconds, or until
   * the store reports a change. `onChange` must not fail: if the source of the reports is down, call `listener(null)`.
   *
   * @param listener call it, in the order of the changes, with each key that this process has read and that any process
   * has then set or deleted. Call it with null as soon as a report may be missing, for example after a lost connection.
   * After a report, `get` must not return an older value, as a lagging replica would
   *
   * @example
   * onChange(listener) {
   *   subscriber.on('message', key => listener(key))
   *   subscriber.on('disconnect', () => listener(null))
   * }
   */
  onChange?(listener: (key: string | null) => void): unknown
  /**
   * Confirms that reports arrive: resolves when the store has reported all changes from before the call, and throws if
   * reports may be missing. `opaqueTokens` calls `ping` three times in `cache` seconds. While `ping` resolves, the
   * cache does not expire.
   *
   * @example
   * ping: () => subscriber.ping()
   */
  ping?(): unknown
}

/** A Keyv and its adapters emit errors as events. */
type Emitter = { on?: (event: 'error', listener: (error: unknown) => void) => unknown }

type Keyv = TokenStore & Emitter & { store?: Emitter; hooks?: unknown; stats?: unknown }

/**
 * Wraps a store, so that failures throw and reads do not write. A Keyv reports a failure as a miss and an `error`
 * event, and its `get` deletes an expired value, although another process may have written a new one since.
 */
export function checkedStore(store: Keyv): TokenStore {
  let errors = 0
  let lastError: unknown
  // An `error` event without a listener ends the process. A Keyv may not forward the errors of its adapter.
  for (const emitter of [store, store.store])
    emitter?.on?.('error', error => {
      errors++
      lastError = error
    })

  const write = async (call: () => unknown) => {
    const before = errors
    const result = await call()
    if (errors !== before) throw lastError
    return result
  }

  // Overrides properties in views of a Keyv, because the host may use the Keyv for other data. Uses other stores
  // directly, because a view cannot access private fields.
  const isKeyv = Boolean(store.hooks && store.stats)
  const yes = { value: true }
  const writer: TokenStore = isKeyv ? Object.create(store, { throwOnErrors: yes, _throwOnErrors: yes }) : store
  const nothing = { value: () => false }
  // A read deletes expired values with `delete` in Keyv 5, and with `deleteMany` in Keyv 6.
  const reader: TokenStore = isKeyv ? Object.create(writer, { delete: nothing, deleteMany: nothing }) : store
  return {
    async get(key) {
      // Reads twice, because the error may belong to a concurrent call, such as a write to a full store.
      for (let i = 0; i < 2; i++) {
        const before = errors
        const value = (await reader.get(key)) ?? null
        if (value !== null || errors === before) return value
      }
      throw lastError
    },
    async set(key, value, ttl) {
      const isSet = await write(() => writer.set(key, value, ttl))
      if (isSet === false) throw lastError
    },
    delete: key => write(() => writer.delete(key))
  }
}
