// A run with all cases finds each broken server.
import t from 'tap'
import { brokenServers, testBroken } from './broken-servers.ts'

// In parallel, because the kit often waits.
t.test('the cases of each broken server fail or warn', { jobs: 4 }, async t => {
  for (const server of brokenServers) testBroken(t, server, { hardening: true, advice: true })
})
