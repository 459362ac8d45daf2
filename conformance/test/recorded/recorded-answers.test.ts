// The recorded answers: the judge of the kit comes to the recorded verdicts.
import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import { serverCases } from '../../cases.ts'
import { type RecordedRun, replay } from './recorded-run.ts'

const read = (name: string) => JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'))
const file = read('recorded-answers.json')
const runs: RecordedRun[] = file.runs

t.test('the file matches its schema', async t => {
  const validate = new Ajv2020({ strictTypes: false }).compile(read('recorded-answers.schema.json'))
  t.ok(validate(file), JSON.stringify(validate.errors))
})

for (const run of runs) {
  t.test(`the judge agrees: ${run.name}`, async t => {
    t.strictSame(replay(run), run.cases)
  })
}

t.test('every case is recorded that needs nothing which a recorded run does not have', async t => {
  const recorded = new Set(runs.flatMap(({ cases }) => cases.map(({ id }) => id)))
  const rare = ['lifetime', 'expired token']
  t.strictSame(
    serverCases.cases
      .filter(({ id, needs = [] }) => !recorded.has(id) && !needs.some(need => rare.includes(need)))
      .map(({ id }) => id),
    []
  )
})

t.test('every status is recorded', async t => {
  const statuses = new Set(runs.flatMap(({ cases }) => cases.map(({ status }) => status)))
  t.strictSame([...statuses].sort(), ['failed', 'ok', 'skipped', 'warning'])
})
