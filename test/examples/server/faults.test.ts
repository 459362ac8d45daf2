// The responses to an internal error, an unusable database, and requests that no known client sends.

import { createClient } from '@libsql/client'
import fc from 'fast-check'
import type { InjectOptions } from 'fastify'
import t from 'tap'
import { SetupError } from '../../../examples/server/errors.ts'
import { bearer } from '../../helpers.ts'
import { freshDatabase, startServer } from '../process.ts'
import { NO_AUTH, sessionTokens, startExample } from './in-process.ts'

for (const [title, error, status, retryAfter] of [
  ['an internal error returns 500 without details', new Error('secret'), 500, undefined],
  ['an unusable database returns 503 with Retry-After', new SetupError('secret'), 503, '5']
] as const) {
  t.test(title, async t => {
    const { contacts, get } = await startExample(t, NO_AUTH)
    contacts.list = () => Promise.reject(error)
    const { statusCode, headers, body } = await get('/screen/contacts')
    t.strictSame([statusCode, headers['retry-after'], body], [status, retryAfter, ''])
  })
}

t.test('only the log gives the reason why the database is unusable, and requests succeed again afterwards', async t => {
  const { SVC_DATABASE_URL } = freshDatabase(t)
  const server = await startServer(t, { SVC_DATABASE_URL, SVC_AUTH: 'false' })
  const database = createClient({ url: SVC_DATABASE_URL })
  await database.execute('ALTER TABLE contacts RENAME TO away')
  const read = () => fetch(`${server.url}/screen/contacts`)
  const save = () =>
    fetch(`${server.url}/screen/contact/save?id=1&version=1`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"changes":{"company":"typed"}}'
    })
  for (const send of [read, save]) t.equal((await send()).status, 503)
  await server.says(/SVC_DATABASE_URL: cannot use file:\S+users\.db \(SQLITE_ERROR\)/)
  await database.execute('ALTER TABLE away RENAME TO contacts')
  database.close()
  t.match(await (await save()).json(), { status: 'Saved.' })
})

t.test('a 400 names the invalid parameter', async t => {
  const { get } = await startExample(t, NO_AUTH)
  const { statusCode, body } = await get('/screen/contact?id=x')
  t.equal(statusCode, 400)
  t.match(body, /id/)
})

const KEY = '00000000-0000-4000-8000-000000000000'

/** The paths to which clients post changes. */
const POSTS = ['contact/save?id=1&version=1', `contacts/new?key=${KEY}`, 'password']

/** Bodies that are not a SaveChangeset, or not one that can be saved. */
const BODIES = [
  '',
  '{',
  '{"changes":{"name":"x"}}x',
  "{'changes':{'name':'x'}}",
  '1e999',
  '{"changes":{"name":1e999}}',
  '{"changes":{"name":{"toString":"x"}}}',
  '{"changes":{"length":1,"0":"x"}}',
  '{"changes":{"__proto__":{"name":"x"}}}',
  '{"changes":{"constructor":{"prototype":{"name":"x"}}}}',
  '{"__proto__":{"changes":{"name":"x"}}}',
  '{"changes":{"\\ud800":"x","\\udc00":7}}',
  '\ufeff{',
  `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
  `{"changes":${'{"a":'.repeat(9_000)}1${'}'.repeat(9_001)}`,
  `{"changes":{"notes":7,"name":"${'x'.repeat(60_000)}"}}`,
  'changes=name',
  Buffer.from([0xff, 0xfe, 0x7b, 0x7d]),
  Buffer.from('{"changes":{"name":"\xff', 'latin1')
]

const CONTENT_TYPES = ['application/json', 'text/plain', 'application/x-www-form-urlencoded', ';;;', '']

/** Paths and their query parameters. */
const QUERIES: [path: string, ...parameters: string[]][] = [
  ['contact', 'id'],
  ['contacts', 'query'],
  ['contacts/new', 'key'],
  ['user', 'username'],
  ['contact/save', 'id', 'version'],
  ['contact/delete', 'id', 'version'],
  ['user/sign-out', 'username']
]

const values = fc.oneof(
  fc.string({ unit: 'binary' }).map(text => encodeURIComponent(text.toWellFormed())),
  fc.constantFrom('0', '-1', '1.5', '1e3', '01', '9'.repeat(24), '9'.repeat(15), '%ff', '%00', 'x'.repeat(5000)),
  fc.constantFrom("1' OR 1=1", '٣').map(encodeURIComponent)
)

/** URLs with invalid values, with a missing parameter, or with repeated parameters. */
const urls = fc
  .constantFrom(...QUERIES)
  .chain(([path, ...names]) =>
    fc
      .tuple(
        fc.constantFrom(names, names.slice(1), [...names, ...names]),
        fc.array(values, { minLength: 4, maxLength: 4 })
      )
      .map(([names, values]) => `/screen/${path}?${names.map((name, i) => `${name}=${values[i]}`).join('&')}`)
  )

t.test('no malformed request causes a 5xx or changes data', async t => {
  const { app, contacts, logIn } = await startExample(t, { tokens: sessionTokens() })
  const { token } = await logIn()
  const before = await contacts.list()
  const statuses = new Set<number>()
  const send = async (request: InjectOptions, name = '') => {
    const { statusCode } = await app.inject({ ...request, headers: { ...request.headers, ...bearer(token) } })
    statuses.add(statusCode)
    if (statusCode >= 500) t.fail(`${statusCode}: ${request.url} ${name}`)
  }
  for (const path of POSTS)
    for (const payload of BODIES)
      for (const type of CONTENT_TYPES) {
        const headers = type === '' ? {} : { 'content-type': type }
        await send({ method: 'POST', url: `/screen/${path}`, payload, headers }, `${type} ${payload.slice(0, 80)}`)
      }
  const changes = fc.jsonValue().filter(json => json === null || typeof json !== 'object' || Array.isArray(json))
  const wrong = fc.oneof(
    fc.jsonValue(),
    changes.map(changes => ({ changes }))
  )
  await fc.assert(
    fc.asyncProperty(urls, fc.constantFrom(...POSTS), wrong, async (url, path, json) => {
      await send({ url })
      const request = { method: 'POST', headers: { 'content-type': 'application/json' } } as const
      await send({ ...request, url, payload: '{"changes":{"name":"x"}}' })
      await send({ ...request, url: `/screen/${path}`, payload: JSON.stringify(json) })
    }),
    { numRuns: 300 }
  )
  t.strictSame(await contacts.list(), before)
  t.equal((await logIn()).success, true, 'the password is the same')
  t.strictSame([...statuses].sort(), [200, 400, 404, 415])
})

t.test('a body larger than any Card returns 413', async t => {
  const { post } = await startExample(t, NO_AUTH)
  t.match(await post(`/screen/${POSTS[0]}`, { changes: { notes: 'x'.repeat(70_000) } }), { code: 413 })
})

t.test('the largest allowed Card fits into a request, even with escaped characters', async t => {
  const { getJson, save } = await startExample(t, NO_AUTH)
  const { actions } = await getJson('/screen/contact?id=1')
  const changes = { name: '\\'.repeat(100), company: '"'.repeat(100), notes: '\u{1f98a}'.repeat(1000) }
  t.match(await save(actions.save, changes), { code: 200, status: 'Saved.' })
})

t.test('a text that is not UTF-8 is rejected and not stored with other characters', async t => {
  const { app, getJson } = await startExample(t, NO_AUTH)
  const { actions } = await getJson('/screen/contact?id=1')
  const response = await app.inject({
    method: 'POST',
    url: actions.save,
    headers: { 'content-type': 'application/json; charset=latin1' },
    payload: Buffer.from('{"changes":{"company":"Müller"}}', 'latin1')
  })
  t.match(response.json(), { layout: 'Card', status: 'Error: Company: invalid character.' })
})
