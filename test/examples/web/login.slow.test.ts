// The web client logs in and out, and says what happens in between.

import type { ScreenUser } from '../../../lib/index.ts'
import { ADA, deferred, host } from '../../helpers.ts'
import { DEMO } from '../process.ts'
import { enter, listen, openExample, openMenu, openPage, test } from './browser.ts'

const WRONG = { ...DEMO, password: 'wrong' }

test('the menu comes with the response to the login, and a logout forgets who was there', async t => {
  const { page } = await openExample(t)
  await page.untilTitle('Demo Company')
  t.equal(await page.focused(), 'username')
  const requests: string[] = []
  page.on('request', request => requests.push(`${request.method()} ${new URL(request.url()).pathname}`))
  await page.logIn()
  await page.untilTitle('Main Menu')
  const asked = requests.filter(request => /auth|menu|screen/.test(request))
  t.strictSame(asked, ['POST /auth/login'])
  t.equal(await page.locator('#display-name').textContent(), 'Demo User')

  await page.getByRole('button', { name: 'Log out' }).click()
  await page.untilMessage(/logged out/, 'status')
  t.equal(await page.getByLabel('Username').inputValue(), '')
  t.equal(await page.locator('#display-name').textContent(), '')
  await page.reload()
  await t.resolves(page.untilTitle('Demo Company'))
})

test('the server is told of a logout even if the page is closed at once', async t => {
  const app = await host(t)
  const left = deferred()
  const told = deferred<{ user: ScreenUser | null; isClosed: boolean }>()
  app.post('/auth/logout', async (request, reply) => {
    // Meanwhile the page goes away, and takes with it what it has not kept alive.
    await left.promise
    told.resolve({ user: request.screenUser, isClosed: request.raw.socket.destroyed })
    reply.code(204)
  })
  const url = await listen(app)
  const page = await openPage(t, url)
  await enter(page)
  await page.evaluate("document.getElementById('log-out').click(); location.href = 'about:blank'")
  await page.waitForURL('about:blank')
  // What the browser breaks off, it breaks off before it asks for another page.
  await page.goto(url)
  left.resolve()
  t.strictSame(await told.promise, { user: ADA, isClosed: false })
})

test('a password manager knows the fields', async t => {
  const { page } = await openExample(t)
  await page.untilTitle('Demo Company')
  const kinds = async () => {
    const inputs = await page.locator('form input').all()
    return Promise.all(inputs.map(input => input.getAttribute('autocomplete')))
  }
  t.strictSame(await kinds(), ['username', 'current-password'])
  await page.logIn()
  await page.getByRole('tab', { name: 'Account' }).click()
  await page.choose('Change password')
  t.strictSame(await kinds(), ['current-password', 'new-password', 'new-password'])
})

test('a rejection is announced once, said under the password too, and clears only the password', async t => {
  const { page } = await openExample(t)
  await page.logIn(WRONG)
  await page.untilMessage(/^Wrong username or password\.$/)
  const password = page.getByRole('textbox', { name: 'Password' })
  t.equal(await page.getByLabel('Username').inputValue(), 'demo')
  t.equal(await password.inputValue(), '')
  t.equal(await page.focused(), 'password')
  t.equal(await password.getAttribute('aria-invalid'), 'true')
  const described = page.locator(`[id="${await password.getAttribute('aria-describedby')}"]`)
  t.equal(await described.textContent(), 'Wrong username or password.')
  const shown = page.getByText('Wrong username or password.')
  t.equal(await shown.count(), 2)
  t.equal(await page.locator('[role=alert], [role=status], [aria-live]').and(shown).count(), 1)
  const { y: below = 0 } = (await described.boundingBox()) ?? {}
  const { y: above = 0 } = (await password.boundingBox()) ?? {}
  t.ok(below > above, 'under the password')

  await page.keyboard.type('demo-password')
  await page.pressKeys('Enter')
  await page.untilTitle('Main Menu')
  t.equal(await page.getByRole('alert').textContent(), '')
})

test('while there is no message there is no bar, and the form does not move when one comes', async t => {
  const { page } = await openExample(t)
  await page.untilTitle('Demo Company')
  const before = await page.boxOf('[name=username]')
  for (const role of ['alert', 'status'] as const) {
    t.equal(await page.getByRole(role).count(), 1, 'the live region is there')
    t.notOk(await page.getByRole(role).isVisible())
  }
  await page.logIn(WRONG)
  await page.untilMessage(/Wrong/)
  t.equal((await page.boxOf('[name=username]')).y, before.y)
})

test('with an on-screen keyboard both messages are in the window', async t => {
  const { page } = await openExample(t, { viewport: { width: 390, height: 500 } })
  const viewport = await page.locator('meta[name=viewport]').getAttribute('content')
  t.match(viewport, 'interactive-widget=resizes-content')
  await page.logIn(WRONG)
  await page.untilMessage(/Wrong/)
  for (const message of await page.getByText('Wrong username or password.').all()) {
    const { y = -1, height = 0 } = (await message.boundingBox()) ?? {}
    t.ok(y >= 0 && y + height <= 500, `from ${y}`)
  }
})

test('a password can be shown, and is hidden again when it is submitted', async t => {
  const { page } = await openExample(t)
  // Not exact: the label of the button is not one of a field.
  const password = page.getByLabel('Password')
  const shows = async (type: string) => t.equal(await password.getAttribute('type'), type)
  await password.fill('wrong')
  await shows('password')
  for (const [button, type] of [
    ['Show Password', 'text'],
    ['Hide Password', 'password'],
    ['Show Password', 'text']
  ] as const) {
    await page.getByRole('button', { name: button }).click()
    await shows(type)
  }
  await page.locator('button[type=submit]').click()
  await page.untilMessage(/\w/)
  await shows('password')
})

test('while the server looks at the credentials the form is busy, and submits nothing again', async t => {
  const { page } = await openExample(t)
  let submissions = 0
  const held = deferred()
  await page.untilTitle('Demo Company')
  await page.route('**/auth/login', async route => {
    submissions += 1
    await held.promise
    await route.continue()
  })
  await page.logIn()
  const button = page.getByRole('button', { name: 'Logging in…' })
  await button.waitFor()
  t.equal(await button.getAttribute('aria-disabled'), 'true')
  t.equal(await page.locator('main').getAttribute('aria-busy'), 'true')
  t.equal(await page.focused(), 'password')
  await page.pressKeys('Enter')
  await button.click({ force: true })
  held.resolve()
  await page.untilTitle('Main Menu')
  t.equal(submissions, 1)
  t.equal(await page.locator('main').getAttribute('aria-busy'), 'false')
})

test('a server that is down at the login keeps what was typed', async t => {
  const { page } = await openExample(t)
  await page.untilTitle('Demo Company')
  await page.route('**/auth/login', route => route.abort())
  await page.logIn()
  await page.untilMessage(/cannot be reached/)
  t.equal(await page.getByLabel('Username').inputValue(), 'demo')
  await page.unroute('**/auth/login')
  await page.pressKeys('Enter')
  await t.resolves(page.untilTitle('Main Menu'))
})

test('the buttons of the login form are below it, and keep what was typed', async t => {
  const screen_actions = [{ id: 'forgot', label: 'Forgot password?', kind: 'simple', endpoint: '/forgot' }]
  const app = await host(t, { loginForm: (form: object) => ({ ...form, screen_actions }) })
  const response = { success: true, message: 'We sent you a mail.' }
  app.post('/forgot', { config: { screenAuth: false } }, async () => response)
  const page = await openPage(t, await listen(app))
  await page.getByLabel('Username').fill('ada')
  t.ok((await page.boxOf('text=Forgot password?')).y > (await page.boxOf('#submit')).y)
  await page.getByRole('button', { name: 'Forgot password?' }).click()
  await page.untilMessage(/sent you a mail/, 'status')
  t.equal(await page.getByLabel('Username').inputValue(), 'ada')
  t.strictSame(await page.violations(), [])
})

test('a reload keeps the session, and another tab has none', async t => {
  const { page, url } = await openMenu(t)
  await page.reload()
  await page.untilTitle('Main Menu')
  const other = await page.context().newPage()
  await other.goto(url)
  await t.resolves(other.getByLabel('Username').waitFor())
})

test('a page that finds no server counts down, and goes on by itself when there is one', async t => {
  const { page } = await openMenu(t)
  await page.route('**/menu/main', route => route.abort())
  await page.reload()
  await page.untilTitle('No connection')
  t.match(await page.locator('main').textContent(), /You stay logged in.*Trying again in \d+ s/)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.untilMessage(/cannot be reached/)
  t.strictSame(await page.violations(), [])
  await page.unroute('**/menu/main')
  await t.resolves(page.untilTitle('Main Menu'))
})

test('a page tries again when the browser is online', async t => {
  const { page } = await openExample(t)
  await page.untilTitle('Demo Company')
  let count = 0
  await page.route('**/menu/main', route => {
    count += 1
    return count < 3 ? route.abort() : route.continue()
  })
  await page.reload()
  await page.untilTitle('No connection')
  while (count < 2) await page.evaluate("dispatchEvent(new Event('online'))")
  await t.resolves(page.untilTitle('Demo Company'))
})

test('a server that responds with nonsense is no outage', async t => {
  const { page } = await openExample(t)
  await page.route('**/menu/main', route => route.fulfill({ status: 200, body: '<html>' }))
  await page.reload()
  await page.untilTitle('Something went wrong')
  t.notMatch(await page.locator('main').textContent(), /Trying again in/)
  await page.unroute('**/menu/main')
  await page.getByRole('button', { name: 'Try again' }).click()
  await t.resolves(page.getByLabel('Username').waitFor())
})

test('in the no-auth mode no login is ever shown, or asked for', async t => {
  const { page, url } = await openExample(t, {}, { SVC_AUTH: 'false' })
  const paths: string[] = []
  page.on('request', request => paths.push(new URL(request.url()).pathname))
  await page.goto(url)
  await page.untilTitle('Main Menu')
  await page.choose('Contacts')
  t.ok(paths.includes('/menu/main'))
  t.notOk(paths.includes('/auth/login'))
  t.equal(await page.getByRole('button', { name: 'Log out' }).isVisible(), false)
})
