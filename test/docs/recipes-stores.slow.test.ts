// The recipe with a store that several servers share: sqlite-store.js.
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@libsql/client'
import t, { type Test } from 'tap'
import type { Store } from '../../lib/index.ts'
import { until } from '../helpers.ts'
import { testStore } from '../lib/stores/contract.ts'
import { recipe, temporaryFolder } from './program.ts'
import { BLOCKED, each, login, unavailable, Visitor } from './table.ts'

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
  const servers = [start(), start()] as const
  const [one, two] = [await Visitor.visit(t, servers[0]), await Visitor.visit(t, servers[1])]
  await one.take(...each(['ada', 'ada 2'], as => ['GET /menu/main', { as }, 200]))
  const [token, ended] = [await one.tokenOf('ada'), await one.tokenOf('ada 2')]
  await one.take(['POST /auth/logout', { token: ended }, 204])
  await two.take(['GET /menu/main', { token }, 200], ['GET /menu/main', { token: ended }, 401])
  const guess = { fields: { username: 'eve', password: 'wrong' } }
  const guesses = [one, two].flatMap(({ send }) => Array.from({ length: 20 }, () => send('POST /auth/login', guess)))
  const blocked = (await Promise.all(guesses)).filter(({ headers }) => headers['retry-after'] !== undefined)
  t.equal(blocked.length, 30, 'forty guesses at once get ten checks')
  for (const file of [path, `${path}-wal`]) {
    t.equal(statSync(file).mode & 0o77, 0, 'only its owner can open the file')
    t.notOk(readFileSync(file, 'latin1').includes(token))
  }
  for (const server of servers) await server.stop('SIGKILL')
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
  await take(['GET /menu/main', { token }, 200], unavailable())
  await lock.rollback()
  await take(
    ['POST /auth/login', { fields: {}, keep: 'ada', eventually: true }, 200],
    ['GET /menu/main', { as: 'ada' }, 200]
  )
  await db.execute('UPDATE entries SET ends = 1')
  await until(async () => (await db.execute('SELECT * FROM entries WHERE ends = 1')).rows.length === 0)
})
