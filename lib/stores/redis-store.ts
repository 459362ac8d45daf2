import { checkGroup, checkOption, InvalidAnswerError, isFunction } from '../shared/index.ts'
import type { Store } from './store.ts'

// biome-ignore lint/suspicious/noExplicitAny: node-redis and ioredis take different arguments
type Command = (...args: any[]) => PromiseLike<unknown>

/** A client of node-redis 5 (of a server, a Sentinel or a Cluster), or of ioredis, such as that of @fastify/redis. */
export type RedisClient = Record<'get' | 'set' | 'del' | 'eval', Command>
type AnyClient = RedisClient & Record<'srem' | 'sRem' | 'pexpire' | 'pExpire', Command> & Record<string, unknown>

/** What a store was made of. The limits use `unbounded`: no flood of forged tokens can fill its queue. */
const origins = new WeakMap<object, { client: RedisClient; prefix: string; unbounded: Store }>()
export const originOf = (store: object) => origins.get(store)

/** A connection out of step returns the replies to other commands. So a value names its key, and a reply its id. */
const WRONG_REPLY = 'Redis has returned the reply to another command'

/** Adds an id to a set if there is room. */
const TAKE = `
local size = redis.call('SCARD', KEYS[1])
if size < tonumber(ARGV[2]) then redis.call('SADD', KEYS[1], ARGV[1]) end
if size == 0 then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
return { redis.call('SISMEMBER', KEYS[1], ARGV[1]), redis.call('PTTL', KEYS[1]), ARGV[1] }`

/** One store for each client and prefix: scopes that share a Redis then also share their running logins and outages. */
const stores = new WeakMap<RedisClient, Map<string, Store>>()

/**
 * Keeps sessions and failed logins in Redis 6.2 or later, or Valkey: pass the result to `opaqueTokens`, `throttle`, or
 * both. Errors of the client are thrown unchanged. A call fails at once while the client is not connected, or 1,000
 * commands wait for a reply.
 * @param client may be connected or not. Add an `error` listener that logs: the store logs no errors
 * @param options `prefix` is put before each key. Services that share a database need different ones. Default: none
 * @throws `FST_SCREEN_AUTH_INVALID_OPTION` when an argument is invalid
 * @example
 * const store = redisStore(redis)
 * await app.register(screenAuth, { tokens: opaqueTokens({ store }), throttle: { store }, checkCredentials, mainMenu })
 */
export function redisStore(client: RedisClient, options: { prefix?: string } = {}): Store {
  checkGroup(options, 'redisStore.options', ['prefix'])
  const { prefix = '' } = options
  checkOption(typeof prefix === 'string', 'redisStore.prefix', 'must be a string, for example `shop:`')
  const isClient = [client?.get, client?.set, client?.del, client?.eval].every(isFunction)
  checkOption(isClient, 'redisStore.client', 'must be a client of node-redis (createClient) or ioredis (new Redis)')
  const ofClient = stores.get(client) ?? new Map<string, Store>()
  const create = (maxWaiting: number) => createStore(client as AnyClient, prefix, maxWaiting)
  const store = ofClient.get(prefix) ?? create(1000) // A Redis that hangs must not fill the memory.
  if (!origins.has(store)) origins.set(store, { client, prefix, unbounded: create(Infinity) })
  stores.set(client, ofClient.set(prefix, store))
  return store
}

function createStore(client: AnyClient, prefix: string, maxWaiting: number): Store {
  const isIoRedis = 'status' in client
  const [srem, pexpire] = isIoRedis ? (['srem', 'pexpire'] as const) : (['sRem', 'pExpire'] as const)
  /** Functions that reject the waiting commands. */
  const waiting = new Set<(error: Error) => void>()
  const rejectAll = () => {
    for (const reject of waiting) reject(new Error('the connection to Redis is lost'))
  }
  // ioredis would wait until Redis is back, and then send the commands again.
  if (isIoRedis) (client.on as Command)('close', rejectAll)

  async function send(name: keyof AnyClient & string, ...args: unknown[]): Promise<unknown> {
    const isReady = isIoRedis ? client.status === 'ready' : (client.isReady ?? client.isOpen) // undefined: a Cluster
    if (!isReady) throw new Error('the Redis client is not connected')
    if (waiting.size >= maxWaiting) throw new Error(`${maxWaiting} commands wait for Redis`)
    const reply = (async () => (client[name] as Command)(...args))()
    return new Promise((resolve, reject) => {
      waiting.add(reject)
      reply.then(resolve, reject).finally(() => waiting.delete(reject))
    })
  }

  return {
    async get(key) {
      const reply = await send('get', prefix + key)
      const stored = reply === null ? { key, value: null } : JSON.parse(String(reply))
      if (stored?.key !== key) throw new InvalidAnswerError(WRONG_REPLY)
      return stored.value
    },
    set(key, value, ms) {
      const options = isIoRedis ? ['PX', ms] : [{ PX: ms }]
      return send('set', prefix + key, JSON.stringify({ key, value }), ...options)
    },
    delete: key => send('del', prefix + key),
    touch: (key, ms) => send(pexpire, prefix + key, ms),
    async take(key, limit, ms, id) {
      const [keys, args] = [[prefix + key], [id, String(limit), String(ms)]]
      const reply = await send('eval', TAKE, ...(isIoRedis ? [1, ...keys, ...args] : [{ keys, arguments: args }]))
      const [taken, left, taker] = Array.from(reply as unknown[])
      if (String(taker) !== id) throw new InvalidAnswerError(WRONG_REPLY)
      return { taken: Number(taken) === 1, ms: Number(left) }
    },
    giveBack: (key, id) => send(srem, prefix + key, id)
  }
}
