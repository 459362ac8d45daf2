// Requests that no client of ours sends: each gets a response that is no fault of the server, and changes nothing.

import type { InjectOptions } from 'fastify'
import t from 'tap'
import { bearer } from '../../helpers.ts'
import { sessionTokens, startExample } from './in-process.ts'

const KEY = '00000000-0000-4000-8000-000000000000'

/** Texts that are no SaveChangeset. */
const BODIES = [
  '',
  ' ',
  '{',
  '[]',
  '[[]]',
  'null',
  'true',
  '7',
  '1e999',
  '""',
  '"changes"',
  '{}',
  '{"changes":null}',
  '{"changes":[]}',
  '{"changes":7}',
  '{"changes":"name"}',
  '{"changes":true}',
  '{"changes":{"name":null}}',
  '{"changes":{"name":7}}',
  '{"changes":{"name":1e999}}',
  '{"changes":{"name":true}}',
  '{"changes":{"name":["x"]}}',
  '{"changes":{"name":{"x":"x"}}}',
  '{"changes":{"name":{"toString":"x"}}}',
  '{"changes":{"new_password":["x"]}}',
  '{"changes":{"":7}}',
  '{"changes":{"a\\nb":7}}',
  '{"changes":{"length":1,"0":"x"}}',
  '{"changes":{"__proto__":{"name":"x"}}}',
  '{"changes":{"__proto__":"x"}}',
  '{"changes":{"constructor":{"prototype":{"name":"x"}}}}',
  '{"__proto__":{"changes":{"name":"x"}}}',
  '{"changes":{"\\ud800":"x","\\udc00":7}}',
  '{"Changes":{"name":"x"}}',
  '{"fields":{"name":"x"}}',
  '{"changes":{"name":"x"}',
  "{'changes':{'name':'x'}}",
  '{"changes":{"name":"x"}}x',
  '{"changes":{"name":"\u0000"}}',
  '{"changes":{"name":"\n"}}',
  '\ufeff{',
  `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
  `${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`,
  `{"changes":${'{"a":'.repeat(9_000)}1${'}'.repeat(9_001)}`,
  `{"changes":{${Array.from({ length: 5_000 }, (_, i) => `"${i}":7`).join()}}}`,
  `{"changes":{"notes":7,"name":"${'x'.repeat(60_000)}"}}`,
  'changes=name',
  '<changes/>',
  Buffer.from([0xff, 0xfe, 0x7b, 0x7d]),
  Buffer.from('{"changes":{"name":"\xff', 'latin1')
]

const CONTENT_TYPES = ['application/json', 'text/plain', 'application/x-www-form-urlencoded', ';;;', '']

/** Requests with wrong URLs. */
const URLS = [
  'contact',
  'contact?id=',
  'contact?id=0',
  'contact?id=-1',
  'contact?id=1.5',
  'contact?id=1e3',
  'contact?id=01',
  'contact?id=1&id=2',
  'contact?id=1%00',
  'contact?id=1%27%20OR%201=1',
  'contact?id=999999999999999999999999',
  'contact?id=999999999999999',
  'contact?id=%ff',
  'contact?id[]=1',
  'contact?id=٣',
  'contacts/new?key=',
  'contacts/new?key=x',
  `contacts/new?key=${KEY}&key=${KEY}`,
  `contacts/new?key=${'x'.repeat(5000)}`,
  'user',
  'user?username=',
  'user?username=%00',
  'user?username=%ff',
  'user?username=a&username=b',
  `user?username=${'x'.repeat(5000)}`,
  'user?username=%27%20OR%201=1'
].map(path => `/screen/${path}`)

/** Where a client posts. */
const POSTS = [
  '/screen/contact/save?id=1&version=1',
  `/screen/contacts/new?key=${KEY}`,
  '/screen/password',
  '/screen/contact/save',
  '/screen/contact/save?id=1&version=x',
  '/screen/contact/save?id=99&version=1',
  '/screen/contact/delete?id=x&version=1',
  '/screen/contacts/new',
  '/screen/contacts/add',
  '/screen/user/sign-out',
  '/screen/user/sign-out?username=x&username=demo',
  '/screen/user/sign-out?username=%00'
]

t.test('no request of a stranger is a fault of the server, and none changes anything', async t => {
  const { app, contacts, logIn } = await startExample(t, { tokens: sessionTokens() })
  const { token } = await logIn()
  const before = await contacts.list()
  const statuses = new Set<number>()
  const send = async (request: InjectOptions, name: string) => {
    const { statusCode } = await app.inject({ ...request, headers: { ...request.headers, ...bearer(token) } })
    statuses.add(statusCode)
    if (statusCode >= 500) t.fail(`${statusCode}: ${name}`)
  }
  for (const url of URLS) await send({ url }, url)
  for (const url of POSTS)
    for (const payload of BODIES)
      for (const type of CONTENT_TYPES)
        await send(
          { method: 'POST', url, payload, headers: type === '' ? {} : { 'content-type': type } },
          `${url} ${type} ${payload.toString().slice(0, 80)}`
        )
  t.strictSame(await contacts.list(), before)
  t.equal((await logIn()).success, true, 'the password is the same')
  t.strictSame([...statuses].sort(), [200, 400, 404, 415])
})

t.test('a body that no Card needs is refused before it is read', async t => {
  const { app } = await startExample(t, { enabled: false })
  const payload = JSON.stringify({ changes: { notes: 'x'.repeat(70_000) } })
  const headers = { 'content-type': 'application/json' }
  const response = await app.inject({ method: 'POST', url: POSTS[0] as string, payload, headers })
  t.equal(response.statusCode, 413)
})

t.test('the largest Card that is allowed fits into a request, however it is escaped', async t => {
  const { getJson, post } = await startExample(t, { enabled: false })
  const { actions } = await getJson('/screen/contact?id=1')
  const changes = { name: '\\'.repeat(100), company: '"'.repeat(100), notes: '\u{1f98a}'.repeat(1000) }
  t.match(await post(actions.save, { changes }), { code: 200, status: 'Saved.' })
})

t.test('a text that is no UTF-8 is refused, and not kept with other characters', async t => {
  const { app, getJson } = await startExample(t, { enabled: false })
  const { actions } = await getJson('/screen/contact?id=1')
  const response = await app.inject({
    method: 'POST',
    url: actions.save,
    headers: { 'content-type': 'application/json; charset=latin1' },
    payload: Buffer.from('{"changes":{"company":"Müller"}}', 'latin1')
  })
  t.match(response.json(), { layout: 'Card', status: 'Error: Company: unusable character.' })
})
