// The login and the logout of the web client, and the messages between them.

import { deferred } from '../../helpers.ts'
import { DEMO } from '../process.ts'
import { appOf, listen, openExample, openMenu, openPage, test } from './browser.ts'

const WRONG = { ...DEMO, password: 'wrong' }

test('the response to the login contains the menu, and after a logout no way leads back to the data of the user', async t => {
  const { page } = await openExample(t)
  await page.untilTitle('Demo Company')
  t.equal(await page.focused(), 'username')
  const kinds = () =>
    page.locator('form input').evaluateAll(inputs => inputs.map(input => input.getAttribute('autocomplete')))
  t.strictSame(await kinds(), ['username', 'current-password'])
  const requests: string[] = []
  page.on('request', request => requests.push(`${request.method()} ${new URL(request.url()).pathname}`))
  await page.logIn()
  await page.untilTitle('Main Menu')
  const asked = requests.filter(request => /auth|menu|screen/.test(request))
  t.strictSame(asked, ['POST /auth/login'])
  t.equal(await page.locator('#display-name').textContent(), 'Demo User')
  t.equal(await page.locator('main').getByText('Profile').count(), 0, 'the menu of the user has it')
  await page.account('Change password')
  await page.untilTitle('Change password')
  t.equal(await page.focused(), 'current_password')
  t.strictSame(await kinds(), ['username', 'current-password', 'new-password', 'new-password'])

  await page.account('Log out')
  await page.untilMessage(/logged out/, 'status')
  t.equal(await page.getByLabel('Username').inputValue(), '')
  for (const move of ['goBack', 'goForward', 'reload'] as const) {
    await page[move]()
    await page.untilTitle('Demo Company')
    t.equal(await page.getByText(/Demo User|Change password/).count(), 0, move)
    t.notMatch(page.url(), /password/)
  }
  await page.logIn()
  await t.resolves(page.untilTitle('Main Menu'))
})

test('a rejection is shown once, above the button and an on-screen keyboard, and clears only the password', async t => {
  const { page } = await openExample(t, { viewport: { width: 390, height: 560 } })
  t.match(await page.locator('meta[name=viewport]').getAttribute('content'), 'interactive-widget=resizes-content')
  await page.untilTitle('Demo Company')
  const before = await page.boxOf('[name=username]')
  await page.logIn(WRONG)
  await page.untilMessage(/^Wrong username or password\.$/)
  t.equal((await page.boxOf('[name=username]')).y, before.y, 'the form does not move')
  const password = page.getByRole('textbox', { name: 'Password' })
  t.equal(await page.getByLabel('Username').inputValue(), 'demo')
  t.equal(await password.inputValue(), '')
  t.equal(await page.focused(), 'password')
  t.equal(await password.getAttribute('aria-invalid'), 'true')
  t.equal(await page.getByText('Wrong username or password.').count(), 1)
  for (const [width, height] of [
    [390, 440],
    [320, 310]
  ] as const) {
    await page.setViewportSize({ width, height })
    await page.getByRole('button', { name: 'Show Password' }).click()
    await page.logIn(WRONG)
    await page.untilMessage(/^Wrong/)
    t.equal(await password.getAttribute('type'), 'password', 'it is hidden again')
    const { y, height: ofText } = await page.boxOf('#error')
    t.ok(y > 0 && y + ofText < Math.min((await page.boxOf('#submit')).y, height), `${width} × ${height}`)
  }

  await page.keyboard.type('demo-password')
  await page.pressKeys('Enter')
  await page.untilTitle('Main Menu')
  t.equal(await page.getByRole('alert').textContent(), '')
})

test('a reload keeps the session, all tabs share it, also a tab that was away, and it ends with the last tab', async t => {
  const { page, url } = await openMenu(t)
  await page.reload()
  await page.untilTitle('Main Menu')
  const [other] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('link', { name: 'Contacts' }).click({ modifiers: ['Control'] })
  ])
  await other.getByRole('heading', { name: 'Contacts' }).waitFor()
  t.notMatch(await other.evaluate('JSON.stringify(localStorage)'), /eyJ/, 'no token')
  await other.goto('about:blank')
  await page.account('Log out')
  await other.goBack()
  await other.getByLabel('Username').waitFor()
  await page.logIn()
  await other.getByRole('heading', { name: 'Contacts' }).waitFor()
  const last = await page.context().newPage()
  for (const one of [page, other]) await one.close()
  await last.goto(url)
  await t.resolves(last.getByLabel('Username').waitFor())
})

test('an empty username or password is an error at its field, without a request', async t => {
  const { page } = await openExample(t)
  page.on('request', request => t.not(request.method(), 'POST'))
  for (const [username, empty] of Object.entries({ ' ': 'username', demo: 'password' })) {
    await page.getByLabel('Username').fill(username)
    await page.locator('#submit').click()
    t.equal(await page.focused(), empty)
    t.match(await page.locator(`.field:has([name=${empty}])`).textContent(), /Required\.$/)
  }
})

test('the button is disabled and counts down while a user is blocked', async t => {
  const { page } = await openExample(t)
  await page.untilTitle('Demo Company')
  await page.clock.install()
  const json = { success: false, token: null, screen: null, error: 'Try again in 15 minutes.' }
  await page.route('**/auth/login', route => route.fulfill({ status: 429, headers: { 'retry-after': '900' }, json }))
  const submit = page.locator('#submit')
  await page.logIn(WRONG)
  await page.untilMessage(/^Try again in 15 minutes\.$/)
  await page.clock.runFor(120_000)
  t.match(await submit.innerText(), /Try again in 1[23]:\d\d$/)
  t.equal(await submit.getAttribute('aria-disabled'), 'true')
  const name = /^Try again in 1[34] minutes$/
  t.ok(await page.getByRole('button', { name }).isVisible(), 'the name has the time in words, without seconds')
  t.equal(await page.evaluate("getComputedStyle(document.querySelector('#submit')).cursor"), 'not-allowed')
  t.strictSame(await page.violations(), [])
})

test('a page counts down while the server is unreachable, and tries again by itself and at once', async t => {
  const { page } = await openMenu(t)
  await page.route('**/menu/main', route => route.abort())
  await page.reload()
  await page.untilTitle('No connection')
  t.match(await page.locator('main').textContent(), /You stay logged in.*Trying again in \d+ s/)
  const tried = page.waitForRequest('**/menu/main')
  await page.getByRole('button', { name: 'Try again' }).click()
  await tried
  t.strictSame(await page.violations(), [])
  await page.unroute('**/menu/main')
  await t.resolves(page.untilTitle('Main Menu'))
})

test('the first response shows the logo; without the script, the page says that it did not load', async t => {
  const page = await openPage(t, 'about:blank')
  const held = deferred()
  await page.route('**/web/*', route => held.promise.then(() => route.abort()))
  await page.goto(await listen(await appOf(t, {})), { waitUntil: 'commit' })
  await page.locator('#logo').waitFor()
  t.equal(await page.locator('body').innerText(), '')
  held.resolve()
  await t.resolves(page.getByText('The page did not load. Reload it.').waitFor())
})

for (const missing of ['delete URL.parse', 'delete Map.groupBy', 'CSS.supports = () => false'])
  test(`an old browser says that it is too old: ${missing}`, async t => {
    const page = await openPage(t, 'about:blank')
    await page.addInitScript(missing)
    await page.goto(await listen(await appOf(t, {})))
    await t.resolves(page.getByText('This browser is too old.').waitFor())
  })
