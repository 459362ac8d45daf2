// Sessions in a Redis that fails over, connected as in docs/several-servers.md: a master with two replicas and three
// sentinels, and a Cluster of three masters with a replica each.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Cluster, Redis } from 'ioredis'
import { createCluster, createSentinel, type RedisClusterType } from 'redis'
import t, { type Test } from 'tap'
import { type RedisClient, redisStore } from '../../../lib/index.ts'
import { ADA, until } from '../../helpers.ts'
import { needs } from '../../needs.ts'
import { ask, freePort, RedisServer } from '../../redis-server.ts'
import { together } from '../limits/attempts.ts'
import { FAILED, processWith } from './sessions.ts'

const NAME = 'sessions'
const MASTERS = 3

/** A client of any kind, until it is connected. */
type Client = RedisClient & { on(event: string, listener: () => void): unknown; connect(): Promise<unknown> }

const SENTINELS: Record<string, (sentinels: { host: string; port: number }[]) => [Client, close: () => unknown]> = {
  'node-redis'(sentinelRootNodes) {
    const client = createSentinel({ name: NAME, sentinelRootNodes, scanInterval: 500 })
    return [client as unknown as Client, () => client.destroy()]
  },
  ioredis(sentinels) {
    const client = new Redis({ name: NAME, sentinels, failoverDetector: true, lazyConnect: true })
    return [client as unknown as Client, () => client.disconnect()]
  }
}

const CLUSTERS: Record<string, (urls: string[], t: Test) => [Client, close: () => unknown]> = {
  'node-redis'(urls, t) {
    const client = createCluster({ rootNodes: urls.map(url => ({ url })) })
    reconnectAfterErrors(t, client as unknown as RedisClusterType)
    return [client as unknown as Client, () => client.destroy()]
  },
  ioredis(urls) {
    const client = new Cluster(urls, { lazyConnect: true, redisOptions: { socketTimeout: 4000 } })
    return [client as unknown as Client, () => client.disconnect()]
  }
}

async function processOn(t: Test, [client, close]: [Client, () => unknown]) {
  t.teardown(() => void close())
  client.on('error', () => {})
  await client.connect()
  const process = processWith(redisStore(client, { prefix: 'shop:' }), { timeout: 2 })
  return { ...process, resultOf: (token: string) => process.userOf(token).catch(({ code }) => code) }
}

const watched = needs(t, 'redis-server') ? Object.entries(SENTINELS) : []
const clustered = needs(t, 'redis-server', 'redis-cli') ? Object.entries(CLUSTERS) : []

for (const [kind, clientOf] of watched)
  t.test(`with ${kind} and sentinels, sessions and revocations survive the failure of the master`, async t => {
    const { servers, sentinels } = await watchedRedis(t)
    const addresses = sentinels.map(({ port }) => ({ host: '127.0.0.1', port }))
    const [one, two] = [await processOn(t, clientOf(addresses)), await processOn(t, clientOf(addresses))]
    const [good, ended] = [await one.issue(), await one.issue()]
    await two.tokens.revoke(ended)
    t.equal(await one.userOf(ended), null)
    // Data that the master has not replicated is lost with it.
    await until(() => isReplicated(servers[0] as RedisServer))
    const killed = performance.now()
    await servers[0]?.stop()
    for (const { resultOf, tokens } of [one, two]) {
      await until(async () => {
        const results = [await resultOf(good), await resultOf(ended)]
        t.ok(results[0] !== null && [null, FAILED].includes(results[1]))
        return !results.includes(FAILED)
      })
      // A reader may have been a client of the old master.
      await until(async () =>
        tokens.revokeAll('eve').then(
          () => true,
          () => false
        )
      )
    }
    t.comment(`${kind}: readable again ${Math.round(performance.now() - killed)} ms after the kill`)
    await one.tokens.revokeAll('ada')
    t.equal(await two.userOf(good), null)
  })

for (const [kind, clientOf] of clustered)
  t.test(`with ${kind} and a Cluster, sessions and revocations survive the failure of a master`, async t => {
    const servers = await startCluster(t)
    const urls = servers.map(({ url }) => url)
    const [one, two] = [await processOn(t, clientOf(urls, t)), await processOn(t, clientOf(urls, t))]
    // Enough sessions for every node.
    const users = Array.from({ length: 20 }, (_, i) => ({ ...ADA, username: `user ${i}` }))
    const [good, ended] = [await together(20, i => one.issue(users[i])), await together(20, i => two.issue(users[i]))]
    await together(20, i => one.tokens.revoke(ended[i] as string))
    t.ok((await Promise.all(ended.map(two.userOf))).every(user => user === null))
    for (const master of servers.slice(0, MASTERS)) await until(() => isReplicated(master))
    const killed = performance.now()
    await servers[0]?.stop()
    await until(async () => {
      t.ok((await Promise.all(ended.map(two.resultOf))).every(result => result === null || result === FAILED))
      const results = await Promise.all([...good.map(one.resultOf), ...good.map(two.resultOf)])
      t.notOk(results.includes(null))
      return !results.includes(FAILED)
    })
    t.comment(`${kind}: readable again ${Math.round(performance.now() - killed)} ms after the kill`)
    await together(20, i => one.tokens.revokeAll(`user ${i}`))
    t.ok((await Promise.all(good.map(two.userOf))).every(user => user === null))
  })

/** A master, two replicas, and three sentinels that know all of them. */
async function watchedRedis(t: Test) {
  const master = await RedisServer.start(t)
  const replicas = await together(2, () => RedisServer.start(t, '--replicaof', `127.0.0.1 ${master.port}`))
  const sentinels = await together(3, () => RedisServer.start(t, '--sentinel'))
  for (const sentinel of sentinels) {
    await ask(sentinel, ['SENTINEL', 'MONITOR', NAME, '127.0.0.1', String(master.port), '2'])
    await ask(sentinel, ['SENTINEL', 'SET', NAME, 'down-after-milliseconds', '1000', 'failover-timeout', '5000'])
  }
  for (const sentinel of sentinels) {
    await until(async () => {
      const known = (await ask(sentinel, ['SENTINEL', 'MASTER', NAME])) as string[]
      const numberOf = (name: string) => known[known.indexOf(name) + 1]
      return numberOf('num-slaves') === '2' && numberOf('num-other-sentinels') === '2'
    })
  }
  return { servers: [master, ...replicas], sentinels }
}

async function startCluster(t: Test): Promise<RedisServer[]> {
  const servers = await together(2 * MASTERS, async () => {
    const settings = ['--cluster-enabled', 'yes', '--cluster-node-timeout', '1500']
    return RedisServer.start(t, ...settings, '--cluster-port', String(await freePort()))
  })
  const addresses = servers.map(({ port }) => `127.0.0.1:${port}`)
  const options = ['--cluster-replicas', '1', '--cluster-yes']
  const [code] = await once(spawn('redis-cli', ['--cluster', 'create', ...addresses, ...options]), 'exit')
  t.equal(code, 0)
  for (const server of servers)
    await until(async () => String(await ask(server, ['CLUSTER', 'INFO'])).includes('cluster_state:ok'))
  return servers
}

/** Reconnects as in docs/several-servers.md, because node-redis does not find the new master by itself. */
function reconnectAfterErrors(t: Test, cluster: RedisClusterType): void {
  let timer: NodeJS.Timeout | undefined
  function reconnect() {
    timer ??= setTimeout(() => {
      timer = undefined
      cluster.destroy()
      cluster.connect().catch(reconnect)
    }, 1000)
  }
  cluster.on('node-error', reconnect)
  t.teardown(() => {
    cluster.off('node-error', reconnect)
    clearTimeout(timer)
  })
}

async function isReplicated(master: RedisServer): Promise<boolean> {
  const info = String(await ask(master, ['INFO', 'replication']))
  const [offset, ...replicas] = [/^master_repl_offset:(\d+)/gm, /^slave\d:.*offset=(\d+)/gm].flatMap(pattern =>
    [...info.matchAll(pattern)].map(([, number]) => number)
  )
  return replicas.length > 0 && replicas.every(replica => replica === offset)
}
