// The cases that find a broken server find it in a short run, too. broken-servers.slow.test.ts runs all cases.
import t from 'tap'
import { brokenServers, testBroken, unseen } from './broken-servers.ts'

// Some faults show only after the logins of these cases. The case `lifetime-is-over` waits for more than a minute.
const LOGINS = ['token-admits', 'second-login']
for (const server of brokenServers.filter(({ options }) => options?.lifetime === undefined))
  testBroken(t, server, { only: [...LOGINS, ...server.ids] })

t.test('a broken server shows each cause', async t => {
  t.strictSame([...unseen], [])
})
