// What redisStore sends to a client of node-redis, and what it hears of it. With a real Redis: redis.slow.test.ts.
import { EventEmitter } from 'node:events'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { createClient, createCluster, createSentinel } from 'redis'
import t from 'tap'
import { type RedisClient, redisStore } from '../../../../lib/index.ts'
import { ADA, deferred } from '../../../helpers.ts'
import { FAILED, processWith, startListening, UNKNOWN } from '../opaque/session-store.ts'

const TRACKING = [
  'CLIENT TRACKING OFF',
  'CLIENT TRACKING ON BCAST PREFIX screen_auth_session: PREFIX screen_auth_generation:'
]

/** Seconds for which a silent connection is believed: longer than any test takes. */
const LONG = 600

/** A client of node-redis that is connected, on entries that other clients may share. */
class FakeClient extends EventEmitter {
  readonly commands: string[] = []
  readonly entries: Map<string, string>
  isReady = true
  options: object = { emitInvalidate: true, maintNotifications: 'disabled' }
  /** What `CLIENT TRACKING` resolves to. */
  reply: () => Promise<unknown> = async () => 'OK'
  /** What Redis reports to the connection. */
  prefixes: (string | Buffer)[] = []

  constructor(entries = new Map<string, string>()) {
    super()
    this.entries = entries
    this.on('error', () => {})
  }

  async get(key: string) {
    this.commands.push(`GET ${key}`)
    return this.entries.get(key) ?? null
  }

  async set(key: string, value: string, { PX }: { PX: number }) {
    this.commands.push(`SET ${key} PX ${PX}`)
    this.entries.set(key, value)
    return 'OK'
  }

  async del(key: string) {
    this.commands.push(`DEL ${key}`)
    return Number(this.entries.delete(key))
  }

  async clientTracking(isOn: boolean, { BCAST = false, PREFIX = [] as string[] } = {}) {
    const rest = PREFIX.map(prefix => ` PREFIX ${prefix}`).join('')
    this.commands.push(`CLIENT TRACKING ${isOn ? `ON${BCAST ? ' BCAST' : ''}${rest}` : 'OFF'}`)
    const reply = await this.reply()
    this.prefixes = PREFIX
    return reply
  }

  async clientTrackingInfo() {
    return { flags: ['on'], prefixes: this.prefixes }
  }
}

class FakeCache extends EventEmitter {
  readonly kept = new Map<string, unknown>()
  set(key: string, value: unknown) {
    this.kept.set(key, value)
  }
  trackingOn = () => ['CLIENT', 'TRACKING', 'ON']
  onError() {}
  onClose() {}
  clear() {
    this.kept.clear()
  }
}

function sentinel(cache = new FakeCache()): FakeClient {
  const client = new FakeClient()
  client.prefixes = ['screen_auth_session:', 'screen_auth_generation:'].map(prefix => Buffer.from(prefix))
  return Object.assign(client, { options: undefined as never, clientSideCache: cache })
}

const INVALID = 'FST_SCREEN_AUTH_INVALID_OPTION'

/** A process that has heard its client, and asked for a session of Ada. */
async function setUp(
  client: FakeClient,
  { prefix = '', ...options }: { prefix?: string; cache?: number | undefined } = {}
) {
  const process = processWith(redisStore(client, { prefix }), { cache: LONG, ...options })
  await startListening(process.tokens)
  const token = await process.issue()
  await process.userOf(token)
  return { ...process, token, isRemembered: () => process.remembers(token) }
}

/** Reports that each entry has changed. */
function reportAll({ entries }: FakeClient, source: EventEmitter): void {
  for (const key of entries.keys()) source.emit('invalidate', Buffer.from(key))
}

t.test('a session is one SET with its time, one GET, and one DEL', async t => {
  const client = new FakeClient()
  const { tokens, issue, userOf } = processWith(redisStore(client), { cache: 0, lifetime: 10 })
  client.commands.splice(0)
  const token = await issue()
  t.strictSame(await userOf(token), ADA)
  await tokens.revoke(token)
  t.equal(await userOf(token), null)
  const kinds = client.commands.map(command => command.replace(/:\S+/, ''))
  const read = ['GET screen_auth_session', 'GET screen_auth_generation']
  t.strictSame(kinds, [
    'GET screen_auth_generation',
    'SET screen_auth_session PX 10000',
    ...read,
    // Whose session it was, for the event.
    'GET screen_auth_session',
    'DEL screen_auth_session',
    ...read
  ])
})

t.test('a prefix is put before each key, and before what Redis reports', async t => {
  const client = new FakeClient()
  const { token, issue, isRemembered } = await setUp(client, { prefix: 'shop:' })
  await issue()
  t.ok([...client.entries.keys()].every(key => key.startsWith('shop:screen_auth_')))
  t.match(client.commands, [/OFF$/, /PREFIX shop:screen_auth_session: PREFIX shop:screen_auth_generation:$/])
  t.ok(isRemembered(), token)
  reportAll(client, client)
  t.notOk(isRemembered())
})

t.test('what a Keyv without a namespace has written can be read, and the other way round', async t => {
  const client = new FakeClient()
  const { issue } = processWith(redisStore(client), { cache: 0 })
  await issue()
  const [json] = client.entries.values()
  t.match(JSON.parse(json as string), { value: ADA })
})

t.test('an error of the client is thrown as it is', async t => {
  const client = new FakeClient()
  client.get = () => Promise.reject(new Error('no connection'))
  await t.rejects(async () => redisStore(client).get('key'), { message: 'no connection' })
  const { userOf } = processWith(redisStore(client))
  await t.rejects(userOf(UNKNOWN), { code: FAILED, cause: { message: 'no connection' } })
})

for (const reply of ['OK', '1', '{}', '"x"', 'null']) {
  t.test(`a reply to another command (${reply}) is an error, not a missing session`, async t => {
    const client = new FakeClient()
    client.get = async () => reply
    await t.rejects(processWith(redisStore(client)).userOf(UNKNOWN))
  })
}

t.test('a client is told to report changes by prefix, at once or whenever it connects', async t => {
  const [connected, later] = [new FakeClient(), Object.assign(new FakeClient(), { isReady: false })]
  for (const client of [connected, later]) redisStore(client)
  t.strictSame(connected.commands, TRACKING)
  t.strictSame(later.commands, [])
  for (const expected of [TRACKING, [...TRACKING, ...TRACKING]]) {
    later.emit('ready')
    t.strictSame(later.commands, expected)
  }
})

t.test('a session that was read costs no command until Redis reports it', async t => {
  const client = new FakeClient()
  const { tokens, token, isRemembered } = await setUp(client)
  const before = client.commands.length
  t.strictSame(tokens.verify(token), ADA)
  t.equal(client.commands.length, before)
  client.emit('invalidate', Buffer.from('screen_auth_session:another'))
  t.ok(isRemembered(), 'it is not the session that was reported')
  reportAll(client, client)
  t.notOk(isRemembered())
})

for (const event of ['error', 'end', 'ready', 'invalidate']) {
  t.test(`after the event '${event}' for all, what was read is asked for again`, async t => {
    const client = new FakeClient()
    const { isRemembered } = await setUp(client)
    client.emit(event, null)
    // What is told when it connects is told when Redis has confirmed it.
    if (event === 'ready') await setImmediate()
    t.notOk(isRemembered())
  })
}

t.test('nothing is believed before Redis has said that it reports changes', async t => {
  const client = new FakeClient()
  const { promise, resolve } = deferred()
  client.reply = () => promise
  const { tokens, isRemembered, userOf, token } = await setUp(client)
  t.notOk(isRemembered())
  resolve()
  await setImmediate()
  await startListening(tokens)
  await userOf(token)
  t.ok(isRemembered())
})

t.test('a host that ends the reports is found out by the heartbeat, and they begin anew', async t => {
  const client = new FakeClient()
  const { tokens, userOf, token, isRemembered } = await setUp(client, { cache: 1 })
  client.commands.splice(0)
  client.prefixes = []
  while (!client.commands.some(command => command.startsWith('CLIENT'))) await setTimeout(20)
  t.strictSame(client.commands, TRACKING)
  await startListening(tokens)
  await userOf(token)
  t.ok(isRemembered())
})

for (const [what, faults] of Object.entries({
  'cannot report changes': { reply: () => Promise.reject(new Error('NOPERM')) },
  'reports only some of the changes': {
    clientTrackingInfo: async () => ({ prefixes: ['screen_auth_session:'] })
  }
})) {
  t.test(`a Redis that ${what} is asked with each request`, async t => {
    const { isRemembered, userOf, token } = await setUp(Object.assign(new FakeClient(), faults))
    t.strictSame(await userOf(token), ADA)
    t.notOk(isRemembered())
  })
}

t.test('a client that was not told to receive reports is asked with each request', async t => {
  const client = Object.assign(new FakeClient(), { options: { maintNotifications: 'auto' } })
  const { isRemembered } = await setUp(client, { cache: undefined })
  t.notOk(isRemembered())
  t.notOk(client.commands.some(command => command.startsWith('CLIENT')))
})

t.test('a Cluster is asked with each request, whatever its cache would keep', async t => {
  const cache = new FakeCache()
  const client = Object.assign(sentinel(cache), { nodeClient() {} })
  const { isRemembered } = await setUp(client, { cache: undefined })
  cache.set('key', 1)
  t.equal(cache.kept.size, 0)
  t.notOk(isRemembered())
})

t.test('a client with a cache connects with the prefixes, and its cache keeps nothing', async t => {
  const cache = new FakeCache()
  cache.set('kept from before', 1)
  const client = sentinel(cache)
  const { isRemembered, userOf, token } = await setUp(client)
  t.equal(cache.kept.size, 0)
  t.equal(cache.trackingOn().join(' '), TRACKING[1])
  t.notOk(isRemembered(), 'a new connection has not heard what was changed before')
  cache.set('key', 1)
  t.equal(cache.kept.size, 0)
  for (let i = 0; i < 2; i++) await userOf(token)
  t.ok(isRemembered())
  reportAll(client, cache)
  t.notOk(isRemembered())
  t.notOk(client.commands.some(command => command.startsWith('CLIENT')))
})

for (const event of ['onError', 'onClose'] as const) {
  t.test(`what a client with a cache has read is asked for again after ${event}`, async t => {
    const cache = new FakeCache()
    const { isRemembered } = await setUp(sentinel(cache))
    t.ok(isRemembered())
    cache[event]()
    t.notOk(isRemembered())
  })
}

for (const setting of ['auto', 'enabled']) {
  t.test(`a client with maintNotifications: '${setting}' is refused at the start`, async t => {
    const options = { emitInvalidate: true, maintNotifications: setting }
    const message = /`redisStore.client` must be made with `maintNotifications: 'disabled'`/
    for (const client of [new FakeClient(), sentinel()])
      t.throws(() => redisStore(Object.assign(client, { options })), { code: INVALID, message })
  })
}

t.test('what is no client, and what is no prefix, is refused at the start', async t => {
  for (const [client, options, message] of [
    ...[undefined, null, {}, 'redis://127.0.0.1', new Map()].map(client => [
      client,
      {},
      /`redisStore.client` must be a client of node-redis/
    ]),
    [new FakeClient(), { prefix: 1 }, /`redisStore.prefix` must be a string/],
    [new FakeClient(), { namespace: 'x' }, /has no setting `namespace`/]
  ] as [RedisClient, object, RegExp][])
    t.throws(() => redisStore(client, options), { code: INVALID, message })
})

t.test('a client has one store, because a connection can report in one way only', async t => {
  const client = new FakeClient()
  t.equal(redisStore(client, { prefix: 'a:' }), redisStore(client, { prefix: 'a:' }))
  const refused = { code: INVALID, message: /has a store with another prefix already/ }
  t.throws(() => redisStore(client, { prefix: 'b:' }), refused)
  const cache = new FakeCache()
  redisStore(sentinel(cache))
  t.throws(() => redisStore(sentinel(cache)), refused, 'nor can a cache that two clients share')
})

t.test('the clients of node-redis fit as they are, and their default is refused', async t => {
  const url = 'redis://127.0.0.1:1'
  const reporting = { RESP: 3, emitInvalidate: true } as const
  const root = { host: '127.0.0.1', port: 1 }
  const clients = [
    createClient({ url }),
    createClient({ url, ...reporting, maintNotifications: 'disabled' }),
    createSentinel({ name: 'x', sentinelRootNodes: [root], RESP: 3, clientSideCache: {} }),
    createCluster({ rootNodes: [{ url }] })
  ] as const
  const [plain, disabled, sentinel, cluster] = clients
  for (const store of [redisStore(plain), redisStore(disabled), redisStore(sentinel), redisStore(cluster)])
    t.type(store.get, 'function')
  t.throws(() => redisStore(createClient({ url, ...reporting })), /maintNotifications/)
})
