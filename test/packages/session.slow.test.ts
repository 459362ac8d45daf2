// The session of screen-auth-client: the conformance kit finds no fault, and the built session runs on other platforms.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import { Session } from '../../client/index.ts'
import { watchClient } from '../../conformance/index.ts'
import { ADA, host, outsideTap, PASSWORD } from '../helpers.ts'

const run = promisify(execFile)

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

/** Logs in, and prints the states of the session. The built package is found by its name. */
const LOG_IN = `
  import { Session } from 'screen-auth-client'
  const session = new Session({ baseUrl: URL_OF_SERVER })
  session.subscribe(({ name, displayName }) => console.log(name + (name === 'screen' ? ': ' + displayName : '')))
  await session.start()
  await session.submit({ username: '${ADA.username}', password: '${PASSWORD}' })`

// Deno and Bun are installed from npm.
for (const command of [
  ['node', '--input-type=module', '--eval'],
  ['npx', '--yes', 'deno@2', 'eval'],
  ['npx', '--yes', 'bun@1', '--eval']
]) {
  t.test(`the session logs in with ${command.slice(0, 3).join(' ')}`, async t => {
    const app = await host(t)
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    const [file = '', ...args] = [...command, LOG_IN.replace('URL_OF_SERVER', `'${url}'`)]
    const { stdout } = await run(...outsideTap(file, args), { timeout: 300_000 })
    t.strictSame(stdout.trim().split('\n'), ['starting', 'login', 'login', 'login', 'screen: Ada Lovelace'])
  })
}
