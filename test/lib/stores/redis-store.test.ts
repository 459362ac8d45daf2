// The commands of redisStore, and its treatment of replies. redis.slow.test.ts uses a real Redis.
import { EventEmitter } from 'node:events'
import t from 'tap'
import { type RedisClient, redisStore } from '../../../lib/index.ts'
import { collectLog, deferred, host } from '../../helpers.ts'
import { attempt, countingHost, never, repeat, storeWith, together } from '../limits/attempts.ts'

const INVALID = 'FST_SCREEN_AUTH_INVALID_OPTION'

const KINDS = {
  'node-redis': { names: ['sRem', 'pExpire'], ready: { isReady: true }, others: [{ isReady: false }] },
  // A Cluster has no `isReady`.
  'a Cluster of node-redis': { names: ['sRem', 'pExpire'], ready: { isOpen: true }, others: [{ isOpen: false }] },
  ioredis: { names: ['srem', 'pexpire'], ready: { status: 'ready' }, others: [{ status: 'wait' }, { status: 'end' }] }
} as const

/** A client that records its commands, with one reply for all of them. */
function fakeClient(kind: keyof typeof KINDS, reply: (sent: unknown[]) => unknown, state: object = KINDS[kind].ready) {
  const sent: unknown[][] = []
  const commands = ['get', 'set', 'del', 'eval', ...KINDS[kind].names].map(name => [
    name,
    async (...args: unknown[]) => sent.push([name, ...args]) && reply([name, ...args])
  ])
  const client = Object.assign(new EventEmitter(), Object.fromEntries(commands), state)
  return { client: client as EventEmitter & RedisClient, sent }
}

for (const kind of Object.keys(KINDS) as (keyof typeof KINDS)[]) {
  const storeOf = (reply: () => unknown, state?: object) => {
    const { client, sent } = fakeClient(kind, reply, state)
    return { store: redisStore(client, { prefix: 'shop:' }), sent }
  }

  t.test(`each call sends one command with the prefix to ${kind}, and a value names its own key`, async t => {
    const { store, sent } = storeOf(() => Object.assign([1, 60, 'id'], { toString: () => '{"key":"a"}' }))
    await store.get('a')
    await store.set('a', [1], 60)
    await store.delete('a')
    await store.touch('a', 60)
    await store.giveBack('a', 'id')
    await store.take('a', 2, 60, 'id')
    const script = sent.at(-1)?.[1]
    t.match(script, /SADD.*PEXPIRE/s)
    const isIoRedis = kind === 'ioredis'
    const [srem, pexpire] = KINDS[kind].names
    t.strictSame(sent, [
      ['get', 'shop:a'],
      ['set', 'shop:a', '{"key":"a","value":[1]}', ...(isIoRedis ? ['PX', 60] : [{ PX: 60 }])],
      ['del', 'shop:a'],
      [pexpire, 'shop:a', 60],
      [srem, 'shop:a', 'id'],
      isIoRedis
        ? ['eval', script, 1, 'shop:a', 'id', '2', '60']
        : ['eval', script, { keys: ['shop:a'], arguments: ['id', '2', '60'] }]
    ])
  })

  t.test(`a reply of ${kind} to another command is an error`, async t => {
    const get = async (reply: unknown) => storeOf(() => reply).store.get('a')
    const take = async (reply: unknown) => storeOf(() => reply).store.take('a', 2, 60, 'id')
    t.strictSame([await get(null), await get('{"key":"a","value":[1]}')], [null, [1]])
    t.strictSame(await get(Buffer.from('{"key":"a","value":0}')), 0)
    t.strictSame(await take([1, 59, 'id']), { taken: true, ms: 59 })
    t.strictSame(await take(['0', '59', Buffer.from('id')]), { taken: false, ms: 59 })
    const wrong = ['{"key":"b","value":1}', '{"value":1}', 'OK', '1', '"a"', 'null', 1, undefined]
    for (const reply of wrong) await t.rejects(get(reply), String(reply))
    for (const reply of [[1, 59, 'b'], [1, 59], ['OK'], null, ...wrong]) await t.rejects(take(reply), String(reply))
  })

  t.test(`a call fails at once while ${kind} is not ready, and with the error of the client`, async t => {
    for (const state of KINDS[kind].others) {
      const { store, sent } = storeOf(never, state)
      await t.rejects(async () => store.get('a'), { message: 'the Redis client is not connected' })
      t.strictSame(sent, [])
    }
    const error = new Error('READONLY')
    await t.rejects(async () => storeOf(() => Promise.reject(error)).store.giveBack('a', 'id'), error)
  })
}

t.test('a call rejects when ioredis loses its connection, although ioredis would send it again', async t => {
  const { client } = fakeClient('ioredis', never)
  const reply = redisStore(client).get('a')
  client.emit('close')
  await t.rejects(reply as Promise<unknown>, { message: 'the connection to Redis is lost' })
})

t.test('at most 1,000 commands for sessions wait, as for forged tokens, and the limits still work', async t => {
  const log = collectLog()
  const { promise, resolve } = deferred<null>()
  const { client, sent } = fakeClient('node-redis', ([name, key, options]) => {
    if (key === 'session') return promise
    return name === 'eval' ? [1, 60_000, (options as { arguments: string[] }).arguments[0]] : null
  })
  const store = redisStore(client)
  const { app, checks } = await countingHost(t, { throttle: { store } }, log)
  const waiting = together(1_000, async () => store.get('session'))
  await t.rejects(async () => store.get('session'), { message: '1000 commands wait for Redis' })
  await attempt(app)
  t.notMatch(log.text(), /the store of the throttle failed/)
  t.strictSame([checks(), sent.filter(([, key]) => key === 'session').length], [1, 1_000])
  resolve(null)
  await waiting
  await repeat(1_001, async () => store.get('session'))
})

t.test('a client has one store for each prefix', async t => {
  const { client } = fakeClient('ioredis', never)
  t.equal(redisStore(client), redisStore(client, { prefix: '' }))
  t.equal(redisStore(client, { prefix: 'a:' }), redisStore(client, { prefix: 'a:' }))
  t.not(redisStore(client), redisStore(client, { prefix: 'a:' }))
})

t.test('an invalid client, option or store is rejected at the start, and the error names the fix', async t => {
  const { client } = fakeClient('ioredis', never)
  for (const [given, options, message] of [
    ...[undefined, null, {}, 'redis://127.0.0.1', new Map()].map(wrong => [wrong, {}, /`redisStore.client` must be a/]),
    [client, { prefix: 1 }, /`redisStore.prefix` must be a string/],
    [client, null, /`redisStore.options` must be an object with prefix/],
    [client, { namespace: 'x' }, /`redisStore.options` has no setting `namespace`, only prefix/]
  ] as [RedisClient, object, RegExp][])
    t.throws(() => redisStore(given, options), { code: INVALID, message })
  const message = /`throttle.store` must be redisStore\(client\), or .* get, set, delete, touch, take, giveBack$/
  for (const store of [client, () => client, { ...storeWith(), take: undefined }, new Map(), 'redis://127.0.0.1'])
    await t.rejects(host(t, { throttle: { store } }), { code: INVALID, message })
})
