// The commands of redisStore, and its treatment of replies. redis.slow.test.ts uses a real Redis.
import { EventEmitter } from 'node:events'
import t from 'tap'
import { opaqueTokens, type RedisClient, redisStore } from '../../../lib/index.ts'
import { stopClock, timers } from '../../clock.ts'
import { collectLog, host, throwing } from '../../helpers.ts'
import { storeWith } from '../limits/attempts.ts'
import { never } from '../limits/checkers.ts'

const INVALID = 'FST_SCREEN_AUTH_INVALID_OPTION'

/** The states of a client before its first connection, while it is connected, and after a connection is lost. */
const KINDS = {
  'node-redis': {
    names: ['pExpire'],
    before: [{ isOpen: false, isReady: false }, { isOpen: true }],
    ready: { isOpen: true, isReady: true },
    lost: [{ isReady: false }]
  },
  // A Cluster has no `isReady`.
  'a Cluster of node-redis': {
    names: ['pExpire'],
    before: [{ isOpen: false, masters: [] }, { isOpen: true }],
    ready: { isOpen: true, masters: [{}] },
    lost: [{ isOpen: false }]
  },
  ioredis: {
    names: ['pexpire'],
    before: [{ status: 'wait' }, { status: 'connecting' }, { status: 'connect' }, { status: 'reconnecting' }],
    ready: { status: 'ready' },
    lost: [{ status: 'reconnecting' }, { status: 'end' }]
  },
  'a Cluster of ioredis': {
    names: ['pexpire'],
    before: [{ status: 'wait', isCluster: true }, { status: 'connecting' }],
    ready: { status: 'ready', isCluster: true },
    lost: [{ status: 'end' }]
  }
} as const

/** One command: a `get`, or a script with its keys and its arguments, the first of which is the id of the call. */
type Sent = { name: string; keys: unknown; args: unknown[] }

/** A client that records its commands, with one reply for all of them. */
function fakeClient(kind: keyof typeof KINDS, reply: (sent: Sent) => unknown, state: object = KINDS[kind].ready) {
  const sent: Sent[] = []
  const record = async (one: Sent) => sent.push(one) && reply(one)
  const commands = {
    get: (key: string) => record({ name: 'get', keys: [key], args: [] }),
    eval: (_: string, count: number | { keys: string[]; arguments: string[] }, key: string, ...args: string[]) =>
      record(
        typeof count === 'number'
          ? { name: 'eval', keys: [key], args }
          : { name: 'eval', keys: count.keys, args: count.arguments }
      )
  }
  const others = Object.fromEntries(KINDS[kind].names.map(name => [name, never]))
  const connect = async () => Object.assign(client, { status: 'connecting' })
  const client = Object.assign(new EventEmitter(), commands, others, { connect }, state) as EventEmitter & RedisClient
  return { client, sent }
}

for (const kind of Object.keys(KINDS) as (keyof typeof KINDS)[]) {
  const storeOf = (reply: (sent: Sent) => unknown, state?: object) => {
    const { client, sent } = fakeClient(kind, reply, state)
    return { client, store: redisStore(client, { prefix: 'shop:' }), sent }
  }
  /** All calls of a store, whose scripts get this reply. */
  const callsOf = (reply: (call: unknown) => unknown) => {
    const { store, sent } = storeOf(({ name, args: [call] }) => (name === 'get' ? null : reply(call)))
    const calls: (() => unknown)[] = [
      () => store.set('a', [1], 60),
      () => store.delete('a'),
      () => store.touch('a', 60),
      () => store.giveBack('a', 'id'),
      () => store.take('a', 2, 60, 'id')
    ]
    return { calls, sent }
  }

  t.test(`each call to ${kind} has one key with the prefix, and each script an id of its own`, async t => {
    const { calls, sent } = callsOf(call => [call, null])
    for (const call of calls) await call()
    for (const { keys } of sent) t.strictSame(keys, ['shop:a'])
    const [read, ...scripts] = sent.map(({ args }) => args)
    t.strictSame(
      scripts.map(args => args.slice(1)),
      [['', '{"key":"a","value":[1]}', '60'], [], ['60'], ['id'], ['id', '2', '60']]
    )
    t.equal(new Set([read, ...scripts].map(args => args?.[0])).size, 6)
  })

  t.test(`a reply of ${kind} to another command is an error`, async t => {
    const isCluster = kind.startsWith('a Cluster')
    // In a Cluster, a null must name its call.
    const get = async (text: unknown) => storeOf(({ args: [call] }) => (isCluster ? [call, text] : text)).store.get('a')
    t.strictSame([await get(null), await get('{"key":"a","value":[1]}')], [null, [1]])
    t.strictSame(await get(Buffer.from('{"key":"a","value":0}')), 0)
    const texts = ['{"key":"b","value":1}', '{"value":1}', 'OK', '1', '"a"', 'null', 1]
    for (const text of texts) await t.rejects(get(text), String(text))
    for (const reply of [['another', 1, 59], [], null, undefined, ...texts]) {
      for (const call of callsOf(() => reply).calls) await t.rejects(async () => call(), String(reply))
      if (isCluster) await t.rejects(async () => storeOf(() => reply).store.get('a'))
    }
    const take = (reply: (call: unknown) => unknown) => callsOf(reply).calls[4]?.()
    t.strictSame(await take(call => [call, 1, 59]), { taken: true, ms: 59 })
    t.strictSame(await take(call => [Buffer.from(String(call)), '0', '59']), { taken: false, ms: 59 })
  })

  t.test(`a call waits until ${kind} is connected for the first time, and fails at once when it is lost`, async t => {
    const clock = stopClock(t)
    const { before, ready, lost } = KINDS[kind]
    for (const end of lost) {
      const { client, store, sent } = storeOf(({ args: [call] }) => (call ? [call, null] : null), before[0])
      const reply = Promise.resolve(store.get('a'))
      for (const state of before) {
        Object.assign(client, state)
        await clock.during(clock.sleep(1), 20)
        t.strictSame(sent, [])
      }
      Object.assign(client, ready)
      t.equal(await clock.during(reply, 20), null)
      Object.assign(client, end)
      await t.rejects(async () => store.get('a'), { message: 'the Redis client is not connected' })
      t.equal(sent.length, 1)
    }
    const start = Date.now()
    await t.rejects(clock.during(Promise.resolve(storeOf(never, before[0]).store.get('a')), 20))
    t.equal(Math.round((Date.now() - start) / 1000), 10)
  })

  t.test(`a call to ${kind} rejects with the error of the client`, async t => {
    const error = new Error('READONLY')
    await t.rejects(async () => storeOf(() => Promise.reject(error)).store.delete('a'), error)
  })
}

for (const [what, reply, state, later] of [
  ['cannot be reached', never, { status: 'connecting' }],
  ['does not reply', never],
  ['is full', throwing('OOM')],
  ['is connected at the first use', never, { status: 'wait' }, {}],
  [
    'is connected a second later',
    ({ args: [call] }: Sent) => [call, 1, 1],
    { status: 'connecting' },
    KINDS.ioredis.ready
  ]
] as [string, (sent: Sent) => unknown, object?, object?][])
  t.test(`the log ${later ? 'has no' : 'has a'} warning for each use of a Redis that ${what} at the start`, async t => {
    const [clock, log] = [stopClock(t), collectLog()]
    const { client } = fakeClient('ioredis', reply, state)
    const store = redisStore(client, { prefix: 'shop:' })
    await (await host(t, { tokens: opaqueTokens({ store }), throttle: { store } }, log)).ready()
    await clock.during(clock.sleep(1), 20)
    Object.assign(client, later)
    await clock.during(clock.sleep(1.1), 20)
    const warned = log.warnings().map(text => /the store of the \w+ failed/.exec(text))
    t.strictSame(
      warned.flat().sort(),
      later ? [] : ['the store of the throttle failed', 'the store of the tokens failed']
    )
  })

t.test('a call rejects when ioredis loses its connection, although ioredis would send it again', async t => {
  const { client } = fakeClient('ioredis', never)
  const reply = redisStore(client, { prefix: 'shop:' }).get('a')
  client.emit('close')
  await t.rejects(reply as Promise<unknown>, { message: 'the connection to Redis is lost' })
})

t.test('a client has one store for each prefix, and one listener for all of them', async t => {
  const { client } = fakeClient('ioredis', never)
  t.equal(redisStore(client, { prefix: 'a:' }), redisStore(client, { prefix: 'a:' }))
  t.not(redisStore(client, { prefix: 'b:' }), redisStore(client, { prefix: 'a:' }))
  t.equal(client.listenerCount('close'), 1)
})

t.test('a call that waits for the first connection does not keep the process alive', async t => {
  const { client } = fakeClient('ioredis', ({ args: [call] }) => [call], { status: 'connecting' })
  const before = timers()
  const call = redisStore(client, { prefix: 'shop:' }).delete('a')
  t.equal(timers(), before)
  const other = setInterval(() => {}, 1000)
  Object.assign(client, KINDS.ioredis.ready)
  await call
  clearInterval(other)
})

t.test('an invalid client, option or store is rejected at the start, and the error names the fix', async t => {
  const { client } = fakeClient('ioredis', never)
  const { client: nodeRedis } = fakeClient('node-redis', never)
  const withoutState = { ...client, ...nodeRedis, isOpen: undefined, status: undefined }
  const wrong = [undefined, null, {}, 'redis://a', new Map(), withoutState, { status: 'ready' }, { isOpen: true }]
  const prefix = 'shop:'
  const why =
    /`redisStore.(prefix` must be a non-empty|options` must be a plain).*{ prefix: 'shop:' }: services with one prefix in one database accept each other's sessions$/
  for (const [given, options, message] of [
    ...wrong.map(wrong => [wrong, { prefix }, /`redisStore.client` must be a client of .* or ioredis, no mock/]),
    [Object.assign(nodeRedis, { clientSideCache: {} }), { prefix }, /`redisStore.client` must have no `client/],
    ...[{}, { prefix: '' }, { prefix: 1 }, undefined, null].map(options => [client, options, why]),
    [client, { namespace: 'x' }, /`redisStore.options` has no setting `namespace`, only prefix/]
  ] as [RedisClient, { prefix: string }, RegExp][])
    t.throws(() => redisStore(given, options), { code: INVALID, message })
  const message = /`throttle.store` must be redisStore\(client, .*\), or .* get, set, delete, touch, take, giveBack$/
  for (const store of [client, () => client, { ...storeWith(), take: undefined }, new Map(), 'redis://127.0.0.1'])
    await t.rejects(host(t, { throttle: { store } }), { code: INVALID, message })
})
