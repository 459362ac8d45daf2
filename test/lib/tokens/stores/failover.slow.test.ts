// Sessions of two processes in a Redis that fails over, connected as in docs/several-servers.md: a master with two
// replicas and three sentinels, and a Cluster of three masters with a replica each.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createCluster, createSentinel } from 'redis'
import t, { type Test } from 'tap'
import { redisStore } from '../../../../lib/index.ts'
import { ask, until } from '../../../examples/redis/fleet.ts'
import { ADA } from '../../../helpers.ts'
import { needs } from '../../../needs.ts'
import { freePort, RedisServer } from '../../../redis-server.ts'
import { FAILED, processWith, startListening } from '../opaque/session-store.ts'

const NAME = 'sessions'
const MASTERS = 3

if (needs(t, 'redis-server')) {
  t.test('a cached session is revoked in every process', async t => {
    const { sentinels } = await watchedRedis(t)
    const [one, two] = [await sentinelProcess(t, sentinels), await sentinelProcess(t, sentinels)]
    const tokens = [await one.issue(), await one.issue(), await two.issue()] as const
    for (const token of tokens) for (const process of [one, two]) await process.untilCached(token)
    await one.tokens.revoke(tokens[0])
    t.equal(await one.userOf(tokens[0]), null)
    await until(async () => (await two.userOf(tokens[0])) === null)
    for (const process of [one, two]) t.strictSame(await process.userOf(tokens[1]), ADA)
    await two.tokens.revokeAll('ada')
    for (const token of tokens) {
      t.equal(await two.userOf(token), null)
      await until(async () => (await one.userOf(token)) === null)
    }
  })

  for (const passthroughClientErrorEvents of [true, false]) {
    const when = passthroughClientErrorEvents ? 'with error events' : 'without error events'
    t.test(`the cache is emptied when the master fails, ${when}, and sessions survive`, async t => {
      const { servers, sentinels } = await watchedRedis(t)
      const [one, two] = [
        await sentinelProcess(t, sentinels),
        await sentinelProcess(t, sentinels, { passthroughClientErrorEvents })
      ]
      const [good, ended] = [await one.issue(), await one.issue()]
      await two.untilCached(good)
      await two.untilCached(ended)
      await one.tokens.revoke(ended)
      // Data that the master has not replicated is lost with it.
      await one.sentinel.sendCommand(false, ['WAIT', '2', '0'])
      const lost = once(two.sentinel, 'error')
      const killed = performance.now()
      await servers[0]?.stop()
      if (passthroughClientErrorEvents) await lost
      else await until(async () => !two.isCached(good))
      t.notOk(two.isCached(good))
      t.comment(`dropped ${sinceMs(killed)} ms after the kill`)

      // Every result is correct; without a master, the verification fails with an error.
      await until(async () => {
        const user = await two.userOf(good).catch(({ code }) => code)
        t.equal(await two.userOf(ended).catch(nullIfFailed), null)
        return user === FAILED ? false : t.strictSame(user, ADA)
      })
      t.comment(`readable again ${sinceMs(killed)} ms after the kill`)
      await two.untilCached(good)
      // The other process may not have found the new master yet.
      await until(async () => (await one.tokens.revoke(good).catch(nullIfFailed)) !== null)
      await until(async () => (await two.userOf(good)) === null)
    })
  }

  t.test('a process that is connected to the old master finds the new one', async t => {
    const { servers, sentinels } = await watchedRedis(t)
    const [one, two] = [await sentinelProcess(t, sentinels), await sentinelProcess(t, sentinels)]
    const token = await one.issue()
    await two.untilCached(token)
    await one.sentinel.sendCommand(false, ['WAIT', '2', '0'])
    await ask(sentinels[0] as RedisServer, ['SENTINEL', 'FAILOVER', NAME])
    // Asks the sentinels for the master, like a new process.
    let next = servers[0] as RedisServer
    await until(async () => {
      const [, port] = (await ask(sentinels[0] as RedisServer, [
        'SENTINEL',
        'GET-MASTER-ADDR-BY-NAME',
        NAME
      ])) as string[]
      next = servers.find(server => `${server.port}` === port) ?? next
      return next !== servers[0]
    })
    await ask(next, ['DEL', ...((await ask(next, ['KEYS', '*session:*'])) as string[])])
    const ended = performance.now()
    await until(async () => (await two.userOf(token).catch(nullIfFailed)) === null)
    t.comment(`accepted for ${sinceMs(ended)} ms after its end at the new master`)
  })
}

if (needs(t, 'redis-server') && needs(t, 'redis-cli')) {
  t.test('every request reads from a Cluster, so a revocation takes effect everywhere at once', async t => {
    const servers = await startCluster(t)
    const [one, two] = [await clusterProcess(t, servers), await clusterProcess(t, servers)]
    const tokens = []
    // Enough sessions for every node.
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

  t.test('calls to a failed master time out, and its replica has its sessions', async t => {
    const servers = await startCluster(t)
    const [plain, two] = [await clusterProcess(t, servers), await clusterProcess(t, servers)]
    reconnectAfterErrors(t, two.cluster)
    const [good, ended]: [string[], string[]] = [[], []]
    // Enough sessions for every node.
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
    // By default, node-redis waits for the failed node for ever.
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

/** A master, two replicas, and three sentinels that know all of them. */
async function watchedRedis(t: Test) {
  const master = await RedisServer.start(t)
  const servers = [master]
  for (let i = 0; i < 2; i++) {
    servers.push(await RedisServer.start(t, '--replicaof', `127.0.0.1 ${master.port}`))
  }
  const sentinels = []
  for (let i = 0; i < 3; i++) {
    const sentinel = await RedisServer.start(t, '--sentinel')
    await ask(sentinel, ['SENTINEL', 'MONITOR', NAME, '127.0.0.1', String(master.port), '2'])
    await ask(sentinel, ['SENTINEL', 'SET', NAME, 'down-after-milliseconds', '1000', 'failover-timeout', '5000'])
    sentinels.push(sentinel)
  }
  for (const sentinel of sentinels) {
    await until(async () => {
      const known = (await ask(sentinel, ['SENTINEL', 'MASTER', NAME])) as unknown as string[]
      const numberOf = (name: string) => known[known.indexOf(name) + 1]
      return numberOf('num-slaves') === '2' && numberOf('num-other-sentinels') === '2'
    })
  }
  return { servers, sentinels }
}

async function sentinelProcess(
  t: Test,
  sentinels: RedisServer[],
  options: object = { passthroughClientErrorEvents: true }
) {
  const sentinel = createSentinel({
    name: NAME,
    sentinelRootNodes: sentinels.map(({ port }) => ({ host: '127.0.0.1', port })),
    RESP: 3,
    clientSideCache: {},
    nodeClientOptions: { maintNotifications: 'disabled' },
    scanInterval: 500,
    ...options
  })
  const process = processWith(redisStore(sentinel), { timeout: 2 })
  await sentinel.connect()
  t.teardown(() => sentinel.destroy())
  await startListening(process.tokens)
  return {
    ...process,
    sentinel,
    /** Verifies a token until it is cached. */
    untilCached: (token: string) =>
      until(async () => {
        await process.userOf(token).catch(nullIfFailed)
        return process.isCached(token)
      })
  }
}

/** Maps a failure of the store to null. */
function nullIfFailed({ code }: { code?: string }): null {
  if (code !== FAILED) throw new Error(`${code}`)
  return null
}

const sinceMs = (start: number) => Math.round(performance.now() - start)

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

async function clusterProcess(t: Test, servers: RedisServer[]) {
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

/** Reconnects as in docs/several-servers.md, because node-redis does not find the new master by itself. */
function reconnectAfterErrors(t: Test, cluster: Awaited<ReturnType<typeof clusterProcess>>['cluster']): void {
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

/** Whether the replica of a master has all its data. */
async function isReplicated(server: RedisServer): Promise<boolean> {
  const info = String(await ask(server, ['INFO', 'replication']))
  const [offset, replica] = [/master_repl_offset:(\d+)/, /slave0:.*offset=(\d+)/].map(
    pattern => pattern.exec(info)?.[1]
  )
  return offset !== undefined && offset === replica
}
