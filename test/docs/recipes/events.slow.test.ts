// Listeners for the events: metrics.js with the alert rules of docs/operations.md, and audit-trail.js.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { createClient } from '@libsql/client'
import t, { type Test } from 'tap'
import { until } from '../../helpers.ts'
import { readPage } from '../page.ts'
import { logIn, recipe, request, statusOf, tokenOf } from '../program.ts'

async function startMetrics(t: Test) {
  const program = recipe(t, 'metrics.js')
  const url = await program.listening()
  const scraped = await program.listening(9464)
  const scrape = async () => (await request(`${scraped}/metrics`)).text()
  /** Returns the values of a metric by the text between the braces. */
  const values = async (name: string) =>
    Object.fromEntries(
      [...(await scrape()).matchAll(RegExp(`^${name}{(.*)} (\\S+)$`, 'gm'))].map(([, labels, value]) => [labels, value])
    )
  return { url, scrape, values }
}

t.test('metrics: requests are counted by method, route pattern and status, and no label contains a URL', async t => {
  const { url, scrape, values } = await startMetrics(t)
  const token = await tokenOf(url)
  for (const id of [1, 2, 3]) await statusOf(`${url}/screen/order/${id}`, token)
  await statusOf(`${url}/screen/order/4`)
  for (const path of ['/wp-login.php', '/invented?secret=1', '/screen/order/1/invented']) {
    t.equal(await statusOf(url + path), 401)
    t.equal(await statusOf(url + path, token), 404)
  }
  t.match(await values('http_request_duration_seconds_count'), {
    'method="GET",route="/screen/order/:id",status="200"': '3',
    'method="GET",route="/screen/order/:id",status="401"': '1',
    'method="GET",route="unknown",status="404"': '3',
    'method="GET",route="unknown",status="401"': '3'
  })
  t.notMatch(await scrape(), /invented|wp-login|secret/)
})

t.test('metrics: logins are counted by outcome', async t => {
  const { url, values } = await startMetrics(t)
  const none = Object.fromEntries(
    ['accepted', 'rejected', 'blocked', 'overloaded', 'failed'].map(name => [`outcome="${name}"`, '0'])
  )
  t.strictSame(await values('logins_total'), none)
  await tokenOf(url)
  for (let guess = 0; guess < 11; guess++) await tokenOf(url, { username: 'bob' })
  await (await request(`${url}/auth/login`, null, { method: 'POST', body: 'no JSON' })).text()
  await statusOf(`${url}/auth/login`)
  t.strictSame(await values('logins_total'), {
    ...none,
    'outcome="accepted"': '1',
    'outcome="rejected"': '10',
    'outcome="blocked"': '1',
    'outcome="malformed"': '1'
  })
})

t.test('metrics: refused requests are counted by reason', async t => {
  const { url, values } = await startMetrics(t)
  const counts = (missing: string, invalid: string) => ({
    'reason="missing"': missing,
    'reason="invalid"': invalid,
    'reason="unavailable"': '0'
  })
  t.strictSame(await values('refusals_total'), counts('0', '0'))
  for (const path of ['/menu/main', '/unknown']) await statusOf(url + path)
  await statusOf(`${url}/menu/main`, 'no-token-of-ours')
  t.strictSame(await values('refusals_total'), counts('2', '1'))
})

t.test('metrics: the metrics are public on their own port, and not available on the port for clients', async t => {
  const { url, scrape } = await startMetrics(t)
  t.match(await scrape(), /^process_cpu_seconds_total /m)
  t.equal(await statusOf(`${url}/metrics`), 401)
  t.equal(await statusOf(`${url}/metrics`, await tokenOf(url)), 404)
})

t.test('metrics: the alert rules use only names and labels that are exported', async t => {
  const [rules, ...others] = readPage('docs/operations.md').samples.filter(({ language }) => language === 'yaml')
  t.strictSame(others, [])
  const code = `${rules?.code}`
  t.equal(code.match(/- alert: /g)?.length, 4)
  const { url, scrape } = await startMetrics(t)
  await tokenOf(url)
  const exported = await scrape()
  const selectors = [...code.matchAll(/\b([a-z_]+)(?:{(.*?)})?\[\d+m\]/g)]
  t.equal(selectors.length, code.match(/\[\d+m\]/g)?.length)
  for (const [, name, labels = ''] of selectors) {
    t.match(exported, RegExp(`^${name}{`, 'm'))
    for (const [, label, , values = ''] of labels.matchAll(/(\w+)(=~?)"(.*?)"/g)) {
      // The metrics of a working server have no failure statuses, so any status is accepted.
      const shown = label === 'status' ? ['\\d+'] : values.split('|')
      for (const value of shown) t.match(exported, RegExp(`^${name}{.*\\b${label}="${value}"`, 'm'))
    }
  }
  for (const [, label = ''] of code.matchAll(/ by \((\w+)\)/g)) t.match(exported, RegExp(`\\b${label}="`))
})

async function startTrail(t: Test) {
  const file = join(t.testdir(), 'audit.db')
  const address = pathToFileURL(file).href
  const server = recipe(t, 'audit-trail.js', { AUDIT_DATABASE_URL: address })
  const db = createClient({ url: address })
  t.teardown(() => db.close())
  /** Waits until the trail has at least `count` rows, and returns them. */
  async function rows(count: number) {
    let rows: unknown[] = []
    await until(async () => {
      // Reading without a pause would block the writer.
      await sleep(50)
      // The table may not exist yet, or may be locked.
      const result = await db.execute('SELECT * FROM audit ORDER BY rowid').catch(() => ({ rows: [] }))
      rows = result.rows.map(row => ({ ...row }))
      return rows.length >= count
    })
    return rows as Record<string, string | null>[]
  }
  return { server, url: await server.listening(), db, rows, file }
}

t.test('audit-trail: each login and each 401 is recorded with time, outcome, username, address and route', async t => {
  const { url, rows } = await startTrail(t)
  const before = new Date().toISOString()
  t.type(await tokenOf(url), 'string')
  await tokenOf(url, { username: 'bob' })
  await statusOf(`${url}/menu/main`)
  await statusOf(`${url}/unknown?secret=1`)
  await request(`${url}/auth/login`, null, { method: 'POST', body: 'no JSON' })
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
  for (const { time } of found) t.ok(before <= `${time}` && `${time}` <= new Date().toISOString())
})

t.test('audit-trail: the trail contains no password and no token, and usernames are short and printable', async t => {
  const { url, rows, file } = await startTrail(t)
  const token = await tokenOf(url)
  await statusOf(`${url}/menu/main`, `${token}x`)
  const username = `\u001b[2J\n"'; DROP TABLE audit; --${'x'.repeat(10_000)}`
  await logIn(url, { username, password: 'hidden password' })
  const found = `${(await rows(3))[2]?.username}`
  t.match(found, 'DROP TABLE audit; --xxx')
  t.ok(found.length < 200)
  t.notMatch(found, /[^ -~]/)
  const bytes = readFileSync(file, 'latin1')
  for (const secret of ['correct horse', 'hidden password', token]) t.notOk(bytes.includes(secret))
})

t.test('audit-trail: logins succeed while the database is locked, and are recorded afterwards', async t => {
  const { server, url, db, rows } = await startTrail(t)
  const lock = await db.transaction('write')
  t.type(await tokenOf(url), 'string')
  await until(() => server.output.includes('the audit trail cannot be written'))
  t.type(await tokenOf(url), 'string')
  await lock.rollback()
  t.match(await rows(2), [{ outcome: 'accepted' }, { outcome: 'accepted' }])
})

t.test('audit-trail: logins succeed without a database, and the password of the database is not logged', async t => {
  const AUDIT_DATABASE_URL = 'http://127.0.0.1:1?authToken=secret-of-the-database'
  const server = recipe(t, 'audit-trail.js', { AUDIT_DATABASE_URL })
  const url = await server.listening()
  t.type(await tokenOf(url), 'string')
  await until(() => server.output.includes('the audit trail cannot be written'))
  t.type(await tokenOf(url), 'string')
  t.equal(await server.stop(), 0)
  t.notMatch(server.output, 'secret-of-the-database')
})

t.test('audit-trail: a server writes the last rows before it exits', async t => {
  const { server, url, rows } = await startTrail(t)
  t.type(await tokenOf(url), 'string')
  t.equal(await server.stop(), 0)
  t.match(await rows(1), [{ event: 'login', outcome: 'accepted', username: 'ada' }])
})
