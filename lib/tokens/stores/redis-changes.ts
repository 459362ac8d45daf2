import { checkOption } from '../../shared/index.ts'
import { originOf } from '../../stores/index.ts'
import { GENERATION, SESSION, type TokenStore } from './token-store.ts'

type Listener = (event: string, listener: (...args: never[]) => void) => unknown

/** The properties of a node-redis client that can report changes. */
interface ReportingClient {
  on: Listener
  isReady?: boolean
  options?: { emitInvalidate?: boolean; maintNotifications?: string }
  clientSideCache?: { on: Listener; clear(): void }
  /** Only a Cluster has this. */
  nodeClient?: unknown
  clientTracking(isOn: boolean, options?: { BCAST: true; PREFIX: string[] }): Promise<unknown>
  clientTrackingInfo(): Promise<{ prefixes: unknown[] }>
}

/** The stores that track changes, by client or cache: a second one would replace the change tracking of the first. */
const tracking = new WeakMap<object, { store: TokenStore; withChanges: TokenStore }>()

/**
 * Adds `onChange` and `ping` to a store that `redisStore` made of a client with `RESP: 3` and `emitInvalidate: true` or,
 * for a Sentinel, a `clientSideCache`: Redis then reports changed sessions (`CLIENT TRACKING ON BCAST`). Returns any
 * other store unchanged.
 *
 * @throws InvalidOptionError when a client that reports changes lacks `maintNotifications: 'disabled'`, without which
 * node-redis may replace its connection silently; or when another store already uses the client or its cache
 */
export function withChanges(store: TokenStore): TokenStore {
  const origin = originOf(store)
  if (origin === undefined) return store
  const client = origin.client as unknown as ReportingClient
  const { clientSideCache: cache, options } = client
  if (cache !== undefined) {
    // Disables the cache, which would keep a stale reply that arrives after the report of a change.
    cache.clear()
    Object.assign(cache, { set() {} })
  }
  const isReporting = (cache ?? options?.emitInvalidate) && client.nodeClient === undefined
  // A client that cannot report changes, or a Cluster, whose nodes report only the changes of their own keys.
  if (!isReporting) return store

  checkOption(
    [undefined, 'disabled'].includes(options?.maintNotifications),
    'redisStore.client',
    "must be made with `maintNotifications: 'disabled'`, or it may replace its connection unnoticed and miss changes"
  )
  const owner = cache ?? client
  const create = () => ({ store, withChanges: { ...store, ...trackChanges(client, origin.prefix) } })
  const tracked = tracking.get(owner) ?? create()
  checkOption(
    tracked.store === store,
    'redisStore.client',
    'has a store with another prefix already, or shares its cache with another client; make a client for each store'
  )
  tracking.set(owner, tracked)
  return tracked.withChanges
}

function trackChanges(client: ReportingClient, prefix: string): Pick<TokenStore, 'onChange' | 'ping'> {
  const { clientSideCache: cache } = client
  const listeners: ((key: string | null) => void)[] = []
  const notify = (key: string | null) => {
    for (const listener of listeners) listener(key)
  }
  const invalidateAll = () => notify(null)
  // Redis reports only changes of keys with these prefixes.
  const prefixes = [SESSION, GENERATION].map(key => prefix + key)
  // Invalidates everything afterwards, because sessions that were read without tracking may be stale.
  const track = () => {
    // Off first, because `emitInvalidate` turns on another tracking mode, and Redis refuses to switch modes.
    const replies = [client.clientTracking(false), client.clientTracking(true, { BCAST: true, PREFIX: prefixes })]
    Promise.all(replies).then(invalidateAll, invalidateAll)
  }

  const source = cache ?? client
  source.on('invalidate', key => notify(key === null ? null : String(key).slice(prefix.length)))
  // Redis reports each change once, so the reports to a lost connection are lost too.
  for (const event of ['error', 'end']) client.on(event, invalidateAll)
  if (cache === undefined) {
    client.on('ready', track)
    if (client.isReady) track()
  } else {
    const command = ['CLIENT', 'TRACKING', 'ON', 'BCAST', ...prefixes.flatMap(it => ['PREFIX', it])]
    const trackingOn = () => {
      invalidateAll()
      return command
    }
    Object.assign(cache, { trackingOn, onError: invalidateAll, onClose: invalidateAll })
  }

  return {
    onChange: listener => listeners.push(listener),
    // Reports and reply share one connection, so all earlier reports arrive before the reply.
    async ping() {
      const reported = (await client.clientTrackingInfo()).prefixes.map(String)
      if (prefixes.every(it => reported.includes(it))) return
      track()
      throw new Error('Redis does not report changes')
    }
  }
}
