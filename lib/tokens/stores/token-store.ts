/** What keys begin with: different things have different keys, and none of them is a token or a name. */
export const SESSION = 'screen_auth_session:'
export const LAST_USE = 'screen_auth_last_use:'
export const GENERATION = 'screen_auth_generation:'
export const LONG = 'screen_auth_long:'

/**
 * Where `opaqueTokens` keeps the sessions: `redisStore`, a Keyv with any of its adapters, or an object with the same
 * three functions. Each may return a promise. A failure must throw: a `get` that returns nothing instead logs people out.
 * Keys are short ASCII, values are JSON.
 */
export interface TokenStore {
  /** Returns the value, or undefined or null when there is none. */
  get(key: string): unknown
  /** @param ttl milliseconds after which the value is gone */
  // biome-ignore lint/suspicious/noExplicitAny: Keyv and Map say more exactly what they take
  set(key: string, value: any, ttl: number): unknown
  delete(key: string): unknown
  /**
   * Makes the store report what any process changes in it. What a process has read is then believed for `cache` seconds,
   * or until it is reported. It must not fail: what it subscribes to may be down, and is reported by null.
   *
   * @param listener expects, in the order of the changes, the key of each entry that this process has read and that was
   * set or deleted since; and null as soon as a change may have been missed, for example when a connection was lost. After
   * a report, `get` must return nothing older: no replica that lags behind
   *
   * @example
   * onChange(listener) {
   *   subscriber.on('message', key => listener(key))
   *   subscriber.on('disconnect', () => listener(null))
   * }
   */
  onChange?(listener: (key: string | null) => void): unknown
  /**
   * Proves that the changes are heard: resolves when all has been reported that was changed before the call. With it, a
   * session need not be read again while it is called every third of `cache` seconds. A throw says that they may not be
   * heard.
   *
   * @example
   * ping: () => subscriber.ping()
   */
  ping?(): unknown
}

/** What emits errors; a Keyv and its adapters do. */
type Emitter = { on?: (event: 'error', listener: (error: unknown) => void) => unknown }

type Keyv = TokenStore & Emitter & { store?: Emitter; hooks?: unknown; stats?: unknown }

/**
 * A store whose failures throw and whose reads only read, although a Keyv reports a failure as a miss and an `error` event,
 * and deletes what has expired when a reply arrives: another process may have written it anew meanwhile.
 */
export function checkedStore(store: Keyv): TokenStore {
  let errors = 0
  let lastError: unknown
  // An `error` event that nobody listens to ends the process. A Keyv may keep those of its adapter to itself.
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

  // Views: the host may use the Keyv itself for other things. They cannot reach private fields, so any other store is used
  // as it is.
  const isKeyv = Boolean(store.hooks && store.stats)
  const yes = { value: true }
  const writer: TokenStore = isKeyv ? Object.create(store, { throwOnErrors: yes, _throwOnErrors: yes }) : store
  const nothing = { value: () => false }
  // Keyv 5 reads and deletes with `delete`, Keyv 6 with `deleteMany`.
  const reader: TokenStore = isKeyv ? Object.create(writer, { delete: nothing, deleteMany: nothing }) : store
  return {
    async get(key) {
      // Twice: an error may be that of another call. A store that is full can be read, and not written.
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
