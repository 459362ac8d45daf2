// What an operator copies must hold while Redis is down: the program of docs/deployment.md, the client of node-redis of
// docs/several-servers.md, and the log lines of docs/operations.md.
import t from 'tap'
import { FaultyProxy } from '../faulty-proxy.ts'
import { until } from '../helpers.ts'
import { needs } from '../needs.ts'
import { ask, RedisServer } from '../redis-server.ts'
import { escapeRegExp, readPage } from './page.ts'
import { SERVER, startProgram, withNodeRedis } from './program.ts'
import { login, REJECTED, times, Visitor } from './table.ts'

const servers = readPage('docs/several-servers.md')

const PROGRAMS = { ioredis: SERVER, 'node-redis': withNodeRedis(SERVER) }

/** For each outage, how it starts and how it ends. */
type Change = (redis: RedisServer, proxy: FaultyProxy) => unknown
const OUTAGES: Record<string, [Change, Change]> = {
  'cut off from open connections': [(_, proxy) => proxy.cut('silent'), (_, proxy) => proxy.restore()],
  killed: [redis => redis.stop('SIGKILL'), redis => redis.start()],
  frozen: [redis => redis.freeze(), redis => redis.thaw()],
  'read-only': [redis => ask(redis, ['REPLICAOF', '127.0.0.1', '1']), redis => ask(redis, ['REPLICAOF', 'NO', 'ONE'])]
}

/** Milliseconds. A store call times out after 2 s, so logins that wait one after another would take a minute. */
const TIME_LIMIT = 15_000

if (needs(t, 'redis-server')) {
  for (const [client, server] of Object.entries(PROGRAMS))
    for (const [name, [fail, recover]] of Object.entries(OUTAGES))
      t.test(
        `with ${client}, wrong passwords are rejected while Redis is ${name}, sessions survive, and SIGTERM works`,
        async t => {
          const redis = await RedisServer.start(t)
          const proxy = await FaultyProxy.start(t, redis.port)
          const program = startProgram(t, proxy, { server })
          const guess = (username: string) => login({ username, password: 'wrong' }, REJECTED)
          const { take } = await Visitor.visit(t, program, ['GET /menu/main', { as: 'ada', eventually: true }, 200])
          const metrics = await Visitor.visit(t, await program.listening(9464))
          const isUp = async () => /^store_up (.)/m.exec((await metrics.send('GET /metrics')).body)?.[1]
          t.equal(await isUp(), '1')
          await fail(redis, proxy)
          const start = performance.now()
          await Promise.all(Array.from({ length: 30 }, (_, i) => take(guess(`first-${i}`))))
          await take(...times(9, guess('later')))
          t.ok(performance.now() - start < TIME_LIMIT, 'the logins wait in parallel, and later ones not at all')
          t.equal(await isUp(), '0')
          await recover(redis, proxy)
          await until(async () => (await isUp()) === '1')
          await take(['GET /menu/main', { as: 'ada', eventually: true }, 200])
          await until(() => /throttle is back/.test(program.output))
          t.strictSame(program.output.match(/throttle (failed;|is back)/g), ['throttle failed;', 'throttle is back'])
          await fail(redis, proxy)
          t.equal(await program.stop('SIGTERM'), 0)
        }
      )

  t.test('a server starts while Redis is down, uses it later, and logs the lines of docs/operations.md', async t => {
    const redis = await RedisServer.start(t)
    await redis.stop()
    const REDIS_URL = redis.url.replace('//', '//screens:PASSWORD@')
    const server = startProgram(t, redis, { env: { REDIS_URL } })
    const { take } = await Visitor.visit(t, server, login({}, { success: false }, 503))
    await until(() => /Redis is down \(ECONNREFUSED/.test(server.output))
    await redis.start()
    await until(() => /Redis is down \(WRONGPASS/.test(server.output))
    await ask(redis, `${servers.code.find(code => code.startsWith('ACL SETUSER'))}`.split(' '))
    await take(['POST /auth/login', { fields: {}, keep: 'ada', eventually: true }, 200])
    await take(['GET /menu/main', { as: 'ada' }, 200])
    await until(() => /Redis is back[\s\S]*throttle is back/.test(server.output))
    const lines = readPage('docs/operations.md').code.filter(code => /^(Redis is|screen-auth:)/.test(code))
    for (const line of lines) t.match(server.output, RegExp(escapeRegExp(line).replaceAll('…', '.*')))
    t.equal(server.output.match(/Redis is down/g)?.length, 2)
    t.notMatch(server.output, /PASSWORD/)
  })

  t.test('a REDIS_URL that Redis rejects ends the start with a message without the password', async t => {
    const redis = await RedisServer.start(t, '--requirepass', 'right')
    const { port } = redis
    for (const [url, reason] of [
      [`redis://:hunter2@127.0.0.1:${port}`, 'WRONGPASS'],
      [`redis://127.0.0.1:${port}`, 'NOAUTH'],
      [`redis://:right@127.0.0.1:${port}/99`, 'ERR'],
      ['redis://:hunter2@127.0.0.1:port', 'no URL'],
      [`redis://:100%hunter2@127.0.0.1:${port}`, 'not encoded']
    ] as const) {
      const server = startProgram(t, redis, { env: { REDIS_URL: url } })
      t.equal(await server.end(), 1)
      t.match(server.output, new RegExp(`^REDIS_URL: .*${reason}.*\n$`))
      t.notMatch(server.output, /hunter2|right@/)
    }
  })
}
