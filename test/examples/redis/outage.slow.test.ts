// The servers during an outage of Redis and after it.

import t from 'tap'
import { needs } from '../../needs.ts'
import { RedisServer } from '../../redis-server.ts'
import { get, menu, startServer } from '../process.ts'
import { ask, fleet, logIn, logOut, until, untilMenu } from './fleet.ts'

if (needs(t, 'redis-server')) {
  for (const [name, fail, recover, lines] of [
    ['has crashed', redis => redis.stop(), redis => redis.start(), ['Redis is down', 'Redis is back']],
    // The connection stays open, so the client reports nothing.
    ['is silent', redis => redis.freeze(), redis => redis.thaw(), []]
  ] as [string, (redis: RedisServer) => unknown, (redis: RedisServer) => unknown, string[]][]) {
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
      await recover(redis)
      await untilMenu(200, server, token)
      t.ok((await logIn(server)).success)
      for (const line of lines) await server.says(RegExp(line))
      t.strictSame(server.output.stdout.match(/Redis is \w+/g) ?? [], lines, 'each state is logged once')
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

  t.test('a running server keeps trying while Redis rejects its password', async t => {
    const redis = await RedisServer.start(t, '--requirepass', 'old')
    const url = `redis://:old@127.0.0.1:${redis.port}`
    const [server] = (await fleet(t, 1, { SVC_REDIS_URL: url }, redis)).servers
    const { token } = await logIn(server)
    await redis.stop()
    await redis.start('--requirepass', 'new')
    await until(async () => {
      const stats = String(await ask(redis, ['INFO', 'errorstats'], 'new'))
      return Number(/errorstat_WRONGPASS:count=(\d+)/.exec(stats)?.[1]) >= 3
    })
    t.equal(await menu(server, token), 503)
    await redis.stop()
    await redis.start()
    await t.resolves(untilMenu(200, server, token))
  })

  t.test('the server closes cleanly with and without Redis', async t => {
    const { servers, redis } = await fleet(t, 2)
    t.strictSame(await servers[0].stop('SIGTERM'), { code: 0 })
    await redis.stop()
    t.strictSame(await servers[1].stop('SIGTERM'), { code: 0 })
  })
}
