// Sessions in a Redis Cluster: three masters with a replica each, two processes.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createCluster } from 'redis'
import t, { type Test } from 'tap'
import { redisStore } from '../../../../lib/index.ts'
import { ask, until } from '../../../examples/redis/fleet.ts'
import { ADA } from '../../../helpers.ts'
import { needs } from '../../../needs.ts'
import { freePort, RedisServer } from '../../../redis-server.ts'
import { processWith } from '../opaque/session-store.ts'
import { FAILED } from './keyv.ts'

const MASTERS = 3

if (needs(t, 'redis-server') && needs(t, 'redis-cli')) {
  t.test('a Cluster is asked with each request, and an end holds in every process at once', async t => {
    const servers = await startCluster(t)
    const [one, two] = [await processOn(t, servers), await processOn(t, servers)]
    const tokens = []
    // Enough for every node.
    for (let i = 0; i < 12; i++) tokens.push(await one.issue())
    const [ended = '', ...others] = tokens
    for (let i = 0; i < 2; i++) {
      for (const token of tokens) {
        const user = two.tokens.verify(token)
        t.ok(user instanceof Promise)
        t.strictSame(await user, ADA)
      }
    }
    await two.tokens.revoke(ended)
    t.equal(await one.userOf(ended), null)
    for (const token of others) t.strictSame(await one.userOf(token), ADA)
    await two.tokens.revokeAll('ada')
    for (const token of others) t.equal(await one.userOf(token), null)
  })

  t.test('a master that is gone is a failure in time, and its replica has its sessions', async t => {
    const servers = await startCluster(t)
    const [plain, two] = [await processOn(t, servers), await processOn(t, servers)]
    connectAnewAfterErrors(t, two.cluster)
    const [good, ended]: [string[], string[]] = [[], []]
    // Enough for every node.
    for (let i = 0; i < 20; i++) {
      const user = { ...ADA, username: `user ${i}` }
      good.push(await two.issue(user))
      ended.push(await two.issue(user))
    }
    for (const token of ended) await two.tokens.revoke(token)
    for (const server of servers.slice(0, MASTERS)) await until(() => isReplicated(server))
    const killed = performance.now()
    await servers[0]?.stop()

    const usersOf = ({ userOf }: typeof two, tokens: string[]) =>
      Promise.all(tokens.map(token => userOf(token).catch(({ code }) => code)))
    // By default node-redis waits for the dead node for ever.
    t.ok((await usersOf(plain, good)).includes(FAILED))
    await until(async () => {
      t.ok((await usersOf(two, ended)).every(result => result === null || result === FAILED))
      const results = await usersOf(two, good)
      t.notOk(results.includes(null))
      return !results.includes(FAILED)
    })
    t.comment(`readable again ${Math.round(performance.now() - killed)} ms after the kill`)
    await two.tokens.revoke(good[0] ?? null)
    t.equal(await two.userOf(good[0] ?? ''), null)
  })
}

async function startCluster(t: Test): Promise<RedisServer[]> {
  const servers: RedisServer[] = []
  for (let i = 0; i < 2 * MASTERS; i++) {
    const settings = ['--cluster-enabled', 'yes', '--cluster-node-timeout', '1500']
    servers.push(await RedisServer.start(t, ...settings, '--cluster-port', String(await freePort())))
  }
  const addresses = servers.map(({ port }) => `127.0.0.1:${port}`)
  const options = ['--cluster-replicas', '1', '--cluster-yes']
  const [code] = await once(spawn('redis-cli', ['--cluster', 'create', ...addresses, ...options]), 'exit')
  t.equal(code, 0)
  for (const server of servers) {
    await until(async () => String(await ask(server, ['CLUSTER', 'INFO'])).includes('cluster_state:ok'))
  }
  for (const server of servers.slice(0, MASTERS)) await until(() => isReplicated(server))
  return servers
}

async function processOn(t: Test, servers: RedisServer[]) {
  const cluster = createCluster({
    rootNodes: servers.map(({ url }) => ({ url })),
    RESP: 3,
    defaults: { emitInvalidate: true }
  })
  const process = processWith(redisStore(cluster), { timeout: 2 })
  cluster.on('error', () => {})
  await cluster.connect()
  t.teardown(() => cluster.destroy())
  return { ...process, cluster }
}

/** As docs/several-servers.md says: node-redis does not look for the new master by itself. */
function connectAnewAfterErrors(t: Test, cluster: Awaited<ReturnType<typeof processOn>>['cluster']): void {
  let timer: NodeJS.Timeout | undefined
  cluster.on('node-error', () => {
    timer ??= setTimeout(() => {
      timer = undefined
      cluster.destroy()
      cluster.connect().catch(() => {})
    }, 1000)
  })
  t.teardown(() => {
    cluster.removeAllListeners('node-error')
    clearTimeout(timer)
  })
}

/** Whether the replica of a master has everything. */
async function isReplicated(server: RedisServer): Promise<boolean> {
  const said = String(await ask(server, ['INFO', 'replication']))
  const [offset, replica] = [/master_repl_offset:(\d+)/, /slave0:.*offset=(\d+)/].map(
    pattern => pattern.exec(said)?.[1]
  )
  return offset !== undefined && offset === replica
}
