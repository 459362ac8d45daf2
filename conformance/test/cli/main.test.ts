// The command line: its checks of a server and of a client, its errors and its help.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { clientCommand, serverCommand } from '../../cli/commands.ts'
import { ENTERED, MinimalClient } from '../client/minimal-client.ts'
import { conforming, listen, PASSWORD, SECRET, USERNAME } from '../server/minimal-server.ts'
import { type Ended, FakeHost, run } from './host.ts'

const credentials = { SCREEN_AUTH_USERNAME: USERNAME, SCREEN_AUTH_PASSWORD: PASSWORD }

t.test('a server that conforms: exit 0, a line a case, and nothing secret', async t => {
  const url = await listen(t, 'jwt', conforming('jwt', '/base'))
  const { code, stdout, stderr } = await run([url, '--secret', SECRET], credentials)
  t.equal(code, 0, stderr)
  t.match(
    stdout,
    / {2}1\/\d+ OK {6}MUST {5}4 rule 1: GET \/menu\/main without a token is answered 401 \(menu-without-token\)\n/
  )
  t.match(stdout, /\nThe server http:\/\/127.* conforms: \d+ ok, 0 failed/)
  t.match(stdout, /\(jwt-expired\)/)
  t.equal(stderr, '')
  t.notOk([PASSWORD, SECRET].some(secret => stdout.includes(secret)))
})

t.test('a server that does not conform: exit 1, and both kinds of reports', async t => {
  const url = await listen(t, 'opaque', { ...conforming('opaque'), missing: () => ({ status: 403 }) })
  const folder = t.testdir()
  const file = (name: string) => join(folder, name)
  const files = ['--json', file('r.json'), `--junit=${file('r.xml')}`]
  const { code, stdout } = await run([
    url,
    '--username',
    USERNAME,
    '--password',
    PASSWORD,
    ...files,
    '--only',
    'menu-without-token'
  ])
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
})

t.test('failures that are known and still there: exit 0, and the server does not conform', async t => {
  const url = await listen(t, 'opaque', { ...conforming('opaque'), missing: () => ({ status: 403 }) })
  const known = join(t.testdir({ known: '# an old fault\n\nmenu-without-token # no 401 yet\r\n' }), 'known')
  const args = [url, '--only', 'menu-without-token', '--only', 'form-layout', '--expect-failures', known]
  const { code, stdout } = await run(args, credentials)
  t.equal(code, 0)
  t.match(stdout, /KNOWN +MUST .*\(menu-without-token\)/)
  t.match(
    stdout,
    /does not conform: it has 1 known failure, and no others in the 2 of \d+ cases that were run/
  )
})

t.test('a known failure that no longer fails, or was not judged: exit 1', async t => {
  const url = await listen(t, 'opaque', conforming('opaque'))
  const known = join(t.testdir({ known: 'form-layout\nform-is-json\n' }), 'known')
  const args = [url, '--exclude', 'form-is-json', '--only', 'form-layout', '--expect-failures', known]
  const { code, stdout } = await run(args, credentials)
  t.equal(code, 1)
  t.match(stdout, /\nFailed: form-layout no longer fails: take it out of --expect-failures\n/)
  t.match(stdout, /\nFailed: form-is-json was not judged: /)
})

t.test('cases that are left out are named, and not run', async t => {
  const url = await listen(t, 'no-auth', conforming('no-auth'))
  const leftOut = ['--exclude', 'open-menu', '--exclude', 'open-login-status']
  const { code, stdout } = await run([url, '--no-auth', ...leftOut])
  t.equal(code, 0)
  t.notMatch(stdout, /\((open-menu|open-login-status)\)/)
  t.match(stdout, /\nNot judged: open-menu, open-login-status: excluded\n/)
  t.match(stdout, /conforms in the (\d+) of \d+ cases that were run: \1 ok/)
})

t.test('the options reach the check', async t => {
  const url = await listen(t, 'no-auth', conforming('no-auth'))
  const routes = ['--protected', '/a', '--protected', '/b']
  const cases = ['--only', 'open-protected', '--only', 'open-menu']
  const { code, stdout } = await run([url, '--no-auth', ...routes, ...cases])
  t.equal(code, 0)
  t.match(stdout, /1\/3 .*2\/3 .*\/a .*3\/3 .*\/b /s)
})

t.test('an option comes before the environment, and its value may begin with a hyphen', async t => {
  const checks = (username: unknown, password: unknown) => username === USERNAME && password === '-x'
  const url = await listen(t, 'opaque', { ...conforming('opaque'), checks })
  const { code, stderr } = await run([url, '--only', 'token-admits', '--password', '-x'], credentials)
  t.equal(code, 0, stderr)
})

t.test('a server of which too much could not be checked: exit 2', async t => {
  const busy = { status: 429, headers: { 'retry-after': '900' } }
  const url = await listen(t, 'opaque', { ...conforming('opaque'), reject: () => busy })
  const { code, stdout } = await run([url, '--only', 'token-admits', '--only', 'wrong-password'], credentials)
  t.equal(code, 2)
  t.match(stdout, /does not conform: it limits requests/)
})

/** Starts the command, and waits until it listens. */
async function start(
  args: string[],
  host = new FakeHost()
): Promise<{ url: string; host: FakeHost; ended: Promise<Ended> }> {
  const ended = run(['client', '--timeout', '120', ...args], {}, host)
  return { url: await host.until(/listening on (http:\S+)/), host, ended }
}

t.test('a client that conforms: exit 0, by itself when all was played', async t => {
  const file = join(t.testdir(), 'client.json')
  const given = ['--username', ENTERED.username, '--password', ENTERED.password]
  const { url, ended } = await start(['--expect', 'login', '--json', file, ...given])
  await new MinimalClient(url).use()
  const { code, stdout } = await ended
  t.equal(code, 0)
  t.match(
    stdout,
    /\nlogin: Start the client and log in, with any username and password\. Open an entry of the menu\.\n/
  )
  t.match(stdout, /OK {6}MUST {5}4 rule 3: /)
  t.match(stdout, `The client ${url} conforms`)
  t.match(JSON.parse(await readFile(file, 'utf8')), { side: 'client', conforms: true })
})

t.test('at a terminal, Enter ends a scenario, and the next begins', async t => {
  const host = new FakeHost({}, true)
  const { url, ended } = await start(['--expect', 'login-then-expire', '--expect', 'no-auth'], host)
  await host.until(/login-then-expire: Start the client, log in .*\nThen close it, and press Enter here/)
  await new MinimalClient(url).use()
  host.stdin.write('\n')
  await host.until(/\nno-auth: Start the client\..*\nThen close it/)
  await new MinimalClient(url).use()
  host.stdin.write('\n')
  const { code, stdout } = await ended
  t.equal(code, 0)
  t.match(stdout, /OK {6}MUST {5}5\.8: /)
})

t.test('a client that does not conform: exit 1', async t => {
  const { url, host, ended } = await start(['--expect', 'login'])
  await fetch(`${url}/auth/login`)
  host.emit('SIGTERM')
  const { code, stdout } = await ended
  t.equal(code, 1)
  t.match(stdout, /FAILED asks-for-menu-first/)
})

t.test('a client may have cases left out, and failures that are known', async t => {
  const known = join(t.testdir({ known: 'asks-for-menu-first' }), 'known')
  const args = ['--exclude', 'fetches-form-on-401', '--expect-failures', known]
  const { url, host, ended } = await start(['--expect', 'login', ...args])
  await fetch(`${url}/auth/login`)
  await new MinimalClient(url).start()
  host.emit('SIGTERM')
  const { code, stdout } = await ended
  t.equal(code, 0)
  t.match(stdout, /KNOWN +MUST .*\(asks-for-menu-first\)/)
  t.notMatch(stdout, /\(fetches-form-on-401\)/)
  t.match(stdout, /does not conform: it has 1 known failure/)
})

t.test('SIGINT ends the scenario, and no other is played', async t => {
  const { url, host, ended } = await start(['--expect', 'no-auth', '--expect', 'login'])
  await fetch(`${url}/menu/main`)
  host.emit('SIGINT')
  const { code, stdout } = await ended
  t.equal(code, 2, 'too little was judged')
  t.notMatch(stdout, /\nlogin: /)
})

t.test('what cannot be run says so in one line: exit 2', async t => {
  const url = await listen(t, 'opaque', conforming('opaque'))
  const credentials = ['--username', 'a', '--password', 'b']
  const cases: [string[], RegExp][] = [
    [['http://127.0.0.1:1', ...credentials], /^screen-auth-conformance: .*cannot be reached: .*ECONNREFUSED/],
    [[url, ...credentials], /rejected the username and the password/],
    [
      [url, '--no-auth', '--only', 'open-login-status', '--json', join(t.testdir(), 'no/such/folder')],
      /cannot be written: ENOENT/
    ],
    [['client', '--expect', 'login', '--timeout', '0.1'], /no client came within 0.1 s/]
  ]
  for (const [args, message] of cases) {
    const { code, stderr } = await run(args)
    t.equal(code, 2, args.join(' '))
    t.match(stderr, message)
    t.equal(stderr.trim().split('\n').length, 1)
  }
})

t.test('a wrong option is named in one line, with the way to the help: exit 2', async t => {
  const unknown = join(t.testdir({ known: 'what' }), 'known')
  const cases: [string[], RegExp][] = [
    [[], /the base URL of the service is missing, .*; see screen-auth-conformance --help\n$/],
    [['http://x'], /--username and --password are needed.*; see screen-auth-conformance --help\n$/],
    [['http://x', '--timeout', 'soon', '--no-auth'], /--timeout must be a number of seconds.*--help\n$/],
    [['http://x', '--no-auth', '--only', 'what'], /there is no case what for --only.*--help\n$/],
    [['http://x', '--no-auth', '--exclude', 'what'], /there is no case what for --exclude.*--help\n$/],
    [['http://x', '--no-auth', '--expect-failures', unknown], /no case what for --expect-failures; see/],
    [['http://x', '--expect-failures', '/no/file'], /--expect-failures cannot be read: ENOENT.*--help\n$/],
    [['http://x', '--key', '/no/such/file'], /the file of --key cannot be read: ENOENT.*--help\n$/],
    [
      ['http://x', '--username', 'a', '--password', 'b', '--lifetime', '0'],
      /--lifetime must be a number of seconds.*--help\n$/
    ],
    [['http://x', '--colour'], /unknown option '--colour'; see screen-auth-conformance --help\n$/],
    [['http://x', '--toString'], /unknown option '--toString'/],
    [['http://x', '-x'], /unknown option '-x'/],
    [['http://x', '--json'], /option '--json <file>' needs a value; see/],
    [['http://x', '--list=all'], /option '--list' takes no value; see/],
    [['http://x', 'http://y'], /unexpected argument 'http:\/\/y'; see/],
    [
      ['client', 'http://x'],
      /unexpected argument 'http:\/\/x'; see screen-auth-conformance client --help\n$/
    ],
    [['client', '--list'], /unknown option '--list'; see screen-auth-conformance client --help\n$/],
    [['client', '--expect', 'what'], /there is no scenario what for --expect, only .*client --help\n$/],
    [['client', '--exclude', 'what'], /there is no case what for --exclude; see .*client --help\n$/],
    [['client', '--expect-failures', unknown], /there is no case what for --expect-failures; see/],
    [['client', '--port', 'high'], /--port must be a whole number/],
    [['client', '--host', 'phone'], /--host must be an IP address of this machine, .*: phone; see/],
    [['client', '--host', '192.0.2.1'], /--host 192.0.2.1 is no address of this machine; see/],
    [['client', '--timeout', '0'], /--timeout must be a number of seconds/]
  ]
  for (const [args, message] of cases) {
    const { code, stdout, stderr } = await run(args)
    t.equal(code, 2, args.join(' '))
    t.match(stderr, message)
    t.match(stderr, /^screen-auth-conformance: [^\n]+\n$/)
    t.equal(stdout, '')
  }
})

t.test('a wrong option is named at a terminal, too', async t => {
  const { code, stderr } = await run(['client', '--port', 'high'], {}, new FakeHost({}, true))
  t.equal(code, 2)
  t.match(stderr, /--port must be a whole number/)
})

t.test('an error that is no fault of the caller is not made a message', async t => {
  const host = new FakeHost()
  host.stdout.write = () => {
    throw new TypeError('broken')
  }
  await t.rejects(run(['--list'], {}, host), new TypeError('broken'))
})

t.test('the list of cases and the version need no server', async t => {
  const { code, stdout } = await run(['--list'])
  t.equal(code, 0)
  t.match(stdout, /^menu-without-token +MUST +auth +4 rule 1: GET \/menu\/main/)
  t.match(stdout, /\nopen-menu +MUST +no-auth /)
  for (const flag of ['--version', '-V']) {
    t.match(await run([flag]), { code: 0, stdout: /^\d+\.\d+\.\d+\n$/, stderr: '' })
  }
})

t.test('the help has the usage, every option, its default and its variable', async t => {
  for (const [command, flag] of [
    [serverCommand, '--help'],
    [clientCommand, '-h']
  ] as const) {
    const { code, stdout, stderr } = await run([...command.name.split(' ').slice(1), flag])
    t.equal(code, 0)
    t.equal(stderr, '')
    t.match(stdout, `Usage: ${command.name} [options]`)
    t.match(
      stdout,
      /\nExit status: 0 conforms, or all its failures are known; 1 does not conform; 2 could not be run\.\n$/
    )
    for (const [name, { help }] of Object.entries(command.options)) {
      const line = stdout.split('\n').find(text => text.includes(`--${name} `)) ?? ''
      t.ok(line.includes(help), name)
    }
  }
  const { stdout } = await run(['--help'])
  t.match(stdout, /\n {7}screen-auth-conformance client \[options\]\n/)
  t.match(stdout, /--timeout <seconds> .*\(default: 10\)\n/)
  t.match(stdout, /--only <id> .*\(may be repeated\)\n/)
  t.match(stdout, /--password <password> .*\(env: SCREEN_AUTH_PASSWORD\)\n/)
  t.match(stdout, /-h, --help /)
  const client = await run(['client', '--help'])
  t.match(client.stdout, /--timeout <seconds> .*\(default: 15, at a terminal 300\)\n/)
})
