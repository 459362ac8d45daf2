// The kit detects each server with one fault, and names its cases.
import t from 'tap'
import { checkServer } from '../../index.ts'
import { brokenGuards } from './broken-guards.ts'
import { brokenLogins } from './broken-logins.ts'
import { brokenTokens } from './broken-tokens.ts'
import { optionsFor } from './check.ts'
import { listen, partsOf } from './minimal-server.ts'

// In parallel, because the kit often waits.
t.test('the cases of each broken server fail or warn', { jobs: 4 }, t => {
  for (const { name, ids, form, prefix, options, change } of [...brokenGuards, ...brokenLogins, ...brokenTokens])
    t.test(name, { buffered: true }, async t => {
      const url = await listen(t, form, partsOf(form, change, prefix))
      const { results } = await checkServer(url, { ...optionsFor(form), hardening: true, advice: true, ...options })
      const found = results.filter(({ status }) => status === 'failed' || status === 'warning').map(({ id }) => id)
      for (const id of ids) t.ok(found.includes(id), id, { found })
    })
  t.end()
})
