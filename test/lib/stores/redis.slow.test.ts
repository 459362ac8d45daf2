// redisStore and the limits with a real Redis. test/examples/redis tests the reference server.
import { setTimeout as sleep } from 'node:timers/promises'
import { Cluster, Redis } from 'ioredis'
import { createClient, createCluster } from 'redis'
import t, { type Test } from 'tap'
import { redisStore } from '../../../lib/index.ts'
import { listen, until } from '../../helpers.ts'
import { needs } from '../../needs.ts'
import { freePort, RedisServer } from '../../redis-server.ts'
import { attempt, countingHost, RIGHT, repeat, together } from '../limits/attempts.ts'
import { testStore } from './contract.ts'

const CLIENTS = {
  'node-redis': (url: string) => createClient({ url, socket: { reconnectStrategy: 50 } }),
  ioredis: (url: string) => new Redis(url, { lazyConnect: true, retryStrategy: () => 50 }),
  'a Cluster of node-redis': (url: string) => createCluster({ rootNodes: [{ url }] }),
  'a Cluster of ioredis': (url: string) => new Cluster([url], { lazyConnect: true })
}

async function start(t: Test, isCluster: boolean): Promise<RedisServer> {
  if (!isCluster) return RedisServer.start(t)
  const settings = ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1', '--cluster-port']
  const redis = await RedisServer.start(t, ...settings, String(await freePort()))
  await ask(redis, 'CLUSTER', 'ADDSLOTSRANGE', '0', '16383')
  await until(async () => /cluster_state:ok/.test(String(await ask(redis, 'CLUSTER', 'INFO'))))
  return redis
}

async function ask(redis: RedisServer, ...command: [string, ...string[]]): Promise<unknown> {
  const client = await createClient({ url: redis.url }).connect()
  return client.sendCommand(command).finally(() => client.destroy())
}

const maxMemory = (redis: RedisServer, bytes: string) => ask(redis, 'CONFIG', 'SET', 'maxmemory', bytes)
const follow = (redis: RedisServer, host: string, port: string) => ask(redis, 'REPLICAOF', host, port)

const OUTAGES: Record<string, [begin: (redis: RedisServer) => unknown, end: (redis: RedisServer) => unknown]> = {
  killed: [redis => redis.stop(), redis => redis.start()],
  frozen: [redis => redis.freeze(), redis => redis.thaw()],
  full: [redis => maxMemory(redis, '1'), redis => maxMemory(redis, '0')],
  'a replica': [redis => follow(redis, '127.0.0.1', '1'), redis => follow(redis, 'NO', 'ONE')]
}

for (const [name, clientOf] of needs(t, 'redis-server') ? Object.entries(CLIENTS) : []) {
  const isCluster = name.startsWith('a Cluster')
  const storeOf = async (t: Test, { url }: RedisServer) => {
    const client = clientOf(url)
    client.on('error', () => {})
    t.teardown(() => void client.disconnect())
    await client.connect()
    return redisStore(client, { prefix: 'shop:' })
  }

  testStore(t, name, async t => [await storeOf(t, await start(t, isCluster)), sleep])
  if (isCluster) continue

  const hosts = async (t: Test, count: number) => {
    const redis = await start(t, false)
    const outcomes = listen(t, 'throttle', ({ outcome }) => outcome)
    const all = await together(count, async () => countingHost(t, { throttle: { store: await storeOf(t, redis) } }))
    return { redis, outcomes, all, one: all[0] as (typeof all)[number] }
  }

  for (const [what, loginOf, expected] of [
    ['one name from one address', () => ({}), 10],
    ['one name from forty addresses', i => ({ address: `10.0.0.${i % 40}` }), 50],
    ['forty names from one address', i => ({ username: `user-${i % 40}` }), 100]
  ] as [string, (i: number) => object, number][])
    t.test(`400 guesses at once get ${expected} checks on four servers with ${name}: ${what}`, async t => {
      const { all, outcomes } = await hosts(t, 4)
      await Promise.all(all.map(({ app }) => together(100, i => attempt(app, loginOf(i)))))
      const checks = all.reduce((sum, host) => sum + host.checks(), 0)
      t.strictSame([checks, outcomes], [expected, []])
    })

  for (const [outage, [begin, end]] of Object.entries(OUTAGES))
    t.test(`a process with ${name} counts in its memory while Redis is ${outage}, and then in Redis again`, async t => {
      const { redis, outcomes, one } = await hosts(t, 1)
      await repeat(4, () => attempt(one.app))
      await begin(redis)
      await repeat(12, () => attempt(one.app))
      t.equal(one.checks(), 4 + 10)
      t.equal((await attempt(one.app, { ...RIGHT, username: 'bob' })).success, true)
      t.strictSame(outcomes, ['store-down'])
      await end(redis)
      await until(() => outcomes.length === 2)
      await repeat(12, () => attempt(one.app))
      t.equal(one.checks(), 4 + 10 + 1 + 6)
    })

  t.test(`a full Redis still takes a place back from ${name}`, async t => {
    const redis = await start(t, false)
    const store = await storeOf(t, redis)
    await store.take('count:x', 1, 60_000, 'a')
    await maxMemory(redis, '1')
    await t.rejects(async () => store.take('count:y', 1, 60_000, 'a'), /OOM/)
    await store.giveBack('count:x', 'a')
    t.equal(await ask(redis, 'EXISTS', 'shop:count:x'), 0)
  })
}
