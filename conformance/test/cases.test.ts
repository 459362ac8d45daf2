// The cases cover every clause, and refer only to clauses and exchanges that exist.
import t from 'tap'
import { clauses } from '../cases.ts'
import { cases } from '../server/cases/define.ts'
import { exchanges, serverCases } from '../server/cases/index.ts'
import { checkServerOptions } from '../server/options.ts'
import { valuesOf } from '../server/values.ts'
import { clientCases } from '../watch/cases.ts'

const all = [...serverCases, ...clientCases]

const without = (texts: Iterable<string>, others: Iterable<string>) => {
  const known = new Set(others)
  return [...texts].filter(text => !known.has(text))
}

t.test('every clause has a case, and every case a clause', async t => {
  const judged = new Set(all.flatMap(({ clause, also = [] }) => [clause, ...also]))
  t.strictSame(without(clauses.keys(), judged), [])
  t.strictSame(without(judged, clauses.keys()), [])
})

t.test('a MUST case judges each clause, except the clauses of the reference server', async t => {
  const reference = ['5.5', '8 token lifetime', 'SVC_APP_NAME']
  for (const id of clauses.keys()) {
    const levels = all
      .filter(({ clause, also = [], hardening }) => [clause, ...also].includes(id) && !hardening)
      .filter(one => !('needs' in one && one.needs?.includes('reference')))
      .map(({ level }) => level)
    if (reference.includes(id)) t.strictSame([...new Set(levels)], ['OBSERVED'], id)
    else t.ok(levels.includes('MUST'), id)
  }
})

t.test('an id that only the requirements or only the ways have is named', async t => {
  t.throws(() => cases('form', 'form-x MUST 1: A sentence', {}), /the case form-x has no way/)
  t.throws(() => cases('form', '', { 'form-y': { requests: 'form' } }), /the case form-y has no row/)
})

t.test('ids are unique', async t => {
  for (const ids of [serverCases.map(({ id }) => id), clientCases.map(({ id }) => id)])
    t.equal(new Set(ids).size, ids.length)
})

t.test('every exchange that a case names exists and is a request', async t => {
  const options = checkServerOptions('http://host', { username: 'ada', password: 'correct horse' })
  const responses = new Map(
    Object.keys(exchanges).map(name => [name, { body: { token: 'x' }, headers: { etag: 'x' } } as never])
  )
  const values = valuesOf(
    { ...options, expiredToken: 'x', secondPassword: 'x' },
    { token: 'x', issued: new Set(), responses },
    'x'
  )
  const named = serverCases.flatMap(one => one.requests(values)).filter(one => typeof one === 'string')
  t.strictSame(without(named, Object.keys(exchanges)), [])
  for (const make of Object.values(exchanges))
    t.match(make(values), { method: /^(GET|POST)$/, path: /^\/(auth|menu)\// })
})
