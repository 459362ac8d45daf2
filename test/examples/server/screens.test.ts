// The login of the example server, the screens behind it, and the search in a list. walk.test.ts checks that known
// clients can read every screen.

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import t from 'tap'
import { type CheckServerOptions, checkServer } from '../../../conformance/index.ts'
import { SECRET } from '../../helpers.ts'
import { DEMO } from '../process.ts'
import { type Example, GERMAN, NO_AUTH, startExample, valuesOf } from './in-process.ts'

const PROTECTED = ['profile', 'users', 'password', 'contacts', 'contact?id=1', 'contacts/new']

for (const [mode, auth, options] of [
  ['with a login', {}, { ...DEMO, secret: SECRET, protected: PROTECTED.map(name => `/screen/${name}`) }],
  ['in the no-auth mode', NO_AUTH, { noAuth: true }]
] as [string, object, CheckServerOptions][])
  t.test(`the conformance kit finds no fault ${mode}`, async t => {
    const { app } = await startExample(t, auth)
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    // In seconds, only to end a test that hangs.
    const { results } = await checkServer(url, { ...options, hardening: true, advice: true, timeout: 120, limit: 600 })
    const faults = results.filter(({ status }) => status !== 'ok' && status !== 'skipped')
    t.strictSame(faults, [])
  })

t.test('checking.md states how many runs of the kit a server with the default limits allows', async t => {
  const page = readFileSync('conformance/docs/checking.md', 'utf8').replaceAll('\n', ' ')
  const [, sent, runs] = /core profile sends (\d+) .* allows (\d+) such runs?/.exec(page) ?? []
  t.ok(Number(runs) > 0)
  const { app } = await startExample(t)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const run = () => checkServer(url, { ...DEMO, timeout: 120, limit: 600 })
  for (let i = 0; i < Number(runs); i++) t.match(await run(), { failedLogins: Number(sent), conforms: true })
  await run()
  await t.rejects(run(), { message: /limits requests/ })
})

t.test('the profile and the list of users show the data of the database', async t => {
  const { getJson, logIn } = await startExample(t)
  const { token } = await logIn()
  t.match(valuesOf(await getJson('/screen/profile', token)), {
    username: 'demo',
    display_name: 'Demo User',
    created_at: /^\d\d-\d\d-\d{4}$/
  })
  t.match((await getJson('/screen/users', token)).lines, {
    columns: [{ label: 'Username' }, { label: 'Display name' }],
    rows: [{ index: 0, values: ['demo', 'Demo User'] }],
    row_count: 1
  })
})

t.test('a removed user has no profile, though the token is still valid', async t => {
  const { get, logIn, users } = await startExample(t)
  const { token } = await logIn()
  await users.remove('demo')
  t.equal((await get('/menu/main', token)).statusCode, 200)
  t.equal((await get('/screen/profile', token)).statusCode, 404)
})

t.test('every response has X-Content-Type-Options: nosniff, and varies with Accept-Language', async t => {
  const { app, get, logIn } = await startExample(t)
  const { token } = await logIn()
  const responses = []
  for (const path of ['/', '/web/app.js', '/menu/main', '/auth/login', '/screen/users', '/none', '/%zz'])
    for (const given of ['', token]) responses.push(await get(path, given))
  for (const payload of ['{"fields":{"username":"x","password":"y"}}', '{', 'x'.repeat(20_000)]) {
    const headers = { 'content-type': 'application/json' }
    responses.push(await app.inject({ method: 'POST', url: '/auth/login', headers, payload }))
  }
  for (const { headers } of responses)
    t.match(headers, { 'x-content-type-options': 'nosniff', vary: /accept-language/i })
})

t.test('a request times out after 15 seconds, the longer of two settings of Node', async t => {
  const { app } = await startExample(t)
  await app.ready()
  const { requestTimeout, headersTimeout } = app.server
  t.equal(Math.max(requestTimeout, headersTimeout), 15_000)
})

t.test('a request during the shutdown gets its response, and the server then closes the connection', async t => {
  const { app } = await startExample(t)
  const closing = new Promise<void>(resolve => {
    app.addHook('preClose', async () => resolve())
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  let received = ''
  socket.on('data', data => {
    received += data
  })
  const body = JSON.stringify({ fields: DEMO })
  const head = 'POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'
  socket.write(`${head}Content-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`)
  while (!received.includes('100 Continue')) await once(socket, 'data')

  const closed = app.close()
  await closing
  socket.write(`${body}GET /menu/main HTTP/1.1\r\nHost: x\r\n\r\n`)
  await once(socket, 'close')
  const [, login, menu] = received.split(/(?=HTTP\/1.1 )/)
  t.match(login, /^HTTP\/1.1 200 .*"success":true/s)
  t.match(menu, /^HTTP\/1.1 401 .*connection: close/is)
  await t.resolves(closed)
})

/** Searches in a list. */
const search = async ({ getJson }: Example, list: string, query: string, token = '') => {
  const { lines, status } = await getJson(`/screen/${list}?query=${encodeURIComponent(query)}`, token)
  return { names: lines.rows.map(({ values }: { values: string[] }) => values[0]), status, lines }
}

t.test('a search finds a text in any cell, regardless of accents and case', async t => {
  const example = await startExample(t, NO_AUTH)
  for (const name of ['Søren', 'Łódź', 'Đà Nẵng', 'Æsir', 'Straße']) await example.contacts.create(name, { name }, '')
  for (const [found, ...queries] of [
    ['Élodie Tran', 'élodie', 'ELODIE', 'e\u0301lo', '1250', 'élodie\u00a0 tran', ' elodie '],
    ['Bruno Keller', 'tochter', 'KELLER & TÖCH', '02-11-1969'],
    ['Amara Okafor, Chiara Lindqvist', '✓'],
    ['Søren', 'soren', 'SØREN'],
    ['Łódź', 'lodz'],
    ['Đà Nẵng', 'da nang'],
    ['Æsir', 'aesir', 'ÆSIR'],
    ['Straße', 'strasse', 'STRASSE', 'STRAẞE', 'straße']
  ] as const)
    for (const query of queries) {
      const { names, status, lines } = await search(example, 'contacts', query)
      t.strictSame([names.join(', '), status, lines.row_count], [found, undefined, names.length], query)
    }
})

t.test('a list without a query shows all contacts, sorted by name', async t => {
  const example = await startExample(t, NO_AUTH)
  const { names, status, lines } = await search(example, 'contacts', '')
  t.strictSame(names, ['Amara Okafor', 'Bruno Keller', 'Chiara Lindqvist', 'Daniel Mwangi', 'Élodie Tran'])
  t.strictSame([status, lines.row_count], [undefined, 5])
  const indices = lines.rows.map(({ index }: { index: number }) => index)
  t.strictSame(indices, [0, 1, 2, 3, 4])
})

t.test('a search for a value that no row shows finds nothing, and the status says so', async t => {
  const example = await startExample(t, NO_AUTH)
  const nothing = { names: [], status: 'No contacts found.' }
  for (const query of ['nobody', 'true', '1969-11-02', 'amara@harbourlight', 'supplier', '%', '.*', '\u0000'])
    t.match(await search(example, 'contacts', query), nothing, query)
  t.match(await search(example, 'users', 'nobody'), { names: [], status: 'No users found.' })
  const german = await startExample(t, NO_AUTH, GERMAN)
  t.match(await search(german, 'contacts', 'yes'), { names: [], status: 'Keine Kontakte gefunden.' })
  t.match(await search(german, 'users', 'nobody'), { status: 'Keine Benutzer gefunden.' })
})

t.test('a search finds users by username and by display name', async t => {
  const example = await startExample(t)
  const { token } = await example.logIn()
  await example.users.add({ username: 'zoe', displayName: 'Zoë Ångström' }, 'a-password')
  for (const query of ['ZOE', 'zoë', 'angstrom'])
    t.match(await search(example, 'users', query, token), { names: ['zoe'], status: undefined }, query)
})

t.test('an empty list without a query has no status', async t => {
  const example = await startExample(t, NO_AUTH)
  for (const { id, version } of await example.contacts.list()) await example.contacts.delete(id, version)
  t.match(await search(example, 'contacts', ''), { names: [], status: undefined })
})

t.test('a repeated query parameter returns 400', async t => {
  const { get } = await startExample(t, NO_AUTH)
  t.equal((await get('/screen/contacts?query=a&query=b')).statusCode, 400)
})
