// sqlite-store.js: its store, and servers that share a file.
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@libsql/client'
import t, { type Test } from 'tap'
import type { Store } from '../../../lib/index.ts'
import { until } from '../../helpers.ts'
import { testStore } from '../../lib/stores/contract.ts'
import { logIn, post, recipe, startRecipe, statusOf, temporaryFolder, tokenOf } from '../program.ts'

/** Returns the store of the recipe, without its server. */
async function open(t: Test): Promise<[Store, (ms: number) => unknown]> {
  const folder = temporaryFolder(t)
  const file = join(folder, 'store.js')
  const recipe = readFileSync(new URL('../../../docs/recipes/sqlite-store.js', import.meta.url), 'utf8')
  writeFileSync(file, recipe.replace(/^const app = [\s\S]*/m, 'export { db, store }\n'))
  process.env.SESSIONS_DATABASE_URL = `file:${join(folder, 'sessions.db')}`
  const { db, store } = await import(file)
  t.teardown(() => db.close())
  return [store, sleep]
}

testStore(t, 'sqlite-store', open)

/** Starts servers that share a file. */
async function servers(t: Test, count: number, env = {}) {
  const path = join(t.testdir(), 'sessions.db')
  const start = () => startRecipe(t, 'sqlite-store.js', { SESSIONS_DATABASE_URL: `file:${path}`, ...env })
  const urls = await Promise.all(Array.from({ length: count }, start))
  return { path, start, urls: urls as [string, ...string[]] }
}

t.test('sqlite-store: two processes share sessions, logouts and logouts of all sessions', async t => {
  const { urls } = await servers(t, 2)
  const [one, two] = urls as [string, string]
  const [first, second, third] = await Promise.all([tokenOf(one), tokenOf(one), tokenOf(two)])
  const statuses = () => Promise.all([first, second, third].map(token => statusOf(`${two}/menu/main`, token)))
  t.strictSame(await statuses(), [200, 200, 200])
  t.equal((await post(`${one}/auth/logout`, {}, first)).status, 200)
  t.strictSame(await statuses(), [401, 200, 200])
  t.equal((await post(`${one}/auth/logout/all`, {}, second)).status, 200)
  t.strictSame(await statuses(), [401, 401, 401])
  t.equal(await statusOf(`${one}/menu/main`, await tokenOf(two)), 200)
})

t.test('sqlite-store: forty guesses at once at two processes get ten checks', async t => {
  const { urls } = await servers(t, 2)
  const guesses = Array.from({ length: 40 }, (_, i) => logIn(`${urls[i % 2]}`, { password: 'wrong' }))
  const isBlocked = (response: Response) => response.headers.has('retry-after')
  const blocked = (await Promise.all(guesses)).map(isBlocked)
  t.equal(blocked.filter(blocked => !blocked).length, 10)
  t.ok(isBlocked(await logIn(urls[0])), 'the right password is blocked, too')
})

t.test('sqlite-store: sessions, logouts and failures survive a restart', async t => {
  const path = join(t.testdir(), 'sessions.db')
  const start = () => recipe(t, 'sqlite-store.js', { SESSIONS_DATABASE_URL: `file:${path}` })
  const server = start()
  const url = await server.listening()
  const [kept, ended] = [await tokenOf(url), await tokenOf(url)]
  t.equal((await post(`${url}/auth/logout`, {}, ended)).status, 200)
  for (let i = 0; i < 10; i++) await logIn(url, { username: 'eve', password: 'wrong' })
  await server.stop('SIGKILL')
  const again = await start().listening()
  t.strictSame(await Promise.all([kept, ended].map(token => statusOf(`${again}/menu/main`, token))), [200, 401])
  t.ok((await logIn(again, { username: 'eve' })).headers.has('retry-after'))
})

t.test('sqlite-store: only its owner can open the file, and it contains no tokens', async t => {
  const { path, urls } = await servers(t, 1)
  const token = await tokenOf(urls[0])
  for (const file of [path, `${path}-wal`]) {
    t.equal(statSync(file).mode & 0o77, 0)
    t.notOk(readFileSync(file, 'latin1').includes(token))
  }
})

t.test('sqlite-store: what has ended is invisible, and is deleted', async t => {
  const { path, urls, start } = await servers(t, 1)
  const token = await tokenOf(urls[0])
  for (let i = 0; i < 10; i++) await logIn(urls[0], { username: 'eve', password: 'wrong' })
  const db = createClient({ url: `file:${path}`, timeout: 5000 })
  t.teardown(() => db.close())
  await db.execute('UPDATE entries SET ends = 1')
  t.equal(await statusOf(`${urls[0]}/menu/main`, token), 401)
  t.notOk((await logIn(urls[0], { username: 'eve' })).headers.has('retry-after'))
  await startRecipe(t, 'sqlite-store.js', { SESSIONS_DATABASE_URL: `file:${path}`, CLEAN_SECONDS: '0.05' })
  await until(async () => (await db.execute('SELECT * FROM entries WHERE ends = 1')).rows.length === 0)
  t.equal(await statusOf(`${await start()}/menu/main`, await tokenOf(urls[0])), 200)
})

t.test('sqlite-store: while another program locks the file, sessions are read, and logins get a 503', async t => {
  const { path, urls } = await servers(t, 1)
  const token = await tokenOf(urls[0])
  const db = createClient({ url: `file:${path}`, timeout: 5000 })
  t.teardown(() => db.close())
  const lock = await db.transaction('write')
  t.equal(await statusOf(`${urls[0]}/menu/main`, token), 200)
  t.equal((await logIn(urls[0])).status, 503)
  await lock.rollback()
  await until(async () => (await logIn(urls[0])).status === 200)
})
