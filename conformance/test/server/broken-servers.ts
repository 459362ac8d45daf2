import type { Test } from 'tap'
import { type CheckServerOptions, checkServer } from '../../index.ts'
import type { BrokenServer } from './broken.ts'
import { brokenGuards } from './broken-guards.ts'
import { brokenLogins } from './broken-logins.ts'
import { brokenTokens } from './broken-tokens.ts'
import { optionsFor } from './check.ts'
import { listen, partsOf } from './minimal-server.ts'

export const brokenServers = [...brokenGuards, ...brokenLogins, ...brokenTokens]

/** Tests that the cases of a broken server fail or warn. */
export function testBroken(
  t: Test,
  { name, ids, form, prefix, change, options }: BrokenServer,
  selection: CheckServerOptions
) {
  t.test(name, { buffered: true }, async t => {
    const url = await listen(t, form, partsOf(form, change, prefix))
    const { results } = await checkServer(url, { ...optionsFor(form), ...options, ...selection })
    const found = results.filter(({ status }) => status === 'failed' || status === 'warning').map(({ id }) => id)
    for (const id of ids) t.ok(found.includes(id), id, { found })
  })
}
