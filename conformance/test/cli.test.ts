// The command line: its checks of a server and of a client, its errors and its help.
import { generateKeyPairSync } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import t, { type Test } from 'tap'
import { clientCommand, serverCommand } from '../cli/commands.ts'
import { type Host, main } from '../cli/main.ts'
import { type Form, listen, PASSWORD, type Parts, SECRET, USERNAME } from './server/minimal-server.ts'
import { ENTERED, MinimalClient } from './watch/minimal-client.ts'

/** Fakes the streams, the environment and the signals of a process. */
class FakeHost extends EventEmitter implements Host {
  version = process.version
  readonly env: Record<string, string>
  readonly stdin: PassThrough & { isTTY: boolean }
  readonly stdout: PassThrough & { isTTY: boolean }
  readonly stderr = new PassThrough()
  readonly output = { stdout: '', stderr: '' }

  constructor(env: Record<string, string> = {}, isTTY = false) {
    super()
    this.env = env
    this.stdin = Object.assign(new PassThrough(), { isTTY })
    this.stdout = Object.assign(new PassThrough(), { isTTY })
    for (const name of ['stdout', 'stderr'] as const) {
      this[name].on('data', data => {
        this.output[name] += data
        this.emit('output')
      })
    }
  }

  /** Waits until the standard output matches, and returns the first group of the pattern. */
  async until(pattern: RegExp): Promise<string> {
    for (;;) {
      const found = pattern.exec(this.output.stdout)
      if (found !== null) return found[1] ?? ''
      await new Promise(resolve => this.once('output', resolve))
    }
  }
}

async function run(args: string[], env?: Record<string, string>, host = new FakeHost(env)) {
  const code = await main(args, host)
  // The streams deliver the last output in a later turn.
  await new Promise(setImmediate)
  return { code, ...host.output }
}

async function runOn(t: Test, parts: Partial<Parts>, args: string[], form: Form = 'opaque') {
  const url = await listen(t, form, parts)
  const credentials = { SCREEN_AUTH_USERNAME: USERNAME, SCREEN_AUTH_PASSWORD: PASSWORD }
  return { url, ...(await run([url, ...args], form === 'no-auth' ? {} : credentials)) }
}

async function start(args: string[], host = new FakeHost()) {
  const ended = run(['client', '--timeout', '120', ...args], {}, host)
  return { url: await host.until(/listening on (http:\S+)/), host, ended }
}

const forbidden = { missing: () => ({ status: 403 }) }

t.test('a server that conforms: exit 0, with --verbose one line per case, and no secrets', async t => {
  const { code, stdout, stderr } = await runOn(t, {}, ['--secret', SECRET, '--verbose', '--hardening'], 'jwt')
  t.equal(code, 0, stderr)
  t.match(stdout, / {2}1\/\d+ OK {6}MUST {5}4 rule 1: GET \/menu\/main without .* 401 \(menu-without-token\)\n/)
  t.match(stdout, /\nProfile: core, hardening\. .*\nThe server http:\/\/127.* conforms: \d+ ok, 0 failed/)
  t.match(stdout, /\(jwt-expired\)/)
  t.equal(stderr, '')
  t.notOk([PASSWORD, SECRET].some(secret => stdout.includes(secret)))
})

t.test('a server that does not conform: exit 1, and each kind of report', async t => {
  const folder = t.testdir()
  const files = ['--json', join(folder, 'r.json'), `--junit=${join(folder, 'r.xml')}`, '--html', join(folder, 'r.html')]
  const { url, code, stdout } = await runOn(t, forbidden, ['--only', 'menu-without-token', ...files])
  t.equal(code, 1)
  t.match(
    stdout,
    /^\nOnly the cases of --only were run\.\n.* does not conform.*\n\nFAILED menu-without-token: .*\n {2}cause: .*\n {2}sent: +curl -i --path-as-is 'http:\/\/127\.0\.0\.1:\d+\/menu\/main'\n {2}expected: status 401\n {2}actual: +status 403\n/
  )
  const report = JSON.parse(readFileSync(join(folder, 'r.json'), 'utf8'))
  t.match(report, { side: 'server', conforms: false, target: `${url}/`, results: [{ duration: Number }] })
  t.match(readFileSync(join(folder, 'r.xml'), 'utf8'), /<failure /)
  t.match(readFileSync(join(folder, 'r.html'), 'utf8'), `The server ${url}/ does not conform`)
})

t.test('failures that are known and still occur: exit 0, but the server does not conform', async t => {
  const known = join(t.testdir({ known: '# an old fault\n\nmenu-without-token # no 401 yet\r\n' }), 'known')
  const args = ['--only', 'menu-without-token', '--only', 'form-layout', '--expect-failures', known]
  t.match(await runOn(t, forbidden, args), { code: 0, stdout: / does not conform: .*\n\nKnown: menu-without-token\n/s })
})

t.test('a terminal shows the progress and clears it afterwards; other outputs do not show it', async t => {
  const url = await listen(t, 'no-auth')
  const { stdout } = await run([url, '--no-auth', '--only', '5.7'], {}, new FakeHost({}, true))
  const [first = '', ...others] = stdout.split('\r')
  t.equal(first, '')
  t.equal(others[0], `1/${others.length - 1} `)
  t.match(others.at(-1), '\u001b[K\nOnly the cases')
  t.match((await run([url, '--no-auth'])).stdout, /^\nProfile: core\. --hardening adds/)
})

t.test('an option takes precedence over the environment, and its value may begin with a hyphen', async t => {
  const checks = (username: unknown, password: unknown) => username === USERNAME && password === '-x'
  const { code, stderr } = await runOn(t, { checks }, ['--only', 'token-admits', '--password', '-x'])
  t.equal(code, 0, stderr)
})

t.test('an empty value or variable is an error', async t => {
  t.match(await run(['http://x', '--username', '']), { stderr: /: the value of --username is missing or empty; see/ })
  const { code, stderr } = await run(['http://x'], { SCREEN_AUTH_SECRET: '' })
  t.equal(code, 2)
  t.match(stderr, /: the variable SCREEN_AUTH_SECRET is empty: give it a value, or remove it; see/)
})

t.test('a server that blocks too many checks: exit 2', async t => {
  const reject = () => ({ status: 429, headers: { 'retry-after': '900' } })
  const run = await runOn(t, { reject }, ['--only', 'token-admits', '--only', 'wrong-password'])
  t.match(run, { code: 2, stdout: /could not be judged: it limits requests/ })
})

t.test('the command prints how long it waits for Retry-After', async t => {
  let count = 0
  const form = () => (count++ === 0 ? { status: 503, headers: { 'retry-after': '0' } } : { status: 200 })
  const { stderr } = await runOn(t, { form }, ['--only', 'form-is-public'])
  t.equal(stderr, 'screen-auth-conformance: waiting 0 s, as the server asks with Retry-After\n')
})

t.test('a client that conforms: exit 0, without a signal after the last scenario', async t => {
  const file = join(t.testdir(), 'client.json')
  const given = ['--username', ENTERED.username, '--password', ENTERED.password]
  const { url, ended } = await start(['--expect', 'login', '--verbose', '--json', file, ...given])
  await new MinimalClient(url).use()
  const { code, stdout } = await ended
  t.equal(code, 0)
  t.match(stdout, /\nlogin: Start the client, and log in with .*\. Open an entry of the menu\.\n/)
  t.match(stdout, /OK {6}MUST {5}4 rule 3: /)
  t.match(stdout, `The client ${url} conforms`)
  t.match(JSON.parse(readFileSync(file, 'utf8')), { side: 'client', conforms: true })
})

t.test('at a terminal, Enter ends a scenario, and the next begins', async t => {
  const host = new FakeHost({}, true)
  const { url, ended } = await start(['--expect', 'login-then-expire', '--expect', 'no-auth'], host)
  await host.until(/login-then-expire: Start the client, log in .*\nThen close the client, and press Enter here/)
  await new MinimalClient(url).use()
  host.stdin.write('\n')
  await host.until(/\nno-auth: Start the client\..*\nThen close the client/)
  await new MinimalClient(url).use()
  host.stdin.write('\n')
  const { code, stdout } = await ended
  t.equal(code, 0)
  t.match(stdout, /\nThe client .* conforms: \d+ ok, 0 failed/)
  t.notMatch(stdout, /OK {6}MUST/)
})

t.test('a check that cannot run prints one line, and the report of an earlier run is replaced: exit 2', async t => {
  const url = await listen(t, 'opaque')
  const key = `\ufeff${JSON.stringify(generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }))}`
  const folder = t.testdir({ report: '<testsuite failures="0">', unknown: 'what', key })
  const [earlier, unknown] = [join(folder, 'report'), join(folder, 'unknown')]
  writeFileSync(join(folder, 'UTF-16'), 'form-layout', 'utf16le')
  writeFileSync(join(folder, 'UTF-16 with its mark'), '\ufeffform-layout', 'utf16le')
  const user = ['--username', 'a', '--password', 'b']
  const server = / see screen-auth-conformance --help$/
  const client = / see screen-auth-conformance client --help$/
  const cases: [string[], ...RegExp[]][] = [
    [['http://127.0.0.1:1', ...user, '--key', join(folder, 'key')], /: 127.0.0.1:1 cannot be reached: .*ECONNREFUSED/],
    [[url, '--no-auth', '--only', 'open-login-status', '--json', '/no/such/folder/file'], /cannot be written: ENOENT/],
    [[url, '--no-auth', '--only', 'open-login-status', '--json', '/dev/full'], /cannot be written: /],
    [[url, '--json', earlier.replace(/report$/, './report')], /--json and --junit name the same file/],
    [['client', '--expect', 'login', '--timeout', '0.1'], /no client sent a request within 0.1 s/],
    [[], /the base URL of the service is missing, /, server],
    [['http://x'], /--username and --password are needed/, server],
    [['http://x', '--no-auth', '--expect-failures', unknown], /no case what for --expect-failures;/, server],
    [['http://x', '--key', '/no/such/file'], /the file of --key cannot be read: ENOENT/, server],
    [['http://x', '--toString'], /unknown option '--toString';/, server],
    [['http://x', '--key', join(folder, 'UTF-16')], /the file of --key is in UTF-16, .*: save it as UTF-8/, server],
    [['client', '--expect-failures', join(folder, 'UTF-16 with its mark')], /--expect-failures is in UTF-16/, client],
    [['http://x', '--password'], /; if the value is '--junit', write --password=--junit;/, server],
    [['http://x', '--list=all'], /option '--list' takes no value;/, server],
    [['http://x', 'http://y'], /unexpected argument 'http:\/\/y';/, server],
    [['client', 'http://x'], /unexpected argument 'http:\/\/x';/, client],
    [['client', '--list'], /unknown option '--list';/, client],
    [['client', '--expect', 'what'], /there is no scenario what for --expect, only .*login-then-expire/, client],
    [['client', '--expect-failures', unknown], /there is no case what for --expect-failures;/, client],
    [['client', '--timeout', 'soon'], /--timeout must be a number of seconds/, client],
    [['client', '--port', '-1'], /--port must be a whole number/, client],
    [['client', '--port', new URL(url).port], /the server cannot start: .*EADDRINUSE/],
    [['client', '--host', 'phone'], /--host must be an IP address of this machine, .*: phone;/, client],
    [['client', '--host', '192.0.2.1'], /--host 192.0.2.1 is not an address of this machine;/, client]
  ]
  for (const isTTY of [false, true]) {
    for (const [args, ...messages] of cases) {
      const { code, stderr } = await run([...args, '--junit', earlier], {}, new FakeHost({}, isTTY))
      t.equal(code, 2, args.join(' '))
      t.match(stderr, /^screen-auth-conformance: [^\n]+\n$/)
      for (const message of messages) t.match(stderr.trim(), message)
      t.match(readFileSync(earlier, 'utf8'), `errors="1"`)
    }
  }
})

t.test('on an older Node, and after an error in the kit, the report says so: exit 2', async t => {
  const [old, crash] = [new FakeHost(), new FakeHost()]
  old.version = 'v20.18.3'
  crash.stdout.write = () => {
    throw new TypeError('with a secret')
  }
  for (const [host, message] of [
    [old, /Node 20\.19 or later is needed, this is v20\.18\.3/],
    [crash, /an error in the kit, please report it: TypeError/]
  ] as const) {
    const file = join(t.testdir(), 'report')
    const { code, stderr } = await run(['--list', '--json', file], {}, host)
    t.match({ code, stderr }, { code: 2, stderr: message })
    t.notMatch(stderr, /with a secret/)
    t.match(JSON.parse(readFileSync(file, 'utf8')), { asExpected: false, obstacle: message })
  }
})

t.test('until a run ends, its report says that the run did not end', async t => {
  const file = join(t.testdir(), 'r.xml')
  let seen = ''
  const missing = () => {
    seen = readFileSync(file, 'utf8')
    return { status: 401 }
  }
  await runOn(t, { missing }, ['--only', 'menu-without-token', '--junit', file])
  t.match(seen, '<error message="the run did not end"')
  t.match(readFileSync(file, 'utf8'), 'errors="0"')
})

t.test('a signal ends a run while it waits for a response', async t => {
  const host = new FakeHost({ SCREEN_AUTH_USERNAME: USERNAME, SCREEN_AUTH_PASSWORD: PASSWORD })
  const missing = () => ({ status: host.emit('SIGTERM') ? 401 : 500 })
  const url = await listen(t, 'opaque', { missing })
  t.match(await run([url], {}, host), { code: 2, stdout: '', stderr: /: the run did not end: SIGTERM stopped it\n$/ })
})

t.test('the list of cases and the version need no server', async t => {
  const { code, stdout } = await run(['--list'])
  t.equal(code, 0)
  t.match(stdout, /^menu-without-token +MUST +core +4 rule 1: GET \/menu\/main/)
  t.match(stdout, /\nchallenge +SHOULD +advice +7 missing token: /)
  for (const flag of ['--version', '-V'])
    t.match(await run([flag]), { code: 0, stdout: /^\d+\.\d+\.\d+\n$/, stderr: '' })
})

t.test('the help has the usage, and each option with its default and its variable', async t => {
  for (const [{ name, options, notes }, ...lines] of [
    [
      serverCommand,
      /\n {7}screen-auth-conformance client \[options\]\n/,
      /--timeout <seconds> .*\(default: 10\)\n/,
      /--only <id> .*\(may be repeated\)\n/,
      /--password <password> .*\(env: SCREEN_AUTH_PASSWORD\)\n/,
      /--public-key <file> /,
      /-h, --help /
    ],
    [clientCommand, /--timeout <seconds> .*\(default: 15, at a terminal 300\)\n/]
  ] as const) {
    const { code, stdout, stderr } = await run([...name.split(' ').slice(1), '-h'])
    t.match({ code, stderr }, { code: 0, stderr: '' })
    t.ok(stdout.startsWith(`Usage: ${name} [options]`) && stdout.endsWith(`\n\n${notes.at(-1)}\n`))
    for (const line of lines) t.match(stdout, line)
    for (const { help } of Object.values(options)) t.match(stdout, help)
  }
})
