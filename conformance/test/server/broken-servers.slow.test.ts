// Whether the kit can tell: servers that conform pass, and each that breaks a clause fails by that clause.
import t from 'tap'
import { checkServer } from '../../index.ts'
import { partsOf } from './broken-parts.ts'
import { conformingReference } from './broken-tokens.ts'
import { brokenServers, everythingFor, failed, matchPages, optionsFor } from './check.ts'
import { conforming, listen } from './minimal-server.ts'

for (const form of ['jwt', 'RS256', 'ES256', 'opaque', 'no-auth'] as const) {
  for (const prefix of ['', '/deep/base']) {
    t.test(`an independent server conforms: ${form} at ${prefix}/`, async t => {
      const url = await listen(t, form, conforming(form, prefix))
      const report = await checkServer(url, everythingFor(form))
      t.strictSame(
        report.results.filter(
          ({ status, note }) =>
            status === 'failed' || (status === 'skipped' && note !== 'none of its requests is possible here')
        ),
        []
      )
      t.equal(report.conforms, true)
    })
  }
}

t.test('a reference server conforms', async t => {
  const url = await listen(t, 'jwt', conformingReference)
  const report = await checkServer(url, { ...optionsFor('jwt'), reference: true, appName: 'Willkommen' })
  t.equal(report.conforms, true)
})

let found = 0
for (const broken of brokenServers) {
  t.test(`${broken.clause}: ${broken.name}`, async t => {
    const url = await listen(t, broken.form, partsOf(broken))
    const report = await checkServer(url, { ...optionsFor(broken.form), ...broken.options })
    const named = failed(report).flatMap(({ clause, also = [] }) => [clause, ...also])
    if (t.ok(named.includes(broken.clause), `fails ${broken.clause}`, { named })) found++
  })
}

t.test('no broken server passes, and the pages about it say how many there are', async t => {
  const rate = `${found} of ${brokenServers.length} broken servers`
  t.comment(`the kit finds ${rate}`)
  t.equal(found, brokenServers.length)
  matchPages(t, rate)
})
