import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { InvalidAnswerError } from '../base/errors.ts'
import { checkGroup, checkOption, isFunction, nonEmptyString } from '../base/option-rules.ts'
import type { Store } from './store.ts'

// biome-ignore lint/suspicious/noExplicitAny: node-redis and ioredis take different arguments
type Command = (...args: any[]) => PromiseLike<unknown>

/** A client of node-redis 5 (of a server, a Sentinel or a Cluster), or of ioredis 5, such as that of @fastify/redis. */
export type RedisClient = Record<'get' | 'eval', Command>
type AnyClient = RedisClient & Record<string, unknown>

// The reply of each script begins with the id of its call, because a connection that has lost a reply returns all later
// ones to the wrong calls. A script also never runs on a replica, which may lag.

const GET = `return { ARGV[1], redis.call('GET', KEYS[1]) }`
const DELETE = `redis.call('DEL', KEYS[1]) return { ARGV[1] }`
const TOUCH = `redis.call('PEXPIRE', KEYS[1], ARGV[2]) return { ARGV[1] }`
const GIVE_BACK = `redis.call('SREM', KEYS[1], ARGV[2]) return { ARGV[1] }`

/** Sets a value unless the key has changed since it was read: ioredis sends a command again after a lost connection. */
const SET = `
if (redis.call('GET', KEYS[1]) or '') == ARGV[2] then redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[4]) end
return { ARGV[1] }`

/** Adds an id to a set if there is room. */
const TAKE = `
local size = redis.call('SCARD', KEYS[1])
if size < tonumber(ARGV[3]) then redis.call('SADD', KEYS[1], ARGV[2]) end
if size == 0 then redis.call('PEXPIRE', KEYS[1], ARGV[4]) end
return { ARGV[1], redis.call('SISMEMBER', KEYS[1], ARGV[2]), redis.call('PTTL', KEYS[1]) }`

/** One store for each client and prefix: scopes that share a Redis then also share their running logins and outages. */
const stores = new WeakMap<RedisClient, Map<string, Store>>()

/** Reject the waiting calls of all prefixes of a client. ioredis would wait until Redis is back, and send them again. */
const waitingCalls = new WeakMap<RedisClient, Set<(error: Error) => void>>()

/** Whether the start may write to a store. Not to one of a host, which may count its calls, nor to a lazy client. */
export const mayProbe = new WeakMap<object, () => boolean>()

const RULE = ", for example { prefix: 'shop:' }: services with one prefix in one database accept each other's sessions"

/**
 * Keeps sessions and failed logins in Redis 6.2 or later, or Valkey: pass the result to `opaqueTokens`, `throttle`, or
 * both. Errors of the client are thrown unchanged. A call waits for up to 10 seconds for a client that has never been
 * connected, and fails at once if the client has lost its connection.
 * @param client may be connected or not. Add an `error` listener that logs: the store logs no errors
 * @param options `prefix`, a non-empty string, begins each key. Services that share a database need different ones
 * @throws `FST_SCREEN_AUTH_INVALID_OPTION` when an argument is invalid
 * @example
 * const store = redisStore(redis, { prefix: 'shop:' })
 * await app.register(screenAuth, { tokens: opaqueTokens({ store }), throttle: { store }, checkCredentials, mainMenu })
 */
export function redisStore(client: RedisClient, options: { prefix: string }): Store {
  const { prefix } = checkGroup(options, 'redisStore.options', { prefix: nonEmptyString(RULE) }, RULE)
  const isClient = isIoRedis(client as AnyClient) || isNodeRedis(client as AnyClient)
  checkOption(isClient, 'redisStore.client', 'must be a client of node-redis or ioredis, no mock; tests need no store')
  const isCached = Boolean((client as AnyClient).clientSideCache)
  checkOption(!isCached, 'redisStore.client', 'must have no `clientSideCache`, which may return an ended session')
  const ofClient = stores.get(client) ?? new Map<string, Store>()
  const store = ofClient.get(prefix) ?? createStore(client as AnyClient, prefix)
  stores.set(client, ofClient.set(prefix, store))
  mayProbe.set(store, () => (client as AnyClient).status !== 'wait')
  return store
}

function isIoRedis(client: AnyClient | null): boolean {
  return typeof client?.status === 'string' && isFunction(client.pexpire) && isFunction(client.on)
}

function isNodeRedis(client: AnyClient | null): boolean {
  return typeof client?.isOpen === 'boolean' && isFunction(client.pExpire)
}

function createStore(client: AnyClient, prefix: string): Store {
  const isOfIoRedis = isIoRedis(client)
  /** True for a Cluster, and for a pool of node-redis. */
  const hasManyConnections = isOfIoRedis ? client.isCluster === true : client.isReady === undefined
  const waiting = waitingCalls.get(client) ?? new Set()
  if (isOfIoRedis && !waitingCalls.has(client))
    (client.on as Command)('close', () => {
      for (const reject of waiting) reject(new Error('the connection to Redis is lost'))
    })
  waitingCalls.set(client, waiting)

  /** A Cluster of node-redis is open before it knows its masters. */
  const isOpen = () => client.isOpen && (client.masters as unknown[] | undefined)?.length !== 0
  const isReady = () => (isOfIoRedis ? client.status === 'ready' : (client.isReady ?? isOpen()))
  /** Whether the client may never have been connected. */
  let isNew = isOfIoRedis ? /^(wait|connecting|connect)$/.test(String(client.status)) : !isReady()

  async function send(name: 'get' | 'eval', ...args: unknown[]): Promise<unknown> {
    // Polls, because some kinds of clients emit no event. The process need not wait: its tests would end 10 s late.
    for (let ms = 0; isNew && !isReady() && ms < 10_000; ms += 20) {
      await sleep(20, undefined, { ref: false })
      // A lazy client, unless the host has connected it meanwhile.
      if (client.status === 'wait') (client.connect as Command)().then(undefined, () => {})
    }
    if (!isReady()) throw new Error('the Redis client is not connected')
    isNew = false
    if (!isOfIoRedis) return client[name](...args)
    return new Promise((resolve, reject) => {
      waiting.add(reject)
      Promise.resolve(client[name](...args))
        .then(resolve, reject)
        .finally(() => waiting.delete(reject))
    })
  }

  /** Runs a script for one key, and returns its results. */
  async function run(script: string, key: string, ...args: unknown[]): Promise<unknown[]> {
    const [keys, all] = [[prefix + key], [randomUUID(), ...args.map(String)]]
    const reply = await send('eval', script, ...(isOfIoRedis ? [1, ...keys, ...all] : [{ keys, arguments: all }]))
    const [call, ...results] = Array.isArray(reply) ? reply : []
    checkReply(String(call) === all[0])
    return results
  }

  return {
    async get(key) {
      // A GET is cheaper. Its null names no key, but the value beside it, on the same connection, does.
      const [text = null] = hasManyConnections ? await run(GET, key) : [await send('get', prefix + key)]
      if (text === null) return null
      const stored = JSON.parse(String(text))
      checkReply(stored?.key === key)
      return stored.value
    },
    async set(key, value, ms) {
      const [before] = await run(GET, key)
      await run(SET, key, before ?? '', JSON.stringify({ key, value }), ms)
    },
    delete: key => run(DELETE, key),
    touch: (key, ms) => run(TOUCH, key, ms),
    async take(key, limit, ms, id) {
      const [taken, left] = await run(TAKE, key, id, limit, ms)
      return { taken: Number(taken) === 1, ms: Number(left) }
    },
    giveBack: (key, id) => run(GIVE_BACK, key, id)
  }
}

/** @throws InvalidAnswerError for the reply to another command */
function checkReply(isOwn: boolean): void {
  if (!isOwn) throw new InvalidAnswerError('Redis has returned the reply to another command')
}
