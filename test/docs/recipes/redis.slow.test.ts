// redis.js with a real Redis that fails and recovers.
import t from 'tap'
import { ask } from '../../examples/redis/fleet.ts'
import { until } from '../../helpers.ts'
import { needs } from '../../needs.ts'
import { RedisServer } from '../../redis-server.ts'
import { logIn, post, recipe, startRecipe, statusOf, tokenOf } from '../program.ts'

if (needs(t, 'redis-server')) {
  t.test('servers with the same Redis share sessions, logouts and failed logins', async t => {
    const redis = await RedisServer.start(t)
    const env = { REDIS_URL: redis.url, REDIS_PREFIX: 'shop:' }
    const [first, second] = await Promise.all([0, 1].map(() => recipe(t, 'redis.js', env).listening()))
    const token = await tokenOf(`${first}`)
    t.equal(await statusOf(`${second}/menu/main`, token), 200)
    await post(`${first}/auth/logout`, {}, token)
    t.equal(await statusOf(`${second}/menu/main`, token), 401)
    for (let i = 0; i < 10; i++) await logIn(`${first}`, { password: 'wrong' })
    t.ok((await logIn(`${second}`)).headers.has('retry-after'))
    const keys = (await ask(redis, ['KEYS', '*'])) as string[]
    t.ok(keys.length > 0 && keys.every(key => key.startsWith('shop:')), 'all keys have the prefix')
  })

  t.test('the server starts while Redis does not reply', async t => {
    const redis = await RedisServer.start(t)
    redis.freeze()
    const url = await startRecipe(t, 'redis.js', { REDIS_URL: redis.url })
    t.equal((await logIn(url)).status, 503)
    redis.thaw()
    await until(async () => (await logIn(url)).status === 200)
  })

  t.test('the server starts while Redis is down, and accepts logins once Redis is up', async t => {
    const redis = await RedisServer.start(t)
    await redis.stop()
    const server = recipe(t, 'redis.js', { REDIS_URL: redis.url })
    const url = await server.listening()
    t.equal((await logIn(url)).status, 503)
    await redis.start()
    await until(async () => (await logIn(url)).status === 200)
    await until(() => /Redis is down \(ECONNREFUSED\).*Redis is up/s.test(server.output))
  })

  for (const [name, fail, recover] of [
    ['killed', (redis: RedisServer) => redis.stop(), (redis: RedisServer) => redis.start()],
    ['frozen', (redis: RedisServer) => redis.freeze(), (redis: RedisServer) => redis.thaw()]
  ] as const)
    t.test(`sessions and logouts survive when Redis is ${name}`, async t => {
      const redis = await RedisServer.start(t)
      const url = await startRecipe(t, 'redis.js', { REDIS_URL: redis.url })
      const [token, ended] = [await tokenOf(url), await tokenOf(url)]
      t.equal((await post(`${url}/auth/logout`, {}, ended)).status, 204)
      await fail(redis)
      t.equal(await statusOf(`${url}/menu/main`, token), 503)
      t.equal((await post(`${url}/auth/logout`, {}, token)).status, 503)
      t.equal((await logIn(url, { password: 'wrong' })).status, 200)
      await recover(redis)
      await until(async () => (await statusOf(`${url}/menu/main`, token)) === 200)
      t.equal(await statusOf(`${url}/menu/main`, ended), 401)
    })

  t.test('a REDIS_URL that Redis rejects ends the start with a message without the password', async t => {
    const { port } = await RedisServer.start(t, '--requirepass', 'right')
    for (const [url, reason] of [
      [`redis://:hunter2@127.0.0.1:${port}`, 'WRONGPASS'],
      [`redis://127.0.0.1:${port}`, 'NOAUTH'],
      [`redis://:right@127.0.0.1:${port}/99`, 'ERR'],
      ['redis://:hunter2@127.0.0.1:port', 'no such URL']
    ] as const) {
      const server = recipe(t, 'redis.js', { REDIS_URL: url })
      t.equal(await server.end(), 1)
      t.match(server.output, new RegExp(`REDIS_URL: .*${reason}`))
      t.notMatch(server.output, /hunter2|right@|at .*\.js/)
    }
  })

  t.test('a signal stops the server gracefully, with and without Redis', async t => {
    const redis = await RedisServer.start(t)
    const servers = [0, 1].map(() => recipe(t, 'redis.js', { REDIS_URL: redis.url }))
    for (const server of servers) await logIn(await server.listening())
    t.equal(await servers[0]?.stop('SIGTERM'), 0)
    await redis.stop()
    t.equal(await servers[1]?.stop('SIGINT'), 0)
  })
}
