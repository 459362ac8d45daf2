// The command that checks a client.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { ENTERED, MinimalClient } from '../client/minimal-client.ts'
import { type Ended, FakeHost, run } from './host.ts'

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
  // Its last request ends the scenario, so that none is late for it.
  await new MinimalClient(url).start()
  const { code, stdout } = await ended
  t.equal(code, 0)
  t.match(stdout, /\nlogin: Start the client and log in, with any username and password\.\n/)
  t.match(stdout, /OK {6}MUST {5}4 rule 3: /)
  t.match(stdout, `The client ${url} conforms`)
  t.match(JSON.parse(await readFile(file, 'utf8')), { side: 'client', conforms: true })
})

t.test('at a terminal, Enter ends a scenario, and the next begins', async t => {
  const host = new FakeHost({}, true)
  const { url, ended } = await start(['--expect', 'login-then-expire', '--expect', 'no-auth'], host)
  await host.until(
    /login-then-expire: Start the client and log in, wait two seconds, then .*\nThen close it, and press Enter here/
  )
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

t.test('SIGINT ends the scenario, and no other is played', async t => {
  const { url, host, ended } = await start(['--expect', 'no-auth', '--expect', 'login'])
  await fetch(`${url}/menu/main`)
  host.emit('SIGINT')
  const { code, stdout } = await ended
  t.equal(code, 0)
  t.notMatch(stdout, /\nlogin: /)
})
