// What several servers share: the program of docs/deployment.md in Redis, and the recipe sqlite-store.js in a file.
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@libsql/client'
import t, { type Test } from 'tap'
import type { Store } from '../../lib/index.ts'
import { ask } from '../examples/redis/fleet.ts'
import { until } from '../helpers.ts'
import { testStore } from '../lib/stores/contract.ts'
import { needs } from '../needs.ts'
import { RedisServer } from '../redis-server.ts'
import { type Program, recipe, startProgram, temporaryFolder } from './program.ts'
import { BLOCKED, each, login, Visitor } from './table.ts'

/** Tests what two servers share. Returns the token of a session, and that of one that has ended. */
async function share(t: Test, first: Program, second: Program) {
  const [one, two] = [await Visitor.visit(t, first), await Visitor.visit(t, second)]
  await one.take(...each(['ada', 'ada 2'], as => ['GET /menu/main', { as }, 200]))
  const [token, ended] = [await one.tokenOf('ada'), await one.tokenOf('ada 2')]
  await one.take(['POST /auth/logout', { token: ended }, 204])
  await two.take(['GET /menu/main', { token }, 200], ['GET /menu/main', { token: ended }, 401])
  const guess = { fields: { username: 'eve', password: 'wrong' } }
  const guesses = [one, two].flatMap(({ send }) => Array.from({ length: 20 }, () => send('POST /auth/login', guess)))
  const blocked = (await Promise.all(guesses)).filter(({ headers }) => headers['retry-after'] !== undefined)
  t.equal(blocked.length, 30, 'forty guesses at once get ten checks')
  return { token, ended }
}

if (needs(t, 'redis-server')) {
  t.test('the program: servers share sessions, logouts and failures, and all keys have the prefix', async t => {
    const redis = await RedisServer.start(t)
    const env = { REDIS_PREFIX: 'shop:' }
    await share(t, startProgram(t, redis, { env }), startProgram(t, redis, { env }))
    const keys = (await ask(redis, ['KEYS', '*'])) as string[]
    t.ok(keys.length > 0 && keys.every(key => key.startsWith('shop:')))
  })

  t.test('the program: a server starts while Redis is down, uses it when it is up, and closes cleanly', async t => {
    const redis = await RedisServer.start(t)
    await redis.stop()
    const server = startProgram(t, redis)
    const { take } = await Visitor.visit(t, server, login({}, { success: false }, 503))
    await redis.start()
    await take(['POST /auth/login', { fields: {}, keep: 'ada', eventually: true }, 200])
    await take(['GET /menu/main', { as: 'ada' }, 200])
    t.equal(await server.stop('SIGTERM'), 0)
  })

  t.test('the program: a REDIS_URL that Redis rejects ends the start with a message without the password', async t => {
    const redis = await RedisServer.start(t, '--requirepass', 'right')
    const { port } = redis
    for (const [url, reason] of [
      [`redis://:hunter2@127.0.0.1:${port}`, 'WRONGPASS'],
      [`redis://127.0.0.1:${port}`, 'NOAUTH'],
      [`redis://:right@127.0.0.1:${port}/99`, 'ERR'],
      ['redis://:hunter2@127.0.0.1:port', 'no URL']
    ] as const) {
      const server = startProgram(t, redis, { env: { REDIS_URL: url } })
      t.equal(await server.end(), 1)
      t.match(server.output, new RegExp(`^REDIS_URL: .*${reason}.*\n$`))
      t.notMatch(server.output, /hunter2|right@/)
    }
  })
}

/** Returns the store of sqlite-store.js, without its server. */
async function open(t: Test): Promise<[Store, (ms: number) => unknown]> {
  const folder = temporaryFolder(t)
  const file = join(folder, 'store.js')
  const code = readFileSync(new URL('../../docs/recipes/sqlite-store.js', import.meta.url), 'utf8')
  writeFileSync(file, code.replace(/^const app = [\s\S]*/m, 'export { db, store }\n'))
  process.env.SESSIONS_DATABASE_URL = `file:${join(folder, 'sessions.db')}`
  const { db, store } = await import(file)
  t.teardown(() => db.close())
  return [store, sleep]
}

testStore(t, 'sqlite-store.js', open)

t.test('sqlite-store.js: servers share one file, which a restart and a lock do not spoil', async t => {
  const path = join(t.testdir(), 'sessions.db')
  const start = (env = {}) => recipe(t, 'sqlite-store.js', { SESSIONS_DATABASE_URL: `file:${path}`, ...env })
  const [one, two] = [start(), start()]
  const { token, ended } = await share(t, one, two)
  for (const file of [path, `${path}-wal`]) {
    t.equal(statSync(file).mode & 0o77, 0, 'only its owner can open the file')
    t.notOk(readFileSync(file, 'latin1').includes(token))
  }
  for (const server of [one, two]) await server.stop('SIGKILL')
  const { take } = await Visitor.visit(
    t,
    start({ CLEAN_SECONDS: '0.05' }),
    ['GET /menu/main', { token }, 200],
    ['GET /menu/main', { token: ended }, 401],
    login({ username: 'eve' }, BLOCKED)
  )
  const db = createClient({ url: `file:${path}`, timeout: 5000 })
  t.teardown(() => db.close())
  const lock = await db.transaction('write')
  await take(['GET /menu/main', { token }, 200], login({}, { success: false }, 503))
  await lock.rollback()
  await take(
    ['POST /auth/login', { fields: {}, keep: 'ada', eventually: true }, 200],
    ['GET /menu/main', { as: 'ada' }, 200]
  )
  await db.execute('UPDATE entries SET ends = 1')
  await until(async () => (await db.execute('SELECT * FROM entries WHERE ends = 1')).rows.length === 0)
})
