import { randomUUID } from 'node:crypto'
import { checkGroup, checkOption, InvalidAnswerError, isFunction } from '../../shared/index.ts'
import type { TokenStore } from './token-store.ts'

/** A client of node-redis 5 (the packages `redis` and `@redis/client`): plain, or of a Sentinel or a Cluster. */
export interface RedisClient {
  get(key: string): PromiseLike<unknown>
  set(key: string, value: string, options: { PX: number }): PromiseLike<unknown>
  del(key: string): PromiseLike<unknown>
  ping(message: string): PromiseLike<unknown>
  // biome-ignore lint/suspicious/noExplicitAny: as an EventEmitter has it
  on(event: string, listener: (...args: any[]) => void): unknown
}

/** What else a client has, if it can report changes. */
interface ReportingClient extends RedisClient {
  isReady?: boolean
  options?: { emitInvalidate?: boolean; maintNotifications?: string }
  clientSideCache?: Pick<RedisClient, 'on'>
  /** What only a Cluster has. */
  nodeClient?: unknown
  sendCommand(command: string[]): Promise<unknown>
}

interface RedisStore extends TokenStore {
  prefix: string
}

/** What the keys begin with whose changes matter to other processes. */
const REPORTED = ['screen_auth_session:', 'screen_auth_generation:']

/** Events after which changes may have been missed: Redis reports each one once, and not to a connection that is lost. */
const LOSSES = ['error', 'reconnecting', 'end', 'topology-change']

/** A connection can report in one way only, so a client has one store. */
const stores = new WeakMap<RedisClient, RedisStore>()

/**
 * Keeps the sessions of `opaqueTokens` in Redis 6 or later, or Valkey. If the client was made with `RESP: 3` and
 * `emitInvalidate: true` (a Sentinel: with a `clientSideCache`), Redis tells each process which sessions have ended
 * (`CLIENT TRACKING ON BCAST`), so that a process asks for each only once. With every other client, and with a Cluster, it
 * is asked with each request. What the client throws is thrown as it is.
 *
 * @param client may be connected or not. Its `clientSideCache`, if it has one, keeps nothing any more
 * @param options `prefix` is put before each key, for services that share a database. Default: none
 * @throws `FST_SCREEN_AUTH_INVALID_OPTION` when the client would change its connection without a word: it needs
 * `maintNotifications: 'disabled'`; and when it has a store with another prefix already
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
    [client?.get, client?.set, client?.del, client?.ping, client?.on].every(isFunction),
    'redisStore.client',
    'must be a client of node-redis, made by createClient, createSentinel or createCluster of the package `redis`'
  )
  const store = stores.get(client) ?? makeStore(client as ReportingClient, prefix)
  const rule = `is \`${store.prefix}\` for this client already; use client.duplicate() for another one`
  checkOption(store.prefix === prefix, 'redisStore.prefix', rule)
  stores.set(client, store)
  return store
}

function makeStore(client: ReportingClient, prefix: string): RedisStore {
  return {
    prefix,
    get: async key => unwrap(await client.get(prefix + key)),
    // As a Keyv writes it, so that servers with one and with the other can share the sessions.
    set: (key, value, ttl) => client.set(prefix + key, JSON.stringify({ value }), { PX: ttl }),
    delete: key => client.del(prefix + key),
    ...reportsOf(client, prefix)
  }
}

/** @throws when it is not what was set: a connection that has lost a reply returns those to other commands */
function unwrap(reply: unknown): unknown {
  if (reply === null) return null
  const { value } = JSON.parse(String(reply))
  if (value === undefined) throw new InvalidAnswerError('Redis must return what was set')
  return value
}

/** What makes Redis report changes; nothing if the client cannot hear it. */
function reportsOf(client: ReportingClient, prefix: string): Pick<TokenStore, 'onChange' | 'ping'> {
  const { clientSideCache: cache, options } = client
  // A reply that arrives after the report of a change would stay in it, although outdated.
  if (cache !== undefined) Object.assign(cache, { set() {} })
  // Each node of a Cluster reports its own changes only.
  if (client.nodeClient !== undefined || !(cache ?? options?.emitInvalidate)) return {}
  checkOption(
    [undefined, 'disabled'].includes(options?.maintNotifications),
    'redisStore.client',
    "must be made with `maintNotifications: 'disabled'`, or it changes its connection without a word, and misses changes"
  )

  const listeners: ((key: string | null) => void)[] = []
  const report = (key: string | null) => {
    for (const listener of listeners) listener(key)
  }
  const lose = () => report(null)
  const track = ['CLIENT', 'TRACKING', 'ON', 'BCAST', ...REPORTED.flatMap(key => ['PREFIX', prefix + key])]
  let attempts = 0
  let tracked = 0
  const start = () => {
    const attempt = ++attempts
    lose()
    // First off: `emitInvalidate` makes Redis keep in mind what each connection has read.
    const commands = [['CLIENT', 'TRACKING', 'OFF'], track].map(command => client.sendCommand(command))
    // What fails is tried again with the next connection; until then each request asks Redis.
    Promise.all(commands).then(
      () => {
        tracked = attempt
      },
      () => {}
    )
  }

  if (cache === undefined) client.on('ready', start)
  // With a cache, a connection reports before it is ready.
  else Object.assign(cache, { trackingOn: () => track, onError: lose, onClose: lose })
  if (cache === undefined && client.isReady) start()
  const source = cache ?? client
  source.on('invalidate', key => report(key === null ? null : String(key).slice(prefix.length)))
  for (const event of LOSSES) client.on(event, lose)

  return {
    onChange: listener => listeners.push(listener),
    // On one connection, what was reported before a reply arrives before it.
    async ping() {
      const message = randomUUID()
      const reply = await client.ping(message)
      if (reply !== message || tracked !== attempts) throw new Error('Redis does not report changes')
    }
  }
}
