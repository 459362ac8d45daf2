// redisStore and the limits with a real Redis. test/examples/redis tests the reference server.
import { setTimeout as sleep } from 'node:timers/promises'
import { Cluster, Redis } from 'ioredis'
import { createClient, createCluster } from 'redis'
import t, { type Test } from 'tap'
import { redisStore } from '../../../lib/index.ts'
import { listen, until } from '../../helpers.ts'
import { needs } from '../../needs.ts'
import { ask, freePort, RedisServer } from '../../redis-server.ts'
import { attempt, countingHost, together } from '../limits/attempts.ts'
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
  await ask(redis, ['CLUSTER', 'ADDSLOTSRANGE', '0', '16383'])
  await until(async () => /cluster_state:ok/.test(String(await ask(redis, ['CLUSTER', 'INFO']))))
  return redis
}

for (const [name, clientOf] of needs(t, 'redis-server') ? Object.entries(CLIENTS) : []) {
  const isCluster = name.startsWith('a Cluster')
  const storeOf = async (t: Test, { url }: RedisServer) => {
    const client = clientOf(url)
    client.on('error', () => {})
    t.teardown(() => void client.disconnect())
    // Not awaited: the store waits for the first connection.
    client.connect().catch(() => {})
    return redisStore(client, { prefix: 'shop:' })
  }

  testStore(t, name, async t => [await storeOf(t, await start(t, isCluster)), sleep])
  if (isCluster) continue

  for (const [what, loginOf, expected] of [
    ['one name from one address', () => ({}), 10],
    ['one name from forty addresses', i => ({ address: `10.0.0.${i % 40}` }), 50],
    ['forty names from one address', i => ({ username: `user-${i % 40}` }), 100]
  ] as [string, (i: number) => object, number][])
    t.test(`400 guesses at once get ${expected} checks on four servers with ${name}: ${what}`, async t => {
      const redis = await start(t, false)
      const outcomes = listen(t, 'throttle', ({ outcome }) => outcome)
      const all = await together(4, async () => countingHost(t, { throttle: { store: await storeOf(t, redis) } }))
      await Promise.all(all.map(({ app }) => together(100, i => attempt(app, loginOf(i)))))
      const checks = all.reduce((sum, host) => sum + host.checks(), 0)
      t.strictSame([checks, outcomes], [expected, []])
    })

  t.test(`a full Redis still takes a place back from ${name}`, async t => {
    const redis = await start(t, false)
    const store = await storeOf(t, redis)
    await store.take('count:x', 1, 60_000, 'a')
    await ask(redis, ['CONFIG', 'SET', 'maxmemory', '1'])
    await t.rejects(async () => store.take('count:y', 1, 60_000, 'a'), /OOM/)
    await store.giveBack('count:x', 'a')
    t.equal(await ask(redis, ['EXISTS', 'shop:count:x']), 0)
  })
}
