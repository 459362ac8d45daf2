// The kit detects every broken server, and names the clause that the server breaks.
import t from 'tap'
import { checkServer } from '../../index.ts'
import { partsOf } from './broken-parts.ts'
import { brokenServers } from './broken-servers.ts'
import { failed, matchPages, optionsFor } from './check.ts'
import { listen } from './minimal-server.ts'

let found = 0
let foundByCore = 0
for (const broken of brokenServers) {
  t.test(`${broken.clause}: ${broken.name}`, async t => {
    const url = await listen(t, broken.form, partsOf(broken))
    const report = await checkServer(url, { ...optionsFor(broken.form), hardening: true, ...broken.options })
    const named = failed(report).flatMap(({ clause, also = [] }) => [clause, ...also])
    if (t.ok(named.includes(broken.clause), `fails ${broken.clause}`, { named })) found++
    if (failed(report).some(({ hardening }) => !hardening)) foundByCore++
  })
}

t.test('no broken server passes, and the pages state the number of broken servers', async t => {
  const { length } = brokenServers
  t.equal(found, length)
  matchPages(t, `${length} of ${length} broken servers, ${foundByCore} of them with the core cases`)
})
