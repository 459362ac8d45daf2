// The servers during an outage of Redis and after it.

import t, { type Test } from 'tap'
import { FaultyProxy } from '../../faulty-proxy.ts'
import { needs } from '../../needs.ts'
import { RedisServer } from '../../redis-server.ts'
import { get, menu, startServer } from '../process.ts'
import { ask, fleet, logIn, logOut, until, untilMenu } from './fleet.ts'

if (needs(t, 'redis-server')) {
  for (const [name, fail, recover] of [
    ['has crashed', redis => redis.stop('SIGKILL'), redis => redis.start()],
    ['is silent', redis => redis.freeze(), redis => redis.thaw()]
  ] as [string, (redis: RedisServer) => unknown, (redis: RedisServer) => unknown][]) {
    t.test(`guarded requests return 503 while Redis ${name}, and succeed when it is back`, async t => {
      const { servers, redis } = await fleet(t, 1)
      const [server] = servers
      const { token } = await logIn(server)
      await fail(redis)
      // Each response arrives during the outage, because no request waits for its end.
      for (const sent of [token, 'A'.repeat(67)]) {
        const response = await get(server, '/menu/main', sent)
        t.equal(response.status, 503)
        t.match(response.headers.get('retry-after'), /^\d+$/)
      }
      t.equal((await logOut(server, token)).status, 503)
      t.equal((await get(server, '/menu/main')).status, 401, 'a missing token is still a 401')
      t.equal((await get(server, '/auth/login')).status, 200)
      t.match(await logIn(server), { success: false, token: null, error: /Try again later/, screen: null })
      await server.says(/Redis is down/)
      await recover(redis)
      await untilMenu(200, server, token)
      await server.says(/Redis is back/)
      t.ok((await logIn(server)).success)
      const states = [...server.output.stdout.matchAll(/Redis is (down|back)/g)].map(([, state]) => state)
      t.strictSame(states, ['down', 'back'], 'each state is logged once')
    })
  }

  t.test('the server starts while Redis is down, and works once Redis is up', async t => {
    const { environment, servers, redis } = await fleet(t, 1)
    const { token } = await logIn(servers[0])
    await redis.stop()
    const late = await startServer(t, environment)
    t.match(late.output.stdout, /Redis is down \(ECONNREFUSED\)/)
    t.equal(await menu(late, token), 503)
    await redis.start()
    await untilMenu(200, late, token)
    await late.says(/Redis is back/)

    redis.freeze()
    const later = await startServer(t, environment)
    t.equal(await menu(later, token), 503)
    redis.thaw()
    await t.resolves(untilMenu(200, later, token))
  })

  t.test('a running server keeps trying while Redis rejects its connection', async t => {
    const { environment, servers, redis } = await fleet(t, 1)
    const { token } = await logIn(servers[0])
    await redis.stop()
    const late = await startServer(t, environment)
    const both = [servers[0], late]
    await redis.start('--requirepass', 'secret')
    const refusals = async () => {
      const stats = String(await ask(redis, ['INFO', 'errorstats'], 'secret'))
      return Number(/errorstat_NOAUTH:count=(\d+)/.exec(stats)?.[1] ?? 0)
    }
    // So many refusals that both servers must have tried.
    await until(async () => (await refusals()) >= 8 * both.length)
    for (const server of both) t.equal(await menu(server, token), 503)
    t.notMatch(late.output.stdout, /Redis is back/)
    await redis.stop()
    await redis.start()
    for (const server of both) await t.resolves(untilMenu(200, server, token))
  })

  /** Starts a server that connects to Redis through a faulty proxy. */
  const behindProxy = async (t: Test) => {
    const redis = await RedisServer.start(t)
    const proxy = await FaultyProxy.start(t, redis.port)
    const [server] = (await fleet(t, 1, { SVC_REDIS_URL: proxy.url }, redis)).servers
    const { token } = await logIn(server)
    return { redis, proxy, server, token }
  }

  t.test('the server replaces a connection that stopped responding', async t => {
    const { proxy, server, token } = await behindProxy(t)
    t.equal(proxy.cut('silent'), 1)
    proxy.restore()
    await server.says(/Redis is down/)
    await t.resolves(untilMenu(200, server, token), 'over a new connection')
  })

  t.test('the server replaces a connection that lost a reply', async t => {
    const { redis, proxy, server, token } = await behindProxy(t)
    proxy.cut('lossy')
    const pings = async () =>
      Number(/cmdstat_ping:calls=(\d+)/.exec(String(await ask(redis, ['INFO', 'commandstats'])))?.[1])
    const before = await pings()
    await until(async () => (await pings()) > before)
    proxy.restore()
    // Each request shifts the replies further, so that the health check gets the reply to another command.
    await until(async () => {
      await menu(server, 'A'.repeat(67))
      return /Redis is down/.test(server.output.stdout)
    })
    t.match(server.output.stdout, /Redis is down \(EPROTO\)/)
    await t.resolves(untilMenu(200, server, token), 'over a new connection')
  })

  t.test('the server closes cleanly with and without Redis', async t => {
    const { servers, redis } = await fleet(t, 2)
    t.strictSame(await servers[0].stop('SIGTERM'), { code: 0 })
    await redis.stop()
    t.strictSame(await servers[1].stop('SIGTERM'), { code: 0 })
  })
}
