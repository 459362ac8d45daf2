// The example server as a whole: the conformance kit, malformed requests, and a failing database.

import fc from 'fast-check'
import type { InjectOptions } from 'fastify'
import t from 'tap'
import { checkServer } from '../../../conformance/index.ts'
import { SetupError } from '../../../examples/server/errors.ts'
import { lists } from '../../../examples/server/lists.ts'
import { type DefinedField, fieldsOf } from '../../../examples/server/records/list.ts'
import { texts } from '../../../examples/server/texts.ts'
import { opaqueTokens } from '../../../lib/index.ts'
import { bearer, SECRET } from '../../helpers.ts'
import { DEMO } from '../process.ts'
import { NO_AUTH, startExample } from './in-process.ts'

t.test('the conformance kit with all profiles finds no fault, and meets no limit', async t => {
  const { app } = await startExample(t)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const protectedPaths = ['profile', 'users', 'password', 'contacts', 'contact?id=1'].map(name => `/screen/${name}`)
  const options = { ...DEMO, secret: SECRET, protected: protectedPaths, hardening: true, advice: true }
  // In seconds, only to end a test that hangs.
  const { results } = await checkServer(url, { ...options, timeout: 120, limit: 600 })
  const faults = results.filter(({ status, reason }) => status !== 'ok' && reason !== 'unseen')
  t.strictSame(faults, [])
})

/** All messages that the server may send about a field, as they stand behind `Error: `. */
function faultsOf({ label, type, validation = {} }: DefinedField): string[] {
  const isOfType = ([key]: [string, unknown]) => !/^[A-Z]/.test(key) || key === type
  const faults = Object.entries(texts.faults).filter(isOfType)
  return faults.map(([, text]) => `${label}: ${text(validation)}.`)
}

t.test('no text, and no refusal with its prefix, is longer than known clients show, or ends with two colons', t => {
  const { client, faults, password, record, ...others } = texts
  const { faults: own, notTheSame, notNew, notChanged, blocked } = password
  const conflicts = [0, 5940, 1e7].map(seconds => record.conflict('amara.okafor@harbourlight.example', seconds))
  const refusals = [...Object.values(own), notTheSame, notNew, notChanged, ...[99, 5940, 86_400].map(blocked)]
  const ofFields = lists.flatMap(fieldsOf).flatMap(faultsOf)
  const all = [...refusals, ...ofFields, ...conflicts, record.notEditable].map(text => `Error: ${text}`)
  JSON.stringify([others, password, record, client.ui_strings, lists.map(({ texts }) => texts)], (_, value) => {
    if (typeof value === 'string') all.push(value)
    return value
  })
  t.ok(all.length > 80)
  const tooLong = all.filter(text => text.length > 42)
  t.strictSame(tooLong, [])
  t.equal(record.conflict('demo', 100), 'Changed by demo 2 min ago.')
  t.equal(record.conflict('', 7200), 'Changed 2 hr ago.')
  const { error_prefix, save_error_prefix, copied } = client.ui_strings
  t.notMatch(`${error_prefix}${save_error_prefix}${copied}`, /\p{P}/u, 'known clients put a colon behind these')
  t.end()
})

for (const [title, error, status, retryAfter] of [
  ['an internal error returns 500', new Error('secret'), 500, undefined],
  ['an unusable database returns 503 with Retry-After', new SetupError('secret'), 503, '5']
] as const)
  t.test(`${title} without details, and the headers of every response`, async t => {
    const { contacts, get } = await startExample(t, NO_AUTH)
    contacts.all = () => Promise.reject(error)
    const { statusCode, headers, body } = await get('/screen/contacts')
    t.strictSame([statusCode, headers['retry-after'], body], [status, retryAfter, ''])
    for (const path of ['/', '/web/app.js', '/menu/main', '/none', '/%zz', '/screen/contacts'])
      t.match((await get(path)).headers, { 'x-content-type-options': 'nosniff', 'content-language': 'en' }, path)
  })

/** Bodies that are not a SaveChangeset. */
const BODIES = [
  '',
  '{',
  '{"changes":{"name":"x"}}x',
  '{"changes":{"name":1e999}}',
  '{"changes":{"__proto__":{"name":"x"}}}',
  '{"changes":{"constructor":{"prototype":{"name":"x"}}}}',
  `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
  `{"changes":{"notes":7,"name":"${'x'.repeat(60_000)}"}}`,
  `{"changes":{"notes":"${'x'.repeat(70_000)}"}}`,
  Buffer.from('{"changes":{"name":"\xff', 'latin1')
]

t.test('no malformed request causes a 5xx or changes data', async t => {
  const { app, contacts, logIn } = await startExample(t, { tokens: opaqueTokens() })
  const { token } = await logIn()
  const before = await contacts.all()
  const statuses = new Set<number>()
  const send = async (request: InjectOptions) => {
    const { statusCode } = await app.inject({ ...request, headers: { ...request.headers, ...bearer(token) } })
    statuses.add(statusCode)
    if (statusCode >= 500) t.fail(`${statusCode}: ${request.url} ${request.payload}`)
  }
  const posts = ['contact/save?id=1&version=1', 'contacts/new?key=00000000-0000-4000-8000-000000000000', 'password']
  for (const path of posts)
    for (const payload of BODIES)
      for (const type of ['application/json', 'text/plain', ';;;'])
        await send({ method: 'POST', url: `/screen/${path}`, payload, headers: { 'content-type': type } })

  const paths = ['contact', 'contacts', 'contacts/new', 'user', 'contact/save', 'contact/delete', 'user/sign-out']
  const value = fc.oneof(
    fc.string({ unit: 'binary' }).map(text => encodeURIComponent(text.toWellFormed())),
    fc.constantFrom('0', '-1', '1.5', '1e3', '01', '9'.repeat(24), '9'.repeat(15), '%ff', '%00', 'x'.repeat(5000))
  )
  const names = fc.subarray(['id', 'query', 'key', 'username', 'version', 'id'])
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...paths), names, value, fc.jsonValue(), async (path, names, value, json) => {
      const url = `/screen/${path}?${names.map(name => `${name}=${value}`).join('&')}`
      await send({ url })
      const headers = { 'content-type': 'application/json' }
      await send({ method: 'POST', url, headers, payload: JSON.stringify({ changes: json }) })
    }),
    { numRuns: 300 }
  )
  t.strictSame(await contacts.all(), before)
  t.equal((await logIn()).success, true, 'the password is the same')
  t.strictSame([...statuses].sort(), [200, 400, 404, 413, 415])
})
