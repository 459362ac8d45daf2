// What the servers do while Redis is away, and when it comes back.

import { createServer, connect as dial, type Server as NetServer, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { needs } from '../../needs.ts'
import { freePort, RedisServer } from '../../redis-server.ts'
import { startServer } from '../process.ts'
import { ask, fleet, get, logIn, logOut, menu, until, untilMenu } from './fleet.ts'

if (needs(t, 'redis-server')) {
  for (const [name, leave, comeBack] of [
    ['has crashed', redis => redis.stop('SIGKILL'), redis => redis.start()],
    ['was stopped', redis => redis.stop('SIGTERM'), redis => redis.start()],
    ['is silent', redis => redis.freeze(), redis => redis.thaw()]
  ] as [string, (redis: RedisServer) => unknown, (redis: RedisServer) => unknown][]) {
    t.test(`while Redis ${name}, guarded requests are a 503, and all is well when it is back`, async t => {
      const redis = await RedisServer.start(t)
      const { servers } = await fleet(t, 1, redis)
      const [server] = servers
      const { token } = await logIn(server)
      await leave(redis)
      // Each response comes while Redis is away: none waits until it is back.
      for (const sent of [token, 'A'.repeat(43)]) {
        const response = await get(server, '/menu/main', sent)
        t.equal(response.status, 503)
        t.match(response.headers.get('retry-after'), /^\d+$/)
      }
      t.equal((await logOut(server, token)).status, 503)
      t.equal((await get(server, '/menu/main')).status, 401, 'no token is no token')
      t.equal((await get(server, '/auth/login')).status, 200)
      t.match(await logIn(server), { success: false, token: null, error: /try again later/, screen: null })
      await server.says(/Redis is down/)
      await comeBack(redis)
      await untilMenu(200, server, token)
      await server.says(/Redis is back/)
      t.ok((await logIn(server)).success)
      const said = [...server.output.stdout.matchAll(/Redis is (down|back)/g)].map(([, what]) => what)
      t.strictSame(said, ['down', 'back'], 'each is said once')
    })
  }

  t.test('the server starts while Redis is down, and works as soon as it is there', async t => {
    const redis = await RedisServer.start(t)
    const { environment, servers } = await fleet(t, 1, redis)
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

  t.test('what Redis refuses after the start is waited for', async t => {
    const redis = await RedisServer.start(t)
    const { environment, servers } = await fleet(t, 1, redis)
    const { token } = await logIn(servers[0])
    await redis.stop()
    const late = await startServer(t, environment)
    const both = [servers[0], late]
    await redis.start('--requirepass', 'secret')
    // Each server is connected, and looks whether Redis answers.
    const looking = async () => {
      const clients = String(await ask(redis, ['CLIENT', 'LIST'], 'secret'))
      return clients.match(/ cmd=ping /g)?.length ?? 0
    }
    const refusals = async () => {
      const said = String(await ask(redis, ['INFO', 'errorstats'], 'secret'))
      return Number(/errorstat_NOAUTH:count=(\d+)/.exec(said)?.[1] ?? 0)
    }
    await until(async () => (await looking()) === both.length)
    const before = await refusals()
    await until(async () => (await refusals()) >= before + 2 * both.length)
    for (const server of both) t.equal(await menu(server, token), 503)
    t.notMatch(late.output.stdout, /Redis is back/)
    await redis.stop()
    await redis.start()
    for (const server of both) await t.resolves(untilMenu(200, server, token))
  })

  t.test('a connection that died without a word is given up for a new one', async t => {
    const redis = await RedisServer.start(t)
    const wire = await Wire.lay(t, redis.port)
    const { servers } = await fleet(t, 1, redis, { SVC_REDIS_URL: `redis://127.0.0.1:${wire.port}` })
    const { token } = await logIn(servers[0])
    t.equal(await menu(servers[0], token), 200)
    wire.goSilent()
    t.equal(await menu(servers[0], token), 503)
    await t.resolves(untilMenu(200, servers[0], token), 'over a new connection')
    t.equal(wire.silenced, 1)
  })

  t.test('the server closes cleanly, with Redis and without', async t => {
    const redis = await RedisServer.start(t)
    const { servers } = await fleet(t, 2, redis)
    t.strictSame(await servers[0].stop('SIGTERM'), { code: 0 })
    await redis.stop()
    t.strictSame(await servers[1].stop('SIGTERM'), { code: 0 })
  })
}

/** A wire to Redis of which the present connections can be made silent: nothing comes through, and nobody hangs up. */
class Wire {
  readonly port: number
  silenced = 0
  readonly #server: NetServer
  readonly #ends: Socket[] = []

  private constructor(port: number, target: number) {
    this.port = port
    this.#server = createServer(near => {
      const far = dial(target, '127.0.0.1')
      near.pipe(far).on('error', () => {})
      far.pipe(near).on('error', () => {})
      this.#ends.push(near, far)
    }).listen(port, '127.0.0.1')
  }

  static async lay(t: Test, target: number): Promise<Wire> {
    const wire = new Wire(await freePort(), target)
    t.teardown(() => {
      wire.#server.close()
      for (const end of wire.#ends) end.destroy()
    })
    return wire
  }

  goSilent(): void {
    this.silenced = this.#ends.length / 2
    for (const end of this.#ends) end.unpipe().pause()
  }
}
