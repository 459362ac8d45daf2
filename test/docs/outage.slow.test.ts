// What an operator copies must hold while Redis is down: the clients of docs/several-servers.md and redis.js, and the
// log lines of docs/operations.md.
import { readFileSync } from 'node:fs'
import t from 'tap'
import { menu } from '../examples/process.ts'
import { ask, fleet, logIn, WRONG } from '../examples/redis/fleet.ts'
import { until } from '../helpers.ts'
import { needs } from '../needs.ts'
import { RedisServer } from '../redis-server.ts'
import { escapeRegExp, readPage } from './page.ts'
import { startCode } from './program.ts'
import { login, REJECTED, times, Visitor } from './table.ts'

const { samples, code } = readPage('docs/several-servers.md')
const program = `${samples.find(({ code }) => code.includes('throttle: { store }'))?.code}`
const CLIENT = /const redis = [\s\S]*await redis.connect\(\)/
const checked = `${samples.find(({ code }) => code.includes('async function check()'))?.code}`
const ioredis = `${code.find(code => code.startsWith('new Redis('))}`.replace('url', "'redis://127.0.0.1:6379'")

const PROGRAMS = {
  'the first client': program,
  'the client for production': program.replace(CLIENT, checked),
  'the client of ioredis': program
    .replace(/^import \{ createClient.*$/m, "import { Redis } from 'ioredis'")
    .replace(CLIENT, `const redis = ${ioredis}.on('error', () => {})`),
  'the recipe redis.js': readFileSync(new URL('../../docs/recipes/redis.js', import.meta.url), 'utf8')
}

/** Prints the events of the store, and accepts a password. */
const EVENTS = `import { subscribe } from 'node:diagnostics_channel'
subscribe('fastify-screen-auth.throttle', ({ outcome }) => console.log('event:', outcome))
const accept = ({ username, password }) => (password === 'correct horse' ? { username, displayName: username } : null)
`

/** For each outage, how it starts and how it ends. */
const OUTAGES: Record<string, [(redis: RedisServer) => unknown, (redis: RedisServer) => unknown]> = {
  killed: [redis => redis.stop('SIGKILL'), redis => redis.start()],
  frozen: [redis => redis.freeze(), redis => redis.thaw()],
  'read-only': [redis => ask(redis, ['REPLICAOF', '127.0.0.1', '1']), redis => ask(redis, ['REPLICAOF', 'NO', 'ONE'])]
}

/** Milliseconds. A store call times out after 2 s, so logins that wait one after another would take a minute. */
const TIME_LIMIT = 15_000

if (needs(t, 'redis-server')) {
  for (const [client, code] of Object.entries(PROGRAMS))
    for (const [name, [fail, recover]] of Object.entries(OUTAGES))
      t.test(`with ${client}, wrong passwords are rejected while Redis is ${name}, and sessions survive`, async t => {
        const redis = await RedisServer.start(t)
        const changed = EVENTS + code.replace('() => null', 'accept').replaceAll('6379', String(redis.port))
        const server = startCode(t, changed)
        const guess = (username: string) => login({ username, password: 'wrong' }, REJECTED)
        const { take } = await Visitor.visit(t, server, ['GET /menu/main', { as: 'ada', eventually: true }, 200])
        await fail(redis)
        const start = performance.now()
        await Promise.all(Array.from({ length: 30 }, (_, i) => take(guess(`first-${i}`))))
        await take(...times(9, guess('later')))
        t.ok(performance.now() - start < TIME_LIMIT, 'the logins wait in parallel, and later ones not at all')
        await recover(redis)
        await take(['GET /menu/main', { as: 'ada', eventually: true }, 200])
        await until(() => /event: store-back/.test(server.output))
        t.strictSame(server.output.match(/event: .*/g), ['event: store-down', 'event: store-back'])
      })

  t.test('the log of the reference server contains the lines of docs/operations.md', async t => {
    const [block] = readPage('docs/operations.md').samples.filter(({ language }) => language === 'text')
    const { servers, redis } = await fleet(t, 1)
    const [server] = servers
    const { token } = await logIn(server)
    await redis.stop('SIGKILL')
    await server.says(/Redis is down/)
    t.equal(await menu(server, token), 503)
    await logIn(server, WRONG)
    await logIn(server)
    await redis.start()
    await server.says(/Redis is back/)
    await server.says(/throttle is back/)
    t.equal(await menu(server, token), 200)
    for (const line of `${block?.code}`.split('\n'))
      t.match(server.output.stdout, RegExp(`^${escapeRegExp(line).replaceAll('…', '.*')}`, 'm'))
  })
}
