import { writeFileSync } from 'node:fs'
import t from 'tap'
import { checkServer } from '../index.ts'
import { partsOf } from './server/broken-parts.ts'
import { brokenServers, everythingFor, failed, optionsFor } from './server/check.ts'
import { conforming, listen } from './server/minimal-server.ts'
const out: unknown[] = []
for (const form of ['jwt', 'RS256', 'ES256', 'opaque', 'no-auth'] as const)
  t.test(`conforming ${form}`, async t => {
    const url = await listen(t, form, conforming(form, '/deep/base'))
    const report = await checkServer(url, { ...everythingFor(form), hardening: true, advice: true })
    console.error('CONF', form, report.conforms, report.duration, report.counts, report.results.filter(r => r.status !== 'ok').map(r => `${r.id} ${r.status} ${r.note ?? ''} ${JSON.stringify(r.failures?.[0]) ?? ''}`))
  })
for (const broken of brokenServers)
  t.test(broken.name, async t => {
    const url = await listen(t, broken.form, partsOf(broken))
    try {
      const report = await checkServer(url, { ...optionsFor(broken.form), ...broken.options, hardening: true, advice: true })
      out.push({ name: broken.name, clause: broken.clause, failed: failed(report).map(r => [r.id, r.clause, r.also ?? [], r.hardening ?? false]) })
    } catch (e) { out.push({ name: broken.name, clause: broken.clause, error: String(e) }) }
  })
t.teardown(() => writeFileSync('/tmp/detect.json', JSON.stringify(out)))
