import { checkGroup, checkOption, InvalidAnswerError, isFunction } from '../../shared/index.ts'
import { GENERATION, SESSION, type TokenStore } from './token-store.ts'

/**
 * A client of node-redis 5 (the packages `redis` and `@redis/client`): for a single server, a Sentinel or a Cluster.
 */
export interface RedisClient {
  get(key: string): PromiseLike<unknown>
  set(key: string, value: string, options: { PX: number }): PromiseLike<unknown>
  del(key: string): PromiseLike<unknown>
  // biome-ignore lint/suspicious/noExplicitAny: the type of EventEmitter
  on(event: string, listener: (...args: any[]) => void): unknown
}

/** Further properties of a client that can report changes. */
interface ReportingClient extends RedisClient {
  isReady?: boolean
  options?: { emitInvalidate?: boolean; maintNotifications?: string }
  clientSideCache?: Pick<RedisClient, 'on'> & { clear(): void }
  /** Only a Cluster has this. */
  nodeClient?: unknown
  clientTracking(isOn: boolean, options?: { BCAST: true; PREFIX: string[] }): Promise<unknown>
  clientTrackingInfo(): Promise<{ prefixes: unknown[] }>
}

interface RedisStore extends TokenStore {
  client: RedisClient
  prefix: string
}

/** One store for each client or cache: a second store would replace the change tracking of the first. */
const stores = new WeakMap<object, RedisStore>()

/**
 * Keeps the sessions of `opaqueTokens` in Redis 6.2 or later, or Valkey. Redis can report changed sessions to each
 * process (`CLIENT TRACKING ON BCAST`). The process can then cache the sessions that it has read. For this, create the
 * client with `RESP: 3` and `emitInvalidate: true`. For a Sentinel, use a `clientSideCache` instead of
 * `emitInvalidate`. With any other client, and with a Cluster, each request reads from Redis. Errors of the client are
 * thrown unchanged.
 *
 * @param client may be connected or not. Add an `error` listener that logs, because the store logs no errors. Once
 * passed, the client receives reports about sessions only, and its `clientSideCache` caches nothing: use another
 * client for cached reads
 * @param options `prefix` is put before each key, for services that share a database. Default: no prefix
 * @throws `FST_SCREEN_AUTH_INVALID_OPTION` when a client that reports changes lacks `maintNotifications: 'disabled'`,
 * without which node-redis may replace its connection silently; or when another store already uses the client or its
 * cache
 *
 * @example
 * const redis = createClient({
 *   url: 'redis://127.0.0.1:6379', RESP: 3, emitInvalidate: true, maintNotifications: 'disabled', disableOfflineQueue: true
 * })
 * redis.on('error', error => console.error(error.message))
 * await redis.connect()
 * const tokens = opaqueTokens({ store: redisStore(redis) })
 */
export function redisStore(client: RedisClient, options: { prefix?: string } = {}): TokenStore {
  checkGroup(options, 'redisStore.options', ['prefix'])
  const { prefix = '' } = options
  checkOption(typeof prefix === 'string', 'redisStore.prefix', 'must be a string, for example `shop:`')
  checkOption(
    [client?.get, client?.set, client?.del, client?.on].every(isFunction),
    'redisStore.client',
    'must be a client of node-redis, made by createClient, createSentinel or createCluster of the package `redis`'
  )
  const { clientSideCache: owner = client } = client as ReportingClient
  const store = stores.get(owner) ?? makeStore(client as ReportingClient, prefix)
  checkOption(
    store.client === client && store.prefix === prefix,
    'redisStore.client',
    'has a store with another prefix already, or shares its cache with another client; make a client for each store'
  )
  stores.set(owner, store)
  return store
}

function makeStore(client: ReportingClient, prefix: string): RedisStore {
  return {
    client,
    prefix,
    async get(key) {
      const reply = await client.get(prefix + key)
      if (reply === null) return null
      const { value } = JSON.parse(String(reply))
      // A connection out of step returns the replies of other commands.
      if (value === undefined) throw new InvalidAnswerError('Redis must return the values that were set')
      return value
    },
    // The format of Keyv, so that a server with a Keyv can share the sessions.
    set: (key, value, ttl) => client.set(prefix + key, JSON.stringify({ value }), { PX: ttl }),
    delete: key => client.del(prefix + key),
    ...trackChanges(client, prefix)
  }
}

/** Returns `onChange` and `ping`, or neither of them if the client cannot receive reports. */
function trackChanges(client: ReportingClient, prefix: string): Pick<TokenStore, 'onChange' | 'ping'> {
  const { clientSideCache: cache, options } = client
  const isReporting = (cache ?? options?.emitInvalidate) && client.nodeClient === undefined
  checkOption(
    !isReporting || [undefined, 'disabled'].includes(options?.maintNotifications),
    'redisStore.client',
    "must be made with `maintNotifications: 'disabled'`, or it may replace its connection unnoticed and miss changes"
  )
  if (cache !== undefined) {
    // Disables the cache, which would keep a stale reply that arrives after the report of a change.
    cache.clear()
    Object.assign(cache, { set() {} })
  }
  // A client that cannot report changes, or a Cluster, whose nodes report only the changes of their own keys.
  if (!isReporting) return {}

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
