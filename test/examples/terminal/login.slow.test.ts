// The terminal client with the example server: what a person sees of the contract.
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { SECRET } from '../../helpers.ts'
import { needs } from '../../needs.ts'
import { freshDatabase, post, type Server, startServer } from '../process.ts'
import { folder, Terminal } from './tmux.ts'

/** Where the client keeps the tokens. */
const tokens = (home: string) => join(home, '.local/share/fastify-screen-auth')

function tokenFile(home: string): string {
  const [name = 'none'] = readdirSync(tokens(home))
  return join(tokens(home), name)
}

async function loggedIn(t: Test, url: string, home = folder(t)): Promise<Terminal> {
  const terminal = await Terminal.start(t, url, { home })
  await terminal.logIn()
  await terminal.until(/Main Menu/)
  return terminal
}

/** Starts the server anew where it was. */
function restart(t: Test, { url }: Server, env: Record<string, string>): Promise<Server> {
  return startServer(t, { PORT: new URL(url).port, ...env })
}

if (needs(t, 'tmux')) {
  t.jobs = 3

  t.test('a person logs in, and sees the menu and their name at the top right', async t => {
    const server = await startServer(t, {})
    const terminal = await Terminal.start(t, server.url)
    const form = await terminal.until(/Log in/)
    t.match(form, /^ ?Demo Company/)
    t.match(form, /❯ Username/)
    t.equal(await terminal.variable('cursor_flag'), '1')
    await terminal.logIn()
    const menu = await terminal.until(/Main Menu/)
    t.match(menu, /^ ?Main Menu +Demo User ?$/m)
    t.match(menu, /\[Contacts\]/)
    t.match(menu, /❯ Contacts/)
    t.match(menu, /New contact/)
  })

  t.test('a rejection is shown in the bottom bar, and the username is kept', async t => {
    const server = await startServer(t, {})
    const terminal = await Terminal.start(t, server.url)
    await terminal.logIn('demo', 'wrong-password')
    const form = await terminal.until(/Wrong username or password\./)
    const lines = form.trimEnd().split('\n')
    t.match(lines.at(-2), /Wrong username or password\./)
    t.match(form, /Username +demo$/m)
    t.match(form, /❯ Password$/m)
    t.match(await terminal.screen('-e'), /\[31m.*Wrong username/, 'in red')
    await terminal.enter('demo-password')
    await terminal.until(/Main Menu/)
  })

  t.test('a person whose environment is German reads German', async t => {
    const server = await startServer(t, {})
    const terminal = await Terminal.start(t, server.url, { env: { LC_MESSAGES: 'de_DE.UTF-8' } })
    await terminal.until(/❯ Benutzername/)
    await terminal.press('Enter')
    await terminal.until(/✗ Bitte Benutzername und Passwort eingeben\./)
    await terminal.type('demo\tdemo-password\r')
    await terminal.until(/Hauptmenü/)
    await terminal.press('Right')
    t.match(await terminal.until(/❯ Profil/), /❯ Profil\n +Passwort ändern/)
    t.match(await terminal.screen(), /F1 Hilfe/)
  })

  t.test('after many failures the bottom bar says how long to wait', async t => {
    const server = await startServer(t, {})
    const guesses = Array.from({ length: 10 }, () => ({ username: 'demo', password: 'wrong' }))
    await Promise.all(guesses.map(guess => post(server, '/auth/login', guess)))
    const terminal = await Terminal.start(t, server.url)
    await terminal.logIn()
    await terminal.until(/Too many tries\. Try again in 15 minutes\./)
  })

  t.test('the password is never on the screen, and neither is it cut in two', async t => {
    const server = await startServer(t, {})
    const terminal = await Terminal.start(t, server.url)
    await terminal.logIn('demo', 'geheim👩🏽‍🚀')
    await terminal.until(/Wrong/)
    await terminal.type('geheim👩🏽‍🚀é')
    t.notMatch(await terminal.until(/Password +•{8}$/m), /geheim/)
    await terminal.press('BSpace', 'BSpace')
    await terminal.until(/Password +•{6}$/m)
  })

  t.test('the screens behind the menu', async t => {
    const server = await startServer(t, {})
    const terminal = await loggedIn(t, server.url)

    await terminal.press('Right', 'Enter')
    const profile = await terminal.until(/Member since/)
    t.match(profile, /^ ?Profile +Demo User ?$/m)
    t.match(profile, /Username +demo$/m)
    t.notMatch(profile, /Save/)

    await terminal.press('Escape')
    await terminal.until(/❯ Profile/)
    await terminal.press('Down', 'Enter')
    await terminal.until(/Current password/)
    await terminal.type('demo-password')
    await terminal.press('Down')
    await terminal.type('another-password')
    await terminal.press('Tab')
    await terminal.type('a-third-password')
    await terminal.press('Enter')
    await terminal.until(/✗ The new passwords are not the same\./)

    await terminal.press('Escape')
    await terminal.until(/\[Enter\] Leave/)
    await terminal.press('Enter')
    t.match(await terminal.until(/Main Menu/), /❯ Change password/, 'where the person was')
    await terminal.press('Right', 'Enter')
    const users = await terminal.until(/Display name/)
    t.match(users, /^ ?Users +Demo User ?$/m)
    t.match(users, /Username +Display name\n[ ❯]+demo +Demo User/)
  })

  t.test('the session expires: the login form says so, and a new login works', async t => {
    const database = freshDatabase(t)
    const server = await startServer(t, database)
    const terminal = await loggedIn(t, server.url)
    await server.stop()
    await restart(t, server, database)
    await terminal.press('Enter')
    const form = await terminal.until(/Your session has ended\. Log in again\./)
    t.match(form, /❯ Username$/m)
    t.notMatch(form, /Demo User/)
    t.strictSame(readdirSync(tokens(terminal.home)), [])
    await terminal.logIn()
    await terminal.until(/Main Menu/)
  })

  t.test('a server that is away for a while: the login is kept', async t => {
    const env = { ...freshDatabase(t), SVC_AUTH_SECRET: SECRET }
    const server = await startServer(t, env)
    const terminal = await loggedIn(t, server.url)
    await server.stop()
    await terminal.press('Enter')
    t.match(await terminal.until(/✗ The server cannot be reached\./), /❯ Contacts/)
    await terminal.press('C-c')
    await terminal.until(/code 0/)
    await terminal.startClient(server.url)
    const offline = await terminal.until(/Trying again in \d+ s/)
    t.match(offline, /You stay logged in\./)
    t.match(offline, /^ ?No connection/)
    t.match(offline, /❯ \[ Try again \]/)
    await restart(t, server, env)
    await terminal.until(/Main Menu/)
  })

  t.test('Enter asks a server again at once that was away from the beginning', async t => {
    const server = await startServer(t, {})
    await server.stop()
    const terminal = await Terminal.start(t, server.url)
    t.notMatch(await terminal.until(/cannot be reached/), /You stay logged in/)
    await restart(t, server, freshDatabase(t))
    await terminal.press('Enter')
    await terminal.until(/Username/)
  })

  t.test('without authentication no login is asked for, and there is nothing to log out of', async t => {
    const server = await startServer(t, { SVC_AUTH: 'false' })
    const terminal = await Terminal.start(t, server.url)
    const menu = await terminal.until(/Main Menu/)
    t.notMatch(menu, /log out/)
    await terminal.press('Enter')
    await terminal.until(/Amara/)
    await terminal.press('C-l')
    await terminal.press('Escape')
    await terminal.until(/Main Menu/)
  })

  t.test(
    'the token is kept in a file that only its owner can read, and a second start needs no login',
    async t => {
      const server = await startServer(t, { SVC_AUTH_SECRET: SECRET })
      const home = folder(t)
      const terminal = await Terminal.shell(t, { home })
      await terminal.enter('umask 0')
      await terminal.startClient(server.url)
      await terminal.logIn()
      await terminal.until(/Main Menu/)
      t.equal(statSync(tokenFile(home)).mode & 0o777, 0o600)
      t.equal(statSync(tokens(home)).mode & 0o777, 0o700)
      t.match(readFileSync(tokenFile(home), 'utf8'), /^[\w-]+\.[\w-]+\.[\w-]+$/)
      await terminal.press('C-c')
      await terminal.until(/code 0/)

      const second = await Terminal.start(t, `${server.url}/`, { home })
      await second.until(/Main Menu/)
      await second.press('C-l')
      await second.until(/You are logged out\./)
      t.strictSame(readdirSync(tokens(home)), [])
    }
  )

  t.test('a token that others could read is removed, and so is a link', async t => {
    const server = await startServer(t, { SVC_AUTH_SECRET: SECRET })
    const home = folder(t)
    const terminal = await loggedIn(t, server.url, home)
    const file = tokenFile(home)
    const token = readFileSync(file)
    await terminal.press('C-c')
    await terminal.until(/code 0/)
    chmodSync(file, 0o640)
    await terminal.enter('clear')
    await terminal.startClient(server.url)
    await terminal.until(/Username/)
    t.strictSame(readdirSync(tokens(home)), [])

    await terminal.press('C-c')
    await terminal.until(/code 0/)
    writeFileSync(join(home, 'elsewhere'), token, { mode: 0o600 })
    await terminal.enter(`clear; ln -s ${join(home, 'elsewhere')} ${file}`)
    await terminal.startClient(server.url)
    await terminal.until(/Username/)
    t.strictSame(readdirSync(tokens(home)), [])
    t.strictSame(readFileSync(join(home, 'elsewhere')), token)
  })

  t.test('each server has a token of its own', async t => {
    const [server, other] = await Promise.all([startServer(t, {}), startServer(t, {})])
    const home = folder(t)
    await loggedIn(t, server.url, home)
    const terminal = await Terminal.start(t, other.url, { home })
    await terminal.until(/Username/)
    t.equal(readdirSync(tokens(home)).length, 1)
    await terminal.logIn()
    await terminal.until(/Main Menu/)
    t.equal(readdirSync(tokens(home)).length, 2)
  })

  t.test('a terminal whose session ends leaves the token of another that has logged in since', async t => {
    const database = freshDatabase(t)
    const server = await startServer(t, database)
    const home = folder(t)
    const first = await loggedIn(t, server.url, home)
    await server.stop()
    await restart(t, server, { ...database, SVC_AUTH_SECRET: SECRET })
    await loggedIn(t, server.url, home)
    await first.press('Enter')
    await first.until(/Your session has ended/)
    t.equal(readdirSync(tokens(home)).length, 1)
  })

  t.test(
    'where no token can be kept, the login lasts as long as the program, which says so at its end',
    async t => {
      const server = await startServer(t, {})
      const home = folder(t)
      writeFileSync(join(home, '.local'), 'no folder')
      const terminal = await loggedIn(t, server.url, home)
      await terminal.press('Enter')
      await terminal.until(/Amara/)
      await terminal.press('C-c')
      const end = await terminal.until(/code 0/)
      t.match(end.replaceAll('\n', ''), /The login could not be kept in .*\(E[A-Z]+\)\./)
    }
  )
}
