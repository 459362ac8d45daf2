// The terminal client with the reference server, with a malicious server, and with the conformance kit for clients.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { type Scenario, watchClient } from '../../../conformance/index.ts'
import { outsideTap } from '../../helpers.ts'
import { needs } from '../../needs.ts'
import { startServer } from '../process.ts'
import { CLIENT, folder, Terminal } from './tmux.ts'

const SECRET = 'secret-of-the-terminal-client-tests'

async function loggedIn(t: Test, options = {}) {
  const server = await startServer(t, { SVC_AUTH_SECRET: SECRET })
  const terminal = await Terminal.start(t, server.url, options)
  await terminal.logIn()
  await terminal.until(/Main Menu – Demo User/)
  return { server, terminal }
}

/** Starts the client with a server without a login, whose menu is this screen. */
async function at(t: Test, screen: object): Promise<Terminal> {
  const server = createServer((_request, response) => response.end(JSON.stringify(screen)))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => server.close())
  return Terminal.start(t, `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
}

const ENTERED = { username: 'grace', password: ' cobol 60 ' }

const openFirst = async (terminal: Terminal) => {
  await terminal.until(/● Open the first screen/)
  await terminal.press('Enter')
}

const enterGrace = async (terminal: Terminal) => {
  await terminal.until(/◆ {2}Benutzername/)
  await terminal.enter(ENTERED.username)
  await terminal.until(/◆ {2}Kennwort/)
  await terminal.enter(ENTERED.password)
}

/** The user's actions in each scenario. */
const ACTIONS: Partial<Record<Scenario, (terminal: Terminal) => Promise<unknown>>> = {
  'reject-then-login': async terminal => {
    await enterGrace(terminal)
    await terminal.until(/Unbekannter Benutzer/)
    await terminal.enter()
    await terminal.until(/◆ {2}Kennwort/)
    await terminal.enter(ENTERED.password)
    await openFirst(terminal)
    await terminal.until(/screen\/first/)
  },
  'login-then-expire': async terminal => {
    await enterGrace(terminal)
    await openFirst(terminal)
    await terminal.until(/Your session has ended/)
    await enterGrace(terminal)
    await terminal.until(/screen\/first/)
    await terminal.choose('Back')
    await terminal.choose('Open the second screen')
    await terminal.until(/screen\/second/)
  },
  'start-again': async terminal => {
    await enterGrace(terminal)
    await openFirst(terminal)
    await terminal.until(/screen\/first/)
  },
  'no-auth': async terminal => {
    await openFirst(terminal)
    await terminal.until(/screen\/first/)
  }
}

if (needs(t, 'tmux')) {
  t.jobs = 3

  t.test('a contact can be found in the list, changed, saved and deleted', async t => {
    const { terminal } = await loggedIn(t)
    await terminal.choose('Contacts')
    await terminal.until(/Contacts – Demo User[\s\S]*Bruno Keller/)
    await terminal.choose('Search')
    await terminal.until(/◆ {2}Search/)
    await terminal.enter('bruno')
    await terminal.until(screen => /◆ {2}What next\?\s+│ {2}● Bruno Keller/.test(screen))
    await terminal.choose('Bruno Keller')
    await terminal.until(/Bruno Keller – Demo User/)
    await terminal.choose('Name')
    await terminal.until(/◆ {2}Name/)
    await terminal.press('Escape')
    await terminal.choose('Category')
    await terminal.choose('Friend')
    await terminal.choose('Company')
    await terminal.until(/◆ {2}Company/)
    await terminal.enter(' and more')
    await terminal.choose('Save')
    await terminal.until(/Saved\.[\s\S]*Company: Keller & Töchter and more\s+│ {2}○ Category: Friend/)
    await terminal.choose('Delete')
    await terminal.until(/◆ {2}Delete/)
    await terminal.press('Left', 'Enter')
    await terminal.until(/Contacts – Demo User[\s\S]*Deleted/)
  })

  t.test('the client shows an error for a rejected value and keeps the input', async t => {
    const { terminal } = await loggedIn(t)
    await terminal.choose('New contact')
    await terminal.until(/◆ {2}What next/)
    await terminal.choose('Website')
    await terminal.until(/◆ {2}Website/)
    await terminal.enter('nowhere')
    await terminal.choose('Save')
    await terminal.until(/■ .*\S[\s\S]*Website: nowhere/)
    await terminal.press('C-c')
    await terminal.until(/◆ {2}Leave without saving/)
    await terminal.press('Left', 'Enter')
    await terminal.until(/code 0/)
  })

  t.test('a login form with buttons asks for the button after the fields', async t => {
    const screen_actions = [{ id: 'forgot', label: 'Forgot password?', kind: 'simple', endpoint: '/forgot' }]
    const sections = [{ fields: [{ id: 'username', label: 'Username', type: 'Text' }] }]
    const response = { success: true, message: 'We sent you a mail.' }
    const form = { layout: 'Card', auth_action: '/auth/login', sections, screen_actions, ...response }
    const terminal = await at(t, form)
    await terminal.until(/◆ {2}Username/)
    await terminal.enter('demo')
    await terminal.choose('Forgot')
    await terminal.until(/We sent you a mail[\s\S]*◆ {2}Username\s+│ {2}demo/)
  })

  t.test('only its owner can read the saved token, and a logout removes it', async t => {
    const home = folder(t)
    const { server, terminal } = await loggedIn(t, { home })
    await terminal.press('C-c')
    await terminal.until(/code 0/)
    const data = join(home, '.local/share/fastify-screen-auth')
    const [name = ''] = readdirSync(data)
    t.equal(statSync(join(data, name)).mode & 0o777, 0o600)
    t.match(readFileSync(join(data, name), 'utf8'), /^eyJ/)

    const again = await Terminal.start(t, server.url, { home })
    await again.until(/Main Menu – Demo User/)
    await again.choose('Log out')
    await again.until(/You are logged out\.[\s\S]*◆ {2}Username/)
    t.strictSame(readdirSync(data), [])
  })

  t.test('the client shows German with a German locale', async t => {
    const { url } = await startServer(t, { SVC_AUTH_SECRET: SECRET })
    const terminal = await Terminal.start(t, url, { lang: 'de_DE.UTF-8' })
    await terminal.until(/◆ {2}Benutzername/)
  })

  t.test('control characters in the texts of a server are removed', async t => {
    const evil = '\u001b]0;owned\u0007\u001b[2J\u202eevil\r\nnext'
    const items = [{ label: evil, action: { type: 'message', text: evil } }]
    const terminal = await at(t, { layout: 'Menu', title: evil, menu: { tabs: [{ label: evil, items }] } })
    await terminal.until(/● \]0;owned\[2Jevil next/)
    await terminal.press('Enter')
    const screen = await terminal.until(/\]0;owned\[2Jevil next[\s\S]*\]0;owned\[2Jevil next[\s\S]*◆/)
    for (const control of ['\u001b', '\u0007', '\u202e']) t.notOk(screen.includes(control))
  })

  t.test('the client offers to try again if the server cannot be reached', async t => {
    const terminal = await Terminal.start(t, 'http://127.0.0.1:1')
    await terminal.until(/The server cannot be reached\.[\s\S]*● Try again/)
    await terminal.choose('Quit')
    await terminal.until(/code 0/)
  })

  for (const [scenario, use] of Object.entries(ACTIONS)) {
    t.test(`the terminal client conforms: ${scenario}`, async t => {
      const { url, report, next } = await watchClient({
        expect: [scenario as Scenario],
        settle: Number.POSITIVE_INFINITY,
        timeout: 120,
        ...ENTERED
      })
      const terminal = await Terminal.start(t, url)
      await use(terminal)
      t.notMatch(await terminal.until(/./), new RegExp(ENTERED.password.trim()), 'the screen shows no password')
      next()
      const { conforms, results } = await report
      const faults = results.filter(({ status }) => status !== 'ok')
      t.strictSame([faults, conforms], [[], true])
    })
  }
}

for (const [args, code, message] of [
  [[], 1, /start it in a terminal/],
  [['http://127.0.0.1:1', 'x'], 2, /give one URL only/],
  [['ftp://x'], 2, /must start with http/],
  [['http://ada:secret@127.0.0.1'], 2, /must not contain a username or a password/],
  [['--unknown'], 2, /Unknown option/]
] as const)
  t.test(`a start that is not possible ends with one line: ${message.source}`, async t => {
    const program = outsideTap(process.execPath, [...CLIENT, ...args])
    const ended = await promisify(execFile)(...program).catch(error => error)
    t.equal(ended.code, code)
    t.match(ended.stderr, message)
    t.notMatch(ended.stderr, /secret/)
  })
