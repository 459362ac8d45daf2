import { checkGroup, checkOption, InvalidAnswerError, isFunction } from '../../shared/index.ts'
import { GENERATION, SESSION, type TokenStore } from './token-store.ts'

/** A client of node-redis 5 (the packages `redis` and `@redis/client`): plain, or of a Sentinel or a Cluster. */
export interface RedisClient {
  get(key: string): PromiseLike<unknown>
  set(key: string, value: string, options: { PX: number }): PromiseLike<unknown>
  del(key: string): PromiseLike<unknown>
  // biome-ignore lint/suspicious/noExplicitAny: as an EventEmitter has it
  on(event: string, listener: (...args: any[]) => void): unknown
}

/** What else a client has, if it can report changes. */
interface ReportingClient extends RedisClient {
  isReady?: boolean
  options?: { emitInvalidate?: boolean; maintNotifications?: string }
  clientSideCache?: Pick<RedisClient, 'on'> & { clear(): void }
  /** What only a Cluster has. */
  nodeClient?: unknown
  clientTracking(isOn: boolean, options?: { BCAST: true; PREFIX: string[] }): Promise<unknown>
  clientTrackingInfo(): Promise<{ prefixes: unknown[] }>
}

interface RedisStore extends TokenStore {
  client: RedisClient
  prefix: string
}

/** A connection, and a cache, can report in one way only, so a client has one store. */
const stores = new WeakMap<object, RedisStore>()

/**
 * Keeps the sessions of `opaqueTokens` in Redis 6.2 or later, or Valkey. If the client was made with `RESP: 3` and
 * `emitInvalidate: true` (a Sentinel: with a `clientSideCache`), Redis tells each process which sessions have ended
 * (`CLIENT TRACKING ON BCAST`), so that a process asks for each only once. With every other client, and with a Cluster, it
 * is asked with each request. What the client throws is thrown as it is.
 *
 * @param client may be connected or not. Give it an `error` listener: one that is ours keeps Node from ending the process.
 * From now on it reports sessions only, and a `clientSideCache` keeps nothing
 * @param options `prefix` is put before each key, for services that share a database. Default: none
 * @throws `FST_SCREEN_AUTH_INVALID_OPTION` when the client would change its connection without a word: it needs
 * `maintNotifications: 'disabled'`; and when it, or its cache, has another store already
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
      // A connection that has lost a reply returns those to other commands.
      if (value === undefined) throw new InvalidAnswerError('Redis must return what was set')
      return value
    },
    // As a Keyv writes it, so that servers with one and with the other can share the sessions.
    set: (key, value, ttl) => client.set(prefix + key, JSON.stringify({ value }), { PX: ttl }),
    delete: key => client.del(prefix + key),
    ...reportsOf(client, prefix)
  }
}

/** What makes Redis report changes; nothing if the client cannot hear it. */
function reportsOf(client: ReportingClient, prefix: string): Pick<TokenStore, 'onChange' | 'ping'> {
  const { clientSideCache: cache, options } = client
  const isReporting = (cache ?? options?.emitInvalidate) && client.nodeClient === undefined
  checkOption(
    !isReporting || [undefined, 'disabled'].includes(options?.maintNotifications),
    'redisStore.client',
    "must be made with `maintNotifications: 'disabled'`, or it changes its connection without a word, and misses changes"
  )
  if (cache !== undefined) {
    // A reply that arrives after the report of a change would stay in it, although outdated.
    cache.clear()
    Object.assign(cache, { set() {} })
  }
  // Each node of a Cluster reports its own changes only.
  if (!isReporting) return {}

  const listeners: ((key: string | null) => void)[] = []
  const report = (key: string | null) => {
    for (const listener of listeners) listener(key)
  }
  const lose = () => report(null)
  // What the keys begin with whose changes matter to other processes.
  const prefixes = [SESSION, GENERATION].map(key => prefix + key)
  // What is read while Redis does not report may be out of date, so all is lost at the end.
  const track = () => {
    // First off: with `emitInvalidate` the connection reports in another way, and Redis refuses a second one.
    const replies = [client.clientTracking(false), client.clientTracking(true, { BCAST: true, PREFIX: prefixes })]
    Promise.all(replies).then(lose, lose)
  }

  const source = cache ?? client
  source.on('invalidate', key => report(key === null ? null : String(key).slice(prefix.length)))
  // Redis reports each change once, and not to a connection that is lost.
  for (const event of ['error', 'end']) client.on(event, lose)
  if (cache === undefined) {
    client.on('ready', track)
    if (client.isReady) track()
  } else {
    const command = ['CLIENT', 'TRACKING', 'ON', 'BCAST', ...prefixes.flatMap(it => ['PREFIX', it])]
    const trackingOn = () => {
      lose()
      return command
    }
    Object.assign(cache, { trackingOn, onError: lose, onClose: lose })
  }

  return {
    onChange: listener => listeners.push(listener),
    // What was reported before a reply has arrived before it, on the same connection.
    async ping() {
      const reported = (await client.clientTrackingInfo()).prefixes.map(String)
      if (prefixes.every(it => reported.includes(it))) return
      track()
      throw new Error('Redis does not report changes')
    }
  }
}
