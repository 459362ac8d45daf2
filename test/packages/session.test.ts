// Checks the session of screen-auth-client with the conformance kit.

import t from 'tap'
import { Session } from '../../client/index.ts'
import { watchClient } from '../../conformance/index.ts'

t.test('the conformance kit finds no fault in the session', async t => {
  const scenarios = ['login', 'reject-then-login', 'login-then-expire', 'start-again', 'no-auth'] as const
  for (const expect of scenarios) {
    const entered = { username: 'ada', password: ' päss wörd ' }
    const settings = { settle: Number.POSITIVE_INFINITY, timeout: 120, ...entered }
    const { url, report, next } = await watchClient({ expect: [expect], ...settings })
    const tokens = { read: () => 'expired', write() {}, clear() {} }
    const session = new Session({ baseUrl: url, ...(expect === 'start-again' && { tokens }) })
    await session.start()
    for (let i = 0; i < 2; i++) await session.submit(entered)
    for (const path of ['/screen/first', '/screen/second', '/menu/main']) await session.open(path)
    next()
    const { results } = await report
    const faults = results.filter(({ status }) => status !== 'ok')
    t.strictSame(faults, [], expect)
    t.ok(results.some(({ id }) => id === 'asks-for-menu-first'))
  }
})
