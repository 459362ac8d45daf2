// Whether the kit can tell: each client that breaks a clause fails by that clause.
import { readFile } from 'node:fs/promises'
import t from 'tap'
import { brokenClients } from './broken-clients.ts'
import { reportOn } from './report-on.ts'

const reports = await Promise.all(brokenClients.map(({ client, scenario }) => reportOn(client, scenario)))
let found = 0
for (const [index, { name, clause, scenario }] of brokenClients.entries()) {
  t.test(`${clause}: a client that ${name} (${scenario})`, async t => {
    const failed = reports[index]?.results.filter(({ status }) => status === 'failed') ?? []
    const named = failed.flatMap(one => [one.clause, ...(one.also ?? [])])
    if (t.ok(named.includes(clause), `fails ${clause}`, { named })) found++
  })
}

t.test('no broken client passes, and the README says how many there are', async t => {
  const rate = `${found} of ${brokenClients.length} broken clients`
  t.comment(`the kit finds ${rate}`)
  t.equal(found, brokenClients.length)
  t.match(await readFile(new URL('../../../README.md', import.meta.url), 'utf8'), rate)
})
