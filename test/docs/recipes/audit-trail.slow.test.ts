import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { createClient } from '@libsql/client'
import t, { type Test } from 'tap'
import { until } from '../../helpers.ts'
import { recipe, tokenOf } from '../program.ts'

async function start(t: Test) {
  const file = join(t.testdir(), 'audit.db')
  const address = pathToFileURL(file).href
  const server = recipe(t, 'audit-trail.js', { AUDIT_DATABASE_URL: address })
  const db = createClient({ url: address })
  t.teardown(() => db.close())
  /** The rows of the trail, when there are so many. */
  async function rows(count: number) {
    let rows: unknown[] = []
    await until(async () => {
      // Readers that do not pause would keep the writer out.
      await sleep(50)
      // There is no table at first, and it may be locked.
      const result = await db.execute('SELECT * FROM audit ORDER BY rowid').catch(() => ({ rows: [] }))
      rows = result.rows.map(row => ({ ...row }))
      return rows.length >= count
    })
    return rows as Record<string, string | null>[]
  }
  return { server, url: await server.listening(), db, rows, file }
}

t.test('each login and each 401 is in the trail: when, what, who and from where', async t => {
  const { url, rows } = await start(t)
  const before = new Date().toISOString()
  t.type(await tokenOf(url, 'ada', 'correct horse'), 'string')
  await tokenOf(url, 'bob', 'wrong')
  await fetch(`${url}/menu/main`)
  await fetch(`${url}/unknown?secret=1`)
  await fetch(`${url}/auth/login`, { method: 'POST', body: 'no JSON' })
  const found = await rows(5)
  const login = { event: 'login', address: '127.0.0.1', method: 'POST', route: '/auth/login' }
  const refusal = { event: 'refusal', username: null, address: '127.0.0.1', method: 'GET' }
  t.match(found, [
    { outcome: 'accepted', username: 'ada', ...login },
    { outcome: 'rejected', username: 'bob', ...login },
    { outcome: 'missing', route: '/menu/main', ...refusal },
    { outcome: 'missing', route: null, ...refusal },
    { outcome: 'malformed', username: null, ...login }
  ])
  t.equal(found.length, 5)
  for (const { time } of found)
    t.ok(before <= (time as string) && (time as string) <= new Date().toISOString())
})

t.test(
  'a login that was not looked at after too many failures is told from one that was rejected',
  async t => {
    const { url, rows } = await start(t)
    for (let tries = 0; tries < 11; tries++) await tokenOf(url, 'bob', 'wrong')
    const outcomes = (await rows(11)).map(({ outcome }) => outcome)
    t.same(outcomes, [...Array(10).fill('rejected'), 'blocked'])
  }
)

t.test('no password and no token is in the database, and a username is short and printable', async t => {
  const { url, rows, file } = await start(t)
  const token = await tokenOf(url, 'ada', 'correct horse')
  await fetch(`${url}/menu/main`, { headers: { authorization: `Bearer ${token}x` } })
  await tokenOf(url, `\u001b[2J\n"'; DROP TABLE audit; --${'x'.repeat(10_000)}`, 'hidden password')
  const [, , { username } = { username: null }] = await rows(3)
  t.match(username, 'DROP TABLE audit; --xxx')
  t.ok((username as string).length < 200)
  t.notMatch(username, /[^ -~]/)
  const bytes = readFileSync(file, 'latin1')
  for (const secret of ['correct horse', 'hidden password', token]) t.notOk(bytes.includes(secret))
})

t.test('while the database is locked logins go on, and are in it afterwards', async t => {
  const { server, url, db, rows } = await start(t)
  const lock = await db.transaction('write')
  t.type(await tokenOf(url, 'ada', 'correct horse'), 'string')
  await until(() => server.output.includes('the audit trail cannot be written'))
  t.type(await tokenOf(url, 'ada', 'correct horse'), 'string')
  await lock.rollback()
  t.same(
    (await rows(2)).map(({ outcome }) => outcome),
    ['accepted', 'accepted']
  )
})

t.test('logins go on without any database, and its password is not logged', async t => {
  const AUDIT_DATABASE_URL = 'http://127.0.0.1:1?authToken=secret-of-the-database'
  const server = recipe(t, 'audit-trail.js', { AUDIT_DATABASE_URL })
  const url = await server.listening()
  t.type(await tokenOf(url, 'ada', 'correct horse'), 'string')
  await until(() => server.output.includes('the audit trail cannot be written'))
  t.type(await tokenOf(url, 'ada', 'correct horse'), 'string')
  t.notMatch(server.output, 'secret-of-the-database')
})

t.test('a server that ends writes the last rows first', async t => {
  const { server, url, rows } = await start(t)
  t.type(await tokenOf(url, 'ada', 'correct horse'), 'string')
  t.equal(await server.terminate(), 0)
  t.match(await rows(1), [{ event: 'login', outcome: 'accepted', username: 'ada' }])
})

t.test('a server ends without any database, too', async t => {
  const server = recipe(t, 'audit-trail.js', { AUDIT_DATABASE_URL: 'http://127.0.0.1:1' })
  t.type(await tokenOf(await server.listening(), 'ada', 'correct horse'), 'string')
  t.equal(await server.terminate(), 0)
})
