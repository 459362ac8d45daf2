// What an operator copies for several servers holds while Redis is away: docs/logins.md, docs/several-servers.md.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import t, { type Test } from 'tap'
import { ask, until } from '../examples/redis/fleet.ts'
import { needs } from '../needs.ts'
import { RedisServer } from '../redis-server.ts'
import { readPage } from './page.ts'
import { logIn, Program } from './program.ts'

const program = readPage('docs/several-servers.md').samples.find(({ code }) => code.includes('insuredStore'))
const line = readPage('docs/logins.md').code.find(code => code.startsWith('store: options =>'))

const snippets: [string, string][] = [
  ['docs/several-servers.md', `${program?.code}`],
  [
    'docs/logins.md, with a client as it is by default',
    `import Fastify from 'fastify'
    import screenAuth, { insuredStore } from 'fastify-screen-auth'
    import { RateLimiterRedis } from 'rate-limiter-flexible'
    import { createClient } from 'redis'
    const storeClient = createClient({ url: 'redis://127.0.0.1:6379' })
    storeClient.on('error', () => {})
    await storeClient.connect()
    const app = Fastify()
    await app.register(screenAuth, {
      throttle: { ${line} },
      checkCredentials: () => null,
      mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs: [] } })
    })
    await app.listen({ port: 3000 })`
  ]
]

/** Prints what is published of the store. */
const EVENTS = `import { subscribe } from 'node:diagnostics_channel'
subscribe('fastify-screen-auth.throttle', ({ outcome }) => console.log('event:', outcome))
`

const outages: [string, (redis: RedisServer) => unknown, (redis: RedisServer) => unknown][] = [
  ['killed', redis => redis.stop('SIGKILL'), redis => redis.start()],
  ['frozen', redis => redis.freeze(), redis => redis.thaw()],
  [
    'full',
    redis => ask(redis, ['CONFIG', 'SET', 'maxmemory', '1']),
    redis => ask(redis, ['CONFIG', 'SET', 'maxmemory', '0'])
  ],
  [
    'read-only',
    redis => ask(redis, ['REPLICAOF', '127.0.0.1', '1']),
    redis => ask(redis, ['REPLICAOF', 'NO', 'ONE'])
  ]
]

if (needs(t, 'redis-server'))
  for (const [place, code] of snippets)
    for (const [name, leave, comeBack] of outages)
      t.test(`${place}: wrong passwords are rejected while Redis is ${name}`, async t => {
        const redis = await RedisServer.start(t)
        const server = serve(t, EVENTS + code.replaceAll('6379', String(redis.port)))
        const url = await server.listening()
        await guess(t, url, 'before')
        await leave(redis)
        // Not twice as long as the store has for one reply.
        t.ok((await guess(t, url, 'first')) < 4_000)
        t.ok((await guess(t, url, 'later')) < 1_500, 'nobody waits any more')
        await comeBack(redis)
        await until(async () => /event: store-back/.test(server.output))
        t.strictSame(server.output.match(/event: .*/g), ['event: store-down', 'event: store-back'])
        // What fails now is counted in Redis, and nothing that was reserved is left.
        await ask(redis, ['FLUSHALL'])
        for (let i = 0; i < 3; i++) await logIn(url, 'ada', 'wrong')
        const keys = (await ask(redis, ['KEYS', '*_username:*'])) as string
        t.match(keys, /screen_auth_username:/)
      })

function serve(t: Test, code: string): Program {
  const parent = fileURLToPath(new URL('../../.tap/', import.meta.url))
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(join(parent, 'outage-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'app.mjs'), code)
  return new Program(t, pathToFileURL(join(folder, 'app.mjs')))
}

/** Thirty wrong logins at once. Returns the milliseconds until all are rejected. */
async function guess(t: Test, url: string, name: string): Promise<number> {
  const start = performance.now()
  const logins = Array.from({ length: 30 }, (_, i) => logIn(url, `${name}-${i}`, 'wrong'))
  for (const login of await Promise.all(logins)) {
    t.equal(login.status, 200)
    t.match(await login.json(), { success: false, error: 'Wrong username or password.' })
  }
  return performance.now() - start
}
