// The command that checks a server.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { conforming, listen, PASSWORD, SECRET, USERNAME } from '../server/minimal-server.ts'
import { run } from './host.ts'

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

t.test('a server that does not conform: exit 1, and the three kinds of reports', async t => {
  const url = await listen(t, 'opaque', { ...conforming('opaque'), missing: () => ({ status: 403 }) })
  const folder = t.testdir()
  const file = (name: string) => join(folder, name)
  const files = ['--json', file('r.json'), '--junit', file('r.xml'), `--markdown=${file('r.md')}`]
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
  const { code, stdout } = await run([url], credentials)
  t.equal(code, 2)
  t.match(stdout, /does not conform: it limits requests/)
})
