// Whether the kit can tell: servers that conform pass, and each that breaks a clause fails by that clause.
import { readFile } from 'node:fs/promises'
import t from 'tap'
import { checkServer } from '../../conformance/index.ts'
import { conforming, type Form, listen, PASSWORD, SECRET, USERNAME } from './bare-server.ts'
import { mutants, mutated } from './server-mutants.ts'

const optionsFor = (form: Form) => ({
  ...(form === 'no-auth' ? { noAuth: true } : { username: USERNAME, password: PASSWORD }),
  ...(form === 'jwt' && { secret: SECRET })
})

for (const form of ['jwt', 'opaque', 'no-auth'] as const) {
  for (const prefix of ['', '/deep/base']) {
    t.test(`an independent server conforms: ${form} at ${prefix}/`, async t => {
      const url = await listen(t, form, conforming(form, prefix))
      const report = await checkServer(url, optionsFor(form))
      t.strictSame(
        report.results.filter(({ status }) => status === 'failed' || status === 'skipped'),
        []
      )
      t.equal(report.conforms, true)
    })
  }
}

let killed = 0
for (const mutant of mutants) {
  t.test(`${mutant.clause}: ${mutant.name}`, async t => {
    const url = await listen(t, mutant.form, mutated(mutant))
    const { results } = await checkServer(url, optionsFor(mutant.form))
    const failed = results.filter(({ status }) => status === 'failed')
    const named = failed.flatMap(({ clause, also = [] }) => [clause, ...also])
    if (t.ok(named.includes(mutant.clause), `fails ${mutant.clause}`, { named })) killed++
  })
}

t.test('no mutant survives, and the README says how many there are', async t => {
  const rate = `${killed} of ${mutants.length} broken servers`
  t.comment(`the kit finds ${rate}`)
  t.equal(killed, mutants.length)
  t.match(await readFile(new URL('../../README.md', import.meta.url), 'utf8'), rate)
})
