// Sessions in a real Redis (or in the server that REDIS_SERVER names), with connections that a test interrupts.
// test/examples/redis tests the reference server.
import { Redis } from 'ioredis'
import { createClient } from 'redis'
import t, { type Test } from 'tap'
import { type OpaqueTokensOptions, redisStore } from '../../../lib/index.ts'
import { FaultyProxy } from '../../faulty-proxy.ts'
import { ADA, until } from '../../helpers.ts'
import { needs } from '../../needs.ts'
import { RedisServer } from '../../redis-server.ts'
import { repeat, together } from '../limits/attempts.ts'
import { EVE, FAILED, processWith, UNKNOWN } from './sessions.ts'

const CLIENTS = {
  'node-redis': (url: string) => createClient({ url, socket: { reconnectStrategy: 20 } }),
  ioredis: (url: string) => new Redis(url, { lazyConnect: true, retryStrategy: () => 20 })
}
type Kind = keyof typeof CLIENTS

/** A process with a connection of its own, through a proxy. */
async function processOn(t: Test, redis: RedisServer, kind: Kind, options: Partial<OpaqueTokensOptions> = {}) {
  const proxy = await FaultyProxy.start(t, redis.port)
  const client = CLIENTS[kind](proxy.url)
  client.on('error', () => {})
  t.teardown(() => void client.disconnect())
  await client.connect()
  const process = processWith(redisStore(client, { prefix: 'shop:' }), { timeout: 2, ...options })
  return { ...process, client, proxy, resultOf: (token: string) => process.userOf(token).catch(({ code }) => code) }
}

type Process = Awaited<ReturnType<typeof processOn>>

/** How a connection fails, and how it recovers. */
const FAILURES: Record<
  string,
  [(redis: RedisServer, of: Process) => unknown, (redis: RedisServer, of: Process) => unknown]
> = {
  'Redis is frozen': [redis => redis.freeze(), redis => redis.thaw()],
  'Redis is killed': [redis => redis.stop(), redis => redis.start()],
  'the connection is closed': [(_, { proxy }) => proxy.cut('closed'), (_, { proxy }) => proxy.restore()],
  'the connection is frozen': [(_, { proxy }) => proxy.cut('frozen'), (_, { proxy }) => proxy.restore()]
}

for (const kind of needs(t, 'redis-server') ? (Object.keys(CLIENTS) as Kind[]) : []) {
  t.test(`with ${kind}, no process accepts a token after its revocation has resolved`, async t => {
    const redis = await RedisServer.start(t)
    const all = await together(4, i =>
      processOn(t, redis, i < 2 ? kind : 'ioredis', { lifetime: 60, maxLifetime: 600 })
    )
    const anyOf = (i: number) => all[i % 4] as Process
    await repeat(30, async i => {
      const [ended, kept, eves] = await Promise.all([anyOf(i).issue(), anyOf(i + 1).issue(), anyOf(i + 2).issue(EVE)])
      // These uses overlap the revocation, and may renew the session.
      const uses = together(40, n => anyOf(n).userOf(ended))
      await Promise.all([anyOf(i + 3).tokens.revoke(ended), anyOf(i + 1).tokens.revoke(ended)])
      const late = await together(40, n => anyOf(n).userOf(ended))
      t.ok(late.every(user => user === null))
      t.strictSame(await together(4, n => anyOf(n).userOf(kept)), Array(4).fill(ADA))
      await uses
      t.ok((await together(4, n => anyOf(n).userOf(ended))).every(user => user === null))
      await Promise.all([anyOf(i).tokens.revokeAll('ada'), anyOf(i + 2).tokens.revokeAll('ada')])
      t.ok((await together(40, n => anyOf(n).userOf(kept))).every(user => user === null))
      t.strictSame(await anyOf(i).userOf(eves), EVE)
    })
  })

  for (const [failure, [begin, end]] of Object.entries(FAILURES))
    t.test(`with ${kind}, requests fail while ${failure}, and sessions go on afterwards`, async t => {
      const redis = await RedisServer.start(t)
      const one = await processOn(t, redis, kind, { timeout: 1 })
      const [token, ended] = [await one.issue(), await one.issue()]
      await one.tokens.revoke(ended)
      await begin(redis, one)
      t.strictSame(await together(5, () => one.resultOf(token)), Array(5).fill(FAILED))
      for (const call of [one.issue, () => one.tokens.revoke(token), () => one.tokens.revokeAll('eve')])
        await t.rejects(async () => call(), { code: FAILED })
      await end(redis, one)
      // The revocation that has failed may take effect later.
      await until(async () => (await one.resultOf(token)) !== FAILED)
      const another = await one.issue()
      t.strictSame([await one.userOf(another), await one.userOf(ended)], [ADA, null])
    })

  t.test(`with ${kind}, a lost reply lets nobody in as another user, and ends no session`, async t => {
    const redis = await RedisServer.start(t)
    const one = await processOn(t, redis, kind, { timeout: 1 })
    const [ada, eve] = [await one.issue(), await one.issue(EVE)]
    one.proxy.cut('lossy')
    const lost = one.resultOf(ada)
    await until(async () => (await one.resultOf(ada)) === FAILED)
    one.proxy.restore()
    for (const _ of Array(20)) {
      const [adas, eves] = await Promise.all([one.resultOf(ada), one.resultOf(eve)])
      t.ok([FAILED, 'ada'].includes(adas?.username ?? adas))
      t.ok([FAILED, 'eve'].includes(eves?.username ?? eves))
    }
    t.equal(await lost, FAILED)
  })
}

if (needs(t, 'redis-server')) {
  t.test('a revokeAll that ioredis sends twice does not restore a session that has ended since', async t => {
    const redis = await RedisServer.start(t)
    const [one, two] = [await processOn(t, redis, 'ioredis'), await processOn(t, redis, 'node-redis')]
    const before = await two.issue()
    const { eval: send } = one.client as Redis
    // Redis runs the command, but its reply is lost.
    ;(one.client as Redis).eval = ((...args: Parameters<typeof send>) => {
      if (String(args[0]).includes("'SET'")) one.proxy.cut('deaf')
      return send.apply(one.client, args)
    }) as typeof send
    const failing = t.rejects(one.tokens.revokeAll('ada'), { code: FAILED })
    await until(async () => (await two.userOf(before)) === null)
    const token = await two.issue()
    one.proxy.cut('closed')
    await failing
    await two.tokens.revokeAll('ada')
    one.proxy.restore()
    await until(async () => (await one.resultOf(UNKNOWN)) === null)
    t.equal(await two.userOf(token), null)
  })
}
