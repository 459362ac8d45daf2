// What the command line says without a check: its errors, its help, its version and the list of cases.
import { join } from 'node:path'
import t from 'tap'
import { clientCommand, serverCommand } from '../../../conformance/cli/commands.ts'
import { conforming, listen } from '../server/minimal-server.ts'
import { run } from './host.ts'

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
  const cases: [string[], RegExp][] = [
    [[], /the base URL of the service is missing, .*; see screen-auth-conformance --help\n$/],
    [['http://x'], /--username and --password are needed.*; see screen-auth-conformance --help\n$/],
    [['http://x', '--timeout', 'soon', '--no-auth'], /--timeout must be a number of seconds.*--help\n$/],
    [['http://x', '--no-auth', '--only', 'what'], /there is no case what for --only.*--help\n$/],
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
    [['client', '--port', 'high'], /--port must be a whole number/],
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
    t.match(stdout, /\nExit status: 0 conforms, 1 does not, 2 could not be run\.\n$/)
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
