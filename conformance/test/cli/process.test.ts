// The command line as a process of its own: what only a process has, its environment, its pipes and its signals.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { conforming, listen, PASSWORD, SECRET, USERNAME } from '../server/minimal-server.ts'
import type { Ended } from './host.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** The command line of a program that tap must not instrument. */
const outsideTap = (command: string, args: string[]): [string, string[]] => [
  'env',
  ['-u', 'NODE_OPTIONS', command, ...args]
]
const { PATH = '', HOME = '' } = process.env
const credentials = { SCREEN_AUTH_USERNAME: USERNAME, SCREEN_AUTH_PASSWORD: PASSWORD }

function start(t: Test, args: string[], env: Record<string, string> = {}): ChildProcess {
  const command = ['--import', 'tsx', 'cli.ts', ...args]
  const child = spawn(...outsideTap(process.execPath, command), {
    cwd: root,
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  t.teardown(() => child.kill('SIGKILL'))
  return child
}

async function end(child: ChildProcess): Promise<Ended> {
  const output = { stdout: '', stderr: '' }
  child.stdout?.on('data', data => {
    output.stdout += data
  })
  child.stderr?.on('data', data => {
    output.stderr += data
  })
  const [code] = await once(child, 'close')
  return { code, ...output }
}

t.test('credentials and secret come from the environment, and a pipe gets no colours', async t => {
  const url = await listen(t, 'jwt', conforming('jwt', '/base'))
  const { code, stdout, stderr } = await end(start(t, [url], { ...credentials, SCREEN_AUTH_SECRET: SECRET }))
  t.equal(code, 0, stderr)
  t.match(stdout, /\nThe server http:\/\/127.* conforms: \d+ ok, 0 failed/)
  t.match(stdout, /\(jwt-expired\)/)
  t.equal(stderr, '')
  t.notMatch(stdout, '\u001b[')
})

t.test('a reader of the first line only does not cost the reports and the exit status', async t => {
  const url = await listen(t, 'opaque', conforming('opaque'))
  const file = join(t.testdir(), 'head.json')
  const child = start(t, [url, '--json', file], credentials)
  child.stdout?.once('data', () => child.stdout?.destroy())
  const { code, stderr } = await end(child)
  t.equal(code, 0, stderr)
  t.match(JSON.parse(await readFile(file, 'utf8')), { conforms: true })
})

t.test('a signal ends the scenario, and the requests so far are graded', async t => {
  const child = start(t, ['client', '--expect', 'login', '--timeout', '600'])
  const ended = end(child)
  const url = await new Promise<string>(resolve => {
    let stdout = ''
    child.stdout?.on('data', data => {
      stdout += data
      const [, address] = /listening on (http:\S+)/.exec(stdout) ?? []
      if (address !== undefined) resolve(address)
    })
  })
  await fetch(`${url}/menu/main`)
  child.kill('SIGTERM')
  const { code, stdout } = await ended
  t.equal(code, 1)
  t.match(stdout, /OK .*\(asks-for-menu-first\)/)
  t.match(stdout, /FAILED .*\(fetches-form-on-401\)/)
})
