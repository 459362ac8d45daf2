// The built session logs in with Node, Deno and Bun. Deno and Bun are installed from npm.

import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { ADA, host, outsideTap, PASSWORD } from '../helpers.ts'

const run = promisify(execFile)

const program = fileURLToPath(new URL('log-in.js', import.meta.url))

for (const command of [
  ['node'],
  ['npx', '--yes', 'deno@2', 'run', '--allow-net', '--allow-read'],
  ['npx', '--yes', 'bun@1', 'run']
]) {
  t.test(`the session logs in with ${command.join(' ')}`, async t => {
    const app = await host(t)
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    const [file = '', ...args] = [...command, program, url, ADA.username, PASSWORD]
    const { stdout } = await run(...outsideTap(file, args), { timeout: 300_000 })
    t.strictSame(stdout.trim().split('\n'), ['starting', 'login', 'login', 'login', 'login', 'screen: Ada Lovelace'])
  })
}
