// The command line, as a person or a CI system starts it.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { outsideTap } from '../helpers.ts'
import { BareClient, ENTERED } from './bare-client.ts'
import { conforming, listen, PASSWORD, SECRET, USERNAME } from './bare-server.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { PATH = '', HOME = '' } = process.env
const folder = await mkdtemp(join(tmpdir(), 'conformance-'))
t.teardown(() => rm(folder, { recursive: true, force: true }))

function start(args: string[], env: Record<string, string> = {}): ChildProcess {
  const command = ['--import', 'tsx', 'conformance/cli.ts', ...args]
  return spawn(...outsideTap(process.execPath, command), {
    cwd: root,
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe']
  })
}

async function end(child: ChildProcess): Promise<{ code: number; stdout: string; stderr: string }> {
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

const run = (args: string[], env?: Record<string, string>) => end(start(args, env))
const credentials = { SCREEN_AUTH_USERNAME: USERNAME, SCREEN_AUTH_PASSWORD: PASSWORD }

t.test('a server that conforms: exit 0, a line a case, no colours, and nothing secret', async t => {
  const url = await listen(t, 'jwt', conforming('jwt', '/base'))
  const { code, stdout, stderr } = await run([url], { ...credentials, SCREEN_AUTH_SECRET: SECRET })
  t.equal(code, 0, stderr)
  t.match(
    stdout,
    / {2}1\/\d+ OK {6}MUST {5}4 rule 1: GET \/menu\/main without a token is answered 401 \(menu-without-token\)\n/
  )
  t.match(stdout, /\nThe server http:\/\/127.* conforms: \d+ ok, 0 failed/)
  t.match(stdout, /\(jwt-expired\)/)
  t.equal(stderr, '')
  t.notMatch(stdout, '\u001b[')
  t.notOk([PASSWORD, SECRET].some(secret => stdout.includes(secret)))
})

t.test('a server that does not conform: exit 1, and the three kinds of reports', async t => {
  const url = await listen(t, 'opaque', { ...conforming('opaque'), missing: () => ({ status: 403 }) })
  const file = (name: string) => join(folder, name)
  const files = ['--json', file('r.json'), '--junit', file('r.xml'), '--markdown', file('r.md')]
  const { code, stdout } = await run([url, '--username', USERNAME, '--password', PASSWORD, ...files])
  t.equal(code, 1)
  t.match(
    stdout,
    /FAILED menu-without-token.*contract: 4 rule 1 \(MUST\).*sent: +curl.*expected: status must be 401.*came: +status 403/s
  )
  t.match(stdout, /does not conform/)
  t.match(JSON.parse(await readFile(file('r.json'), 'utf8')), {
    side: 'server',
    conforms: false,
    target: `${url}/`
  })
  t.match(await readFile(file('r.xml'), 'utf8'), /<failure /)
  t.match(await readFile(file('r.md'), 'utf8'), /does not conform/)
})

t.test('the options reach the kit', async t => {
  const url = await listen(t, 'no-auth', conforming('no-auth'))
  const { code, stdout } = await run([
    url,
    '--no-auth',
    '--protected',
    '/a',
    '--protected',
    '/b',
    '--only',
    'open-protected',
    '--only',
    'open-menu'
  ])
  t.equal(code, 0)
  t.match(stdout, /1\/3 .*2\/3 .*\/a .*3\/3 .*\/b /s)
})

t.test('what cannot be run says so in one line: exit 2', async t => {
  const url = await listen(t, 'opaque', conforming('opaque'))
  const cases: [string[], RegExp][] = [
    [[], /^screen-auth-conformance: the base URL of the service is missing/],
    [['http://127.0.0.1:1', '--username', 'a', '--password', 'b'], /cannot be reached: .*ECONNREFUSED/],
    [[url], /--username and --password are needed/],
    [[url, '--username', 'a', '--password', 'b'], /rejected the username and the password/],
    [[url, '--timeout', 'soon', '--no-auth'], /timeout must be a number of seconds/],
    [[url, '--no-auth', '--only', 'what'], /there is no case what/],
    [[url, '--colour'], /unknown option '--colour'/],
    [
      [url, '--no-auth', '--only', 'open-login-status', '--json', join(folder, 'no/such/folder')],
      /cannot be written: ENOENT/
    ],
    [['client', '--expect', 'what'], /there is no scenario what/],
    [['client', '--expect', 'login', '--timeout', '0.1'], /no client came within 0.1 s/]
  ]
  for (const [args, message] of cases) {
    const { code, stderr } = await run(args)
    t.equal(code, 2, args.join(' '))
    t.match(stderr, message)
    t.equal(stderr.trim().split('\n').length, 1)
  }
})

t.test('a server of which too much could not be judged: exit 2', async t => {
  const busy = { status: 429, headers: { 'retry-after': '900' } }
  const url = await listen(t, 'opaque', { ...conforming('opaque'), reject: () => busy })
  const { code, stdout } = await run([url], credentials)
  t.equal(code, 2)
  t.match(stdout, /does not conform: it limits requests/)
})

t.test('whoever reads only the first line gets the reports all the same', async t => {
  const url = await listen(t, 'opaque', conforming('opaque'))
  const file = join(folder, 'head.json')
  const child = start([url, '--json', file], credentials)
  child.stdout?.once('data', () => child.stdout?.destroy())
  const { code, stderr } = await end(child)
  t.equal(code, 0, stderr)
  t.match(JSON.parse(await readFile(file, 'utf8')), { conforms: true })
})

t.test('the list of cases, the version and the help need no server', async t => {
  const list = await run(['--list'])
  t.equal(list.code, 0)
  t.match(list.stdout, /^menu-without-token +MUST +auth +4 rule 1: GET \/menu\/main/)
  t.match(list.stdout, /\nopen-menu +MUST +no-auth /)
  const version = await run(['--version'])
  t.match(version, { code: 0, stdout: /^\d+\.\d+\.\d+\n$/ })
  const help = await run(['--help'])
  t.match(help, { code: 0, stdout: /Exit status: 0 conforms, 1 does not, 2 could not be run/ })
  t.match(help, { stdout: /SCREEN_AUTH_PASSWORD/ })
  t.match(await run(['client', '--help']), { code: 0, stdout: /--expect/ })
})

/** Starts the client kit, and waits until it listens. */
async function startClientKit(
  args: string[]
): Promise<{ url: string; child: ChildProcess; ended: ReturnType<typeof end> }> {
  const child = start(['client', ...args])
  const ended = end(child)
  const url = await new Promise<string>(resolve => {
    let stdout = ''
    child.stdout?.on('data', data => {
      stdout += data
      const [, address] = /listening on (http:\S+)/.exec(stdout) ?? []
      if (address !== undefined) resolve(address)
    })
  })
  return { url, child, ended }
}

t.test('a client that conforms: exit 0', async t => {
  const file = join(folder, 'client.json')
  const { url, ended } = await startClientKit([
    '--expect',
    'login-then-expire',
    '--json',
    file,
    '--username',
    ENTERED.username,
    '--password',
    ENTERED.password
  ])
  await new BareClient(url).use()
  const { code, stdout } = await ended
  t.equal(code, 0)
  t.match(
    stdout,
    /login-then-expire: Start the client and log in, wait two seconds, then open an entry of the menu/
  )
  t.match(stdout, /OK {6}MUST {5}5\.8: /)
  t.match(stdout, `The client ${url} conforms`)
  t.match(JSON.parse(await readFile(file, 'utf8')), { side: 'client', conforms: true })
})

t.test('a client that does not conform: exit 1', async t => {
  const { url, ended } = await startClientKit(['--expect', 'login', '--timeout', '1'])
  await fetch(`${url}/auth/login`)
  const { code, stdout } = await ended
  t.equal(code, 1)
  t.match(stdout, /FAILED asks-for-menu-first/)
})

t.test('a signal ends the scenario, and what was seen is graded', async t => {
  const { url, child, ended } = await startClientKit(['--expect', 'no-auth', '--timeout', '60'])
  await fetch(`${url}/menu/main`)
  const started = performance.now()
  child.kill('SIGTERM')
  const { code } = await ended
  t.ok(performance.now() - started < 1500)
  t.equal(code, 0)
})
