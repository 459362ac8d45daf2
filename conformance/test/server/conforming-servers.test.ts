// Conforming servers pass with all profiles and all options.
import t from 'tap'
import { checkServer } from '../../index.ts'
import { conformingReference } from './broken-servers.ts'
import { allOptionsFor } from './check.ts'
import { conforming, type Form, listen, type Parts } from './minimal-server.ts'

const servers: [name: string, Form, Parts, options?: object][] = [
  ['jwt', 'jwt', conforming('jwt', '/deep/base')],
  ['RS256', 'RS256', conforming('RS256')],
  ['ES256', 'ES256', conforming('ES256', '/deep/base')],
  ['opaque', 'opaque', conforming('opaque')],
  ['no-auth', 'no-auth', conforming('no-auth', '/deep/base')],
  ['reference', 'jwt', conformingReference, { reference: true, appName: 'Willkommen' }]
]

for (const [name, form, parts, options] of servers) {
  t.test(`an independent server conforms: ${name}`, async t => {
    const url = await listen(t, form, parts)
    const report = await checkServer(url, { ...allOptionsFor(form), hardening: true, advice: true, ...options })
    const wrong = report.results.filter(
      ({ status, note }) =>
        status === 'failed' || (status === 'skipped' && note !== 'no request of this case is possible here')
    )
    t.strictSame(wrong, [])
    t.equal(report.conforms, true)
  })
}
