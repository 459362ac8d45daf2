// The cases as data: no clause without one, and nothing in them that another runner could not read.
import { readdir, readFile } from 'node:fs/promises'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import t from 'tap'
import { clauses, serverCases } from '../cases.ts'
import { clientCases } from '../client/cases.ts'
import { fill } from '../server/prepare-request.ts'

const { contractVersion, dataVersion } = serverCases
const folder = new URL('../', import.meta.url)
const read = (name: string) => readFile(new URL(name, folder), 'utf8')
const all = [...serverCases.cases, ...clientCases]

const without = (texts: Iterable<string>, others: Iterable<string>) => {
  const known = new Set(others)
  return [...texts].filter(text => !known.has(text))
}

t.test('every clause has a case, and every case a clause', async t => {
  const judged = new Set(all.flatMap(({ clause, also = [] }) => [clause, ...also]))
  t.strictSame(without(clauses.keys(), judged), [])
  t.strictSame(without(judged, clauses.keys()), [])
})

t.test('a clause is judged as strictly as the contract puts it, for the reference server too', async t => {
  const reference = ['5.5', '8 token lifetime', 'SVC_APP_NAME']
  for (const id of clauses.keys()) {
    const levels = all
      .filter(({ clause, also = [] }) => [clause, ...also].includes(id))
      .filter(one => !('needs' in one && one.needs?.includes('reference')))
      .map(({ level }) => level)
    if (reference.includes(id)) t.strictSame([...new Set(levels)], ['OBSERVED'], id)
    else t.ok(levels.includes('MUST'), id)
  }
})

t.test('ids are unique', async t => {
  for (const ids of [serverCases.cases, clientCases].map(list => list.map(({ id }: { id: string }) => id))) {
    t.equal(new Set(ids).size, ids.length)
  }
})

/** Formats are asserted: those of the schema of schemas too, so that every pattern and reference must be a valid one. */
const ajv = addFormats.default(new Ajv2020({ strictTypes: false }), { mode: 'full' })

t.test('each file of data matches its schema, and has the versions of contract and data', async t => {
  const files = (await readdir(folder)).filter(
    name => /(?<!schema)\.json$/.test(name) && !/^(package|tsconfig|token)/.test(name)
  )
  t.ok(files.length >= 2)
  for (const name of files) {
    const data = JSON.parse(await read(name))
    t.match(data, { contractVersion, dataVersion }, name)
    const schema = JSON.parse(await read(name.replace('.json', '.schema.json')))
    t.equal(schema.$id, `urn:screen-service-auth:${contractVersion}:${name.replace('.json', '')}`)
    t.match(schema.$comment, `Contract version ${contractVersion}, data version ${dataVersion}`)
    const validate = ajv.compile(schema)
    t.ok(validate(data), `${name}: ${JSON.stringify(validate.errors)}`)
  }
})

t.test('every expectation is a valid schema, before and after its placeholders have values', async t => {
  const isSchema = ajv.compile({ $ref: 'https://json-schema.org/draft/2020-12/schema' })
  for (const { id, given = true, expectation = true } of serverCases.cases) {
    for (const schema of [given, expectation]) {
      t.ok(isSchema(schema), `${id}: ${JSON.stringify(isSchema.errors)}`)
      t.ok(isSchema(fill(schema, () => '(a [value] of {any} kind')), id)
    }
  }
})

t.test('every exchange that a case names is there, and every one is used', async t => {
  const text = JSON.stringify(serverCases.cases)
  const named = serverCases.cases.flatMap(({ requests }) => requests).filter(one => typeof one === 'string')
  t.strictSame(without(named, Object.keys(serverCases.exchanges)), [])
  // These tell wrong credentials from a server that does not know an AuthRequest.
  const asked = ['credentials without fields', 'credentials as a form']
  t.strictSame(
    Object.keys(serverCases.exchanges).filter(name => !text.includes(name)),
    asked
  )
})

t.test('the shared parts of expectations have no placeholders: they are compiled once', async t => {
  t.notMatch(JSON.stringify(serverCases.$defs), '{{')
})
