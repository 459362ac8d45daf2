// How opaqueTokens tracks changes with a client of node-redis. redis.slow.test.ts uses a real Redis.
import { EventEmitter } from 'node:events'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { createClient, createCluster, createSentinel } from 'redis'
import t from 'tap'
import { opaqueTokens, type RedisClient, redisStore } from '../../../../lib/index.ts'
import { ADA, deferred } from '../../../helpers.ts'
import { processWith, startListening } from '../opaque/session-store.ts'

const TRACKING = [
  'CLIENT TRACKING OFF',
  'CLIENT TRACKING ON BCAST PREFIX screen_auth_session: PREFIX screen_auth_generation:'
]

/** The option `cache` in seconds: longer than any test takes. */
const LONG = 600

/** A connected client of node-redis, whose entries other clients may share. */
class FakeClient extends EventEmitter {
  readonly commands: string[] = []
  readonly entries: Map<string, string>
  isReady = true
  options: object = { emitInvalidate: true, maintNotifications: 'disabled' }
  /** Returns the reply to `CLIENT TRACKING`. */
  reply: () => Promise<unknown> = async () => 'OK'
  /** The prefixes of the keys whose changes Redis reports to the connection. */
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

  async set(key: string, value: string) {
    this.entries.set(key, value)
    return 'OK'
  }

  async del(key: string) {
    return Number(this.entries.delete(key))
  }

  async eval() {
    throw new Error('opaqueTokens counts nothing')
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

const track = (client: RedisClient, prefix = '') => opaqueTokens({ store: redisStore(client, { prefix }) })

/** A process whose heartbeat has started, and that has read a session of Ada. */
async function setUp(
  client: FakeClient,
  { prefix = '', ...options }: { prefix?: string; cache?: number | undefined } = {}
) {
  const process = processWith(redisStore(client, { prefix }), { cache: LONG, ...options })
  await startListening(process.tokens)
  const token = await process.issue()
  await process.userOf(token)
  return { ...process, token, isCached: () => process.isCached(token) }
}

/** Reports a change of every entry. */
function reportAll({ entries }: FakeClient, source: EventEmitter): void {
  for (const key of entries.keys()) source.emit('invalidate', Buffer.from(key))
}

t.test('a prefix applies to each key, and to the keys that Redis reports', async t => {
  const client = new FakeClient()
  const { token, issue, isCached } = await setUp(client, { prefix: 'shop:' })
  await issue()
  t.ok([...client.entries.keys()].every(key => key.startsWith('shop:screen_auth_')))
  t.match(client.commands, [/OFF$/, /PREFIX shop:screen_auth_session: PREFIX shop:screen_auth_generation:$/])
  t.ok(isCached(), token)
  reportAll(client, client)
  t.notOk(isCached())
})

t.test('opaqueTokens turns tracking by prefix on, at once or on each connection', async t => {
  const [connected, later] = [new FakeClient(), Object.assign(new FakeClient(), { isReady: false })]
  for (const client of [connected, later]) track(client)
  t.strictSame(connected.commands, TRACKING)
  t.strictSame(later.commands, [])
  for (const expected of [TRACKING, [...TRACKING, ...TRACKING]]) {
    later.emit('ready')
    t.strictSame(later.commands, expected)
  }
})

t.test('a cached session needs no command until Redis reports its change', async t => {
  const client = new FakeClient()
  const { tokens, token, isCached } = await setUp(client)
  const before = client.commands.length
  t.strictSame(tokens.verify(token), ADA)
  t.equal(client.commands.length, before)
  client.emit('invalidate', Buffer.from('screen_auth_session:another'))
  t.ok(isCached(), 'it is not the session that was reported')
  reportAll(client, client)
  t.notOk(isCached())
})

for (const event of ['error', 'end', 'ready', 'invalidate']) {
  t.test(`the event '${event}' with null empties the cache`, async t => {
    const client = new FakeClient()
    const { isCached } = await setUp(client)
    client.emit(event, null)
    // A new connection empties the cache only when Redis has confirmed the tracking.
    if (event === 'ready') await setImmediate()
    t.notOk(isCached())
  })
}

t.test('no session is cached before Redis has confirmed the tracking', async t => {
  const client = new FakeClient()
  const { promise, resolve } = deferred()
  client.reply = () => promise
  const { tokens, isCached, userOf, token } = await setUp(client)
  t.notOk(isCached())
  resolve()
  await setImmediate()
  await startListening(tokens)
  await userOf(token)
  t.ok(isCached())
})

t.test('the heartbeat detects that the host has turned tracking off, and turns it on again', async t => {
  const client = new FakeClient()
  const { tokens, userOf, token, isCached } = await setUp(client, { cache: 1 })
  client.commands.splice(0)
  client.prefixes = []
  while (!client.commands.some(command => command.startsWith('CLIENT'))) await setTimeout(20)
  t.strictSame(client.commands, TRACKING)
  await startListening(tokens)
  await userOf(token)
  t.ok(isCached())
})

for (const [what, faults] of Object.entries({
  'cannot report changes': { reply: () => Promise.reject(new Error('NOPERM')) },
  'reports only some of the changes': {
    clientTrackingInfo: async () => ({ prefixes: ['screen_auth_session:'] })
  }
})) {
  t.test(`every request reads from a Redis that ${what}`, async t => {
    const { isCached, userOf, token } = await setUp(Object.assign(new FakeClient(), faults))
    t.strictSame(await userOf(token), ADA)
    t.notOk(isCached())
  })
}

t.test('every request reads from a client without emitInvalidate', async t => {
  const client = Object.assign(new FakeClient(), { options: { maintNotifications: 'auto' } })
  const { isCached } = await setUp(client, { cache: undefined })
  t.notOk(isCached())
  t.notOk(client.commands.some(command => command.startsWith('CLIENT')))
})

t.test('every request reads from a Cluster, and the cache of its client stays empty', async t => {
  const cache = new FakeCache()
  const client = Object.assign(sentinel(cache), { nodeClient() {} })
  const { isCached } = await setUp(client, { cache: undefined })
  cache.set('key', 1)
  t.equal(cache.kept.size, 0)
  t.notOk(isCached())
})

t.test('a client with a cache connects with tracking by prefix, and its cache stays empty', async t => {
  const cache = new FakeCache()
  cache.set('kept from before', 1)
  const client = sentinel(cache)
  const { isCached, userOf, token } = await setUp(client)
  t.equal(cache.kept.size, 0)
  t.equal(cache.trackingOn().join(' '), TRACKING[1])
  t.notOk(isCached(), 'a new connection has no reports of earlier changes')
  cache.set('key', 1)
  t.equal(cache.kept.size, 0)
  for (let i = 0; i < 2; i++) await userOf(token)
  t.ok(isCached())
  reportAll(client, cache)
  t.notOk(isCached())
  t.notOk(client.commands.some(command => command.startsWith('CLIENT')))
})

for (const event of ['onError', 'onClose'] as const) {
  t.test(`${event} of the client's cache empties the cache of sessions`, async t => {
    const cache = new FakeCache()
    const { isCached } = await setUp(sentinel(cache))
    t.ok(isCached())
    cache[event]()
    t.notOk(isCached())
  })
}

for (const setting of ['auto', 'enabled']) {
  t.test(`a client with maintNotifications: '${setting}' is rejected at the start`, async t => {
    const options = { emitInvalidate: true, maintNotifications: setting }
    const message = /`redisStore.client` must be made with `maintNotifications: 'disabled'`/
    for (const client of [new FakeClient(), sentinel()])
      t.throws(() => track(Object.assign(client, { options })), { code: INVALID, message })
  })
}

t.test('a second prefix or client is rejected, because a connection tracks one set of prefixes', async t => {
  const client = new FakeClient()
  for (let i = 0; i < 2; i++) track(client, 'a:')
  t.equal(client.commands.length, TRACKING.length)
  const refused = { code: INVALID, message: /has a store with another prefix already/ }
  t.throws(() => track(client, 'b:'), refused)
  const cache = new FakeCache()
  track(sentinel(cache))
  t.throws(() => track(sentinel(cache)), refused, 'nor can a cache that two clients share')
})

t.test('clients of node-redis are accepted, but reporting ones only with maintNotifications off', async t => {
  const url = 'redis://127.0.0.1:1'
  const reporting = { RESP: 3, emitInvalidate: true } as const
  const root = { host: '127.0.0.1', port: 1 }
  for (const client of [
    createClient({ url }),
    createClient({ url, ...reporting, maintNotifications: 'disabled' }),
    createSentinel({ name: 'x', sentinelRootNodes: [root], RESP: 3, clientSideCache: {} }),
    createCluster({ rootNodes: [{ url }] })
  ])
    t.doesNotThrow(() => track(client))
  t.throws(() => track(createClient({ url, ...reporting })), /maintNotifications/)
})
