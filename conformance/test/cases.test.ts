// The cases cover every clause, refer only to clauses that exist, and have a server or client that breaks each of them.
import { existsSync, readFileSync } from 'node:fs'
import t from 'tap'
import { clauses, type Subject } from '../cases.ts'
import { cases } from '../server/cases/define.ts'
import { serverCases } from '../server/cases/index.ts'
import { clientCases } from '../watch/cases.ts'
import { brokenServers } from './server/broken-servers.ts'
import { brokenClients } from './watch/clients.ts'

const all = [...serverCases, ...clientCases]

t.test('each case has a clause, and a MUST case judges each clause, except those of the reference server', async t => {
  for (const id of all.flatMap(({ clause, also = [] }) => [clause, ...also])) t.ok(clauses.has(id), id)
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

const breakable = all.filter(({ level }) => level !== 'OBSERVED')
const GUARDS: Subject[] = ['first request', 'guard']
const LOGINS: Subject[] = ['form', 'login', 'rejection', 'no-auth']

t.test('a broken server or client names each case that can fail or warn', async t => {
  const named = new Set([...brokenServers, ...brokenClients].flatMap(({ ids }) => ids))
  const missing = breakable.filter(({ id }) => !named.has(id))
  const wanted = missing.map(one => {
    if (!('subject' in one)) return `add a client that breaks ${one.id} to test/watch/clients.ts`
    const table = GUARDS.includes(one.subject) ? 'guards' : LOGINS.includes(one.subject) ? 'logins' : 'tokens'
    return `add a server that breaks ${one.id} to test/server/broken-${table}.ts`
  })
  t.strictSame(wanted, [])
  t.equal(named.size + missing.length, breakable.length, 'every named case exists')
})

t.test('the pages state how many cases, broken servers and broken clients there are', async t => {
  const sentence = `its ${breakable.length} MUST and SHOULD cases are tested with ${brokenServers.length} servers and ${brokenClients.length} clients that break them`
  for (const page of ['../docs/checking.md', '../../README.md']) {
    const url = new URL(page, import.meta.url)
    // A copy of this package alone lacks the README above it.
    if (existsSync(url))
      t.ok(readFileSync(url, 'utf8').replaceAll(/\s+/g, ' ').includes(sentence), `${page} states: ${sentence}`)
  }
})
