// Outages of Redis: with the programs of docs/logins.md and docs/several-servers.md, and in the log of docs/operations.md.
import t, { type Test } from 'tap'
import { menu } from '../examples/process.ts'
import { ask, fleet, logIn as logInAt, WRONG } from '../examples/redis/fleet.ts'
import { until } from '../helpers.ts'
import { needs } from '../needs.ts'
import { RedisServer } from '../redis-server.ts'
import { escapeRegExp, readPage } from './page.ts'
import { logIn, startCode } from './program.ts'

const program = readPage('docs/several-servers.md').samples.find(({ code }) => code.includes('throttle: { store }'))
const setting = readPage('docs/logins.md').code.find(code => code.startsWith('throttle: { store: redisStore'))

/** Returns a program with the setting of docs/logins.md and a client with default options. */
const withClient = (client: string) => `import Fastify from 'fastify'
  import screenAuth, { redisStore } from 'fastify-screen-auth'
  ${client}
  redis.on('error', () => {})
  const app = Fastify()
  await app.register(screenAuth, {
    ${setting},
    checkCredentials: () => null,
    mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs: [] } })
  })
  await app.listen({ port: 3000 })`

const snippets = {
  'docs/several-servers.md': `${program?.code}`,
  'docs/logins.md with node-redis': withClient(`import { createClient } from 'redis'
    const redis = createClient({ url: 'redis://127.0.0.1:6379' })
    await redis.connect()`),
  'docs/logins.md with ioredis': withClient(`import { Redis } from 'ioredis'
    const redis = new Redis('redis://127.0.0.1:6379')
    await redis.ping()`)
}

/** Prints the events of the store. */
const EVENTS = `import { subscribe } from 'node:diagnostics_channel'
subscribe('fastify-screen-auth.throttle', ({ outcome }) => console.log('event:', outcome))
`

/** Milliseconds. A store call times out after 2 s, so logins that wait one after another would take 30 s or more. */
const TIME_LIMIT = 15_000

/** Two functions: the first starts an outage of Redis, and the second ends it. */
type Outage = [(redis: RedisServer) => unknown, (redis: RedisServer) => unknown]

const commands = (...pair: [string[], string[]]) =>
  pair.map(command => (redis: RedisServer) => ask(redis, command)) as unknown as Outage

const outages: Record<string, Outage> = {
  killed: [redis => redis.stop('SIGKILL'), redis => redis.start()],
  frozen: [redis => redis.freeze(), redis => redis.thaw()],
  full: commands(['CONFIG', 'SET', 'maxmemory', '1'], ['CONFIG', 'SET', 'maxmemory', '0']),
  'read-only': commands(['REPLICAOF', '127.0.0.1', '1'], ['REPLICAOF', 'NO', 'ONE'])
}

if (needs(t, 'redis-server'))
  for (const [place, code] of Object.entries(snippets))
    for (const [name, [fail, recover]] of Object.entries(outages))
      t.test(`${place}: wrong passwords are rejected while Redis is ${name}`, async t => {
        const redis = await RedisServer.start(t)
        const server = startCode(t, EVENTS + code.replaceAll('6379', String(redis.port)))
        const url = await server.listening()
        await guess(t, url, 'before')
        await fail(redis)
        t.ok((await guess(t, url, 'first')) < TIME_LIMIT, 'the logins wait in parallel')
        const start = performance.now()
        for (let i = 0; i < 15; i++) await guess(t, url, `later-${i}`, 1)
        t.ok(performance.now() - start < TIME_LIMIT, 'later logins do not wait')
        await recover(redis)
        await until(() => /event: store-back/.test(server.output))
        t.strictSame(server.output.match(/event: .*/g), ['event: store-down', 'event: store-back'])
        // Redis counts new failures again.
        await ask(redis, ['FLUSHALL'])
        for (let i = 0; i < 3; i++) await logIn(url, { password: 'wrong' })
        t.match(await ask(redis, ['KEYS', '*']), [/^screen_auth_/])
      })

if (needs(t, 'redis-server'))
  t.test('the log of the reference server contains the lines of docs/operations.md', async t => {
    const [block] = readPage('docs/operations.md').samples.filter(({ language }) => language === 'text')
    const { servers, redis } = await fleet(t, 1)
    const [server] = servers
    const { token } = await logInAt(server)
    await redis.stop('SIGKILL')
    await server.says(/Redis is down/)
    t.equal(await menu(server, token), 503)
    await logInAt(server, WRONG)
    await logInAt(server)
    await redis.start()
    await server.says(/Redis is back/)
    await server.says(/throttle is back/)
    t.equal(await menu(server, token), 200)
    for (const line of `${block?.code}`.split('\n')) {
      const pattern = escapeRegExp(line).replaceAll('…', '.*')
      t.match(server.output.stdout, RegExp(`^${pattern}`, 'm'))
    }
  })

/** Sends wrong logins in parallel. Returns the milliseconds until all are rejected. */
async function guess(t: Test, url: string, name: string, length = 30): Promise<number> {
  const start = performance.now()
  const usernames = Array.from({ length }, (_, i) => `${name}-${i}`)
  for (const login of await Promise.all(usernames.map(username => logIn(url, { username, password: 'wrong' })))) {
    t.equal(login.status, 200)
    t.match(await login.json(), { success: false, error: 'Wrong username or password.' })
  }
  return performance.now() - start
}
