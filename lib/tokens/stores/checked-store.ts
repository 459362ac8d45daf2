import type { TokenStore } from './token-store.ts'

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
  const writer: TokenStore = isKeyv
    ? Object.create(store, { throwOnErrors: yes, _throwOnErrors: yes })
    : store
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
