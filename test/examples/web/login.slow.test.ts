// The web client in a real Chromium, at a real example server: in, out, and what happens in between.

import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { webClient } from '../../../examples/server/web-client.ts'
import type { ScreenUser } from '../../../lib/index.ts'
import { ADA, bearer, host, PASSWORD } from '../../helpers.ts'
import { needs } from '../../needs.ts'
import { DEMO, post, startServer } from '../process.ts'
import { focused, logIn, openPage, startBrowser, untilMessage, untilTitle, violations } from './browser.ts'

const path = needs(t, 'chromium', 'chromium-browser', 'google-chrome')
if (path !== undefined) {
  const browser = await startBrowser(t, path)

  t.test('log in with the keyboard alone, follow the menu, and log out', async t => {
    const { url } = await startServer(t, {})
    const page = await openPage(t, browser, url)
    const requests: string[] = []
    page.on('request', request => requests.push(`${request.method()} ${new URL(request.url()).pathname}`))
    await untilTitle(page, 'Demo Company')
    t.equal(await focused(page), 'username')
    await page.keyboard.type('demo')
    await page.keyboard.press('Tab')
    await page.keyboard.type('demo-password')
    await page.keyboard.press('Enter')
    await untilTitle(page, 'Main Menu')
    const asked = requests.filter(request => /auth|menu|screen/.test(request))
    t.strictSame(
      asked.slice(asked.indexOf('POST /auth/login')),
      ['POST /auth/login'],
      'the menu came with the answer'
    )

    for (const name of ['Help', 'Log out', 'Contacts']) {
      await page.keyboard.press('Tab')
      t.equal(await focused(page), name)
    }
    await page.keyboard.press('ArrowLeft')
    t.equal(await focused(page), 'Directory')
    await page.keyboard.press('ArrowLeft')
    t.equal(await focused(page), 'Account')
    await page.keyboard.press('Tab')
    t.equal(await focused(page), 'Profile')
    await page.keyboard.press('Enter')
    await untilTitle(page, 'Profile')
    t.equal(await page.getByRole('definition').first().textContent(), 'demo')
    t.equal(await page.locator('#display-name').textContent(), 'Demo User')

    await page.getByRole('button', { name: 'Log out' }).focus()
    await page.keyboard.press('Enter')
    await untilMessage(page, /logged out/, 'status')
    t.equal(await page.getByLabel('Username').inputValue(), '')
    t.equal(await page.locator('#display-name').textContent(), '')
    await page.reload()
    await untilTitle(page, 'Demo Company')
  })

  t.test('the server is told of a logout even if the page is closed at once', async t => {
    const app = await host(t)
    let leave = () => {}
    const left = new Promise<void>(resolve => {
      leave = resolve
    })
    const told = new Promise<{ user: ScreenUser | null; isClosed: boolean }>(resolve => {
      app.post('/auth/logout', async (request, reply) => {
        // Meanwhile the page goes away, and takes with it what it has not kept alive.
        await left
        resolve({ user: request.screenUser, isClosed: request.raw.socket.destroyed })
        reply.code(204)
      })
    })
    await app.register(webClient)
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    const page = await openPage(t, browser, url)
    await logIn(page, { username: ADA.username, password: PASSWORD })
    await untilTitle(page, 'Main Menu')
    await page.evaluate("document.getElementById('log-out').click(); location.href = 'about:blank'")
    await page.waitForURL('about:blank')
    // What the browser breaks off, it breaks off before it asks for another page.
    await page.goto(url)
    leave()
    t.strictSame(await told, { user: ADA, isClosed: false })
  })

  t.test('a password manager knows the fields', async t => {
    const { url } = await startServer(t, {})
    const page = await openPage(t, browser, url)
    t.equal(await page.getByLabel('Username').getAttribute('autocomplete'), 'username')
    const password = page.getByLabel('Password', { exact: true })
    t.equal(await password.getAttribute('autocomplete'), 'current-password')
    t.equal(await page.locator('form').count(), 1)

    await logIn(page)
    await page.getByRole('tab', { name: 'Account' }).click()
    await page.getByText('Change password').click()
    await untilTitle(page, 'Change password')
    const inputs = await page.locator('input').all()
    const kinds = await Promise.all(inputs.map(input => input.getAttribute('autocomplete')))
    t.strictSame(kinds, ['current-password', 'new-password', 'new-password'])
  })

  t.test('a rejection is announced, keeps the username and the focus, and clears the password', async t => {
    const { url } = await startServer(t, {})
    const page = await openPage(t, browser, url)
    await logIn(page, { ...DEMO, password: 'wrong' })
    await untilMessage(page, /Wrong username or password/)
    t.equal(await page.getByLabel('Username').inputValue(), 'demo')
    t.equal(await page.getByLabel('Password', { exact: true }).inputValue(), '')
    t.equal(await focused(page), 'password')

    await page.keyboard.type('demo-password')
    await page.keyboard.press('Enter')
    await untilTitle(page, 'Main Menu')
    t.equal(await page.getByRole('alert').textContent(), '')
  })

  t.test('a rejection is said beside the form too, tied to the password, and announced once', async t => {
    const { url } = await startServer(t, {})
    const page = await openPage(t, browser, url)
    await page.getByLabel('Username').fill('demo')
    const password = page.getByRole('textbox', { name: 'Password' })
    await password.fill('wrong')
    await page.getByRole('button', { name: 'Log in' }).click()
    await untilMessage(page, /Wrong username or password/)
    t.equal(await focused(page), 'password')
    t.equal(await password.getAttribute('aria-invalid'), 'true')
    const described = page.locator(`[id="${await password.getAttribute('aria-describedby')}"]`)
    t.equal(await described.textContent(), 'Wrong username or password.')
    t.ok(await described.isVisible())
    const shown = page.getByText('Wrong username or password.')
    t.equal(await shown.count(), 2)
    t.equal(await page.locator('[role=alert], [role=status], [aria-live]').and(shown).count(), 1)

    const { y: below = 0 } = (await described.boundingBox()) ?? {}
    const { y: above = 0 } = (await password.boundingBox()) ?? {}
    t.ok(below > above, 'under the password')
  })

  t.test('while there is no message there is no bar, and the form does not move when one comes', async t => {
    const { url } = await startServer(t, {})
    const page = await openPage(t, browser, url)
    await untilTitle(page, 'Demo Company')
    const top = async () => (await page.getByLabel('Username').boundingBox())?.y
    const before = await top()
    for (const role of ['alert', 'status'] as const)
      t.equal(await page.getByRole(role).count(), 1, 'the live region is there')
    t.notOk(await page.locator('#error').isVisible())
    t.notOk(await page.locator('#info').isVisible())
    await logIn(page, { ...DEMO, password: 'wrong' })
    await untilMessage(page, /Wrong/)
    t.equal(await top(), before)
  })

  t.test('with an on-screen keyboard both messages are in the window', async t => {
    const { url } = await startServer(t, {})
    const page = await openPage(t, browser, url, { viewport: { width: 390, height: 500 } })
    t.match(
      await page.locator('meta[name=viewport]').getAttribute('content'),
      'interactive-widget=resizes-content'
    )
    await logIn(page, { ...DEMO, password: 'wrong' })
    await untilMessage(page, /Wrong/)
    for (const message of await page.getByText('Wrong username or password.').all()) {
      const { y = -1, height = 0 } = (await message.boundingBox()) ?? {}
      t.ok(y >= 0 && y + height <= 500, `from ${y}`)
    }
  })

  t.test('a password can be shown, and is hidden again when it is submitted', async t => {
    const { url } = await startServer(t, {})
    const page = await openPage(t, browser, url)
    // Not exact: the label of the button is not one of a field.
    const password = page.getByLabel('Password')
    await password.fill('wrong')
    t.equal(await password.getAttribute('type'), 'password')
    await page.getByRole('button', { name: 'Show Password' }).click()
    t.equal(await password.getAttribute('type'), 'text')
    await page.getByRole('button', { name: 'Hide Password' }).click()
    t.equal(await password.getAttribute('type'), 'password')
    await page.getByRole('button', { name: 'Show Password' }).click()
    await page.locator('button[type=submit]').click()
    await untilMessage(page, /\w/)
    t.equal(await password.getAttribute('type'), 'password')
  })

  t.test('while the server looks at the credentials the form is busy, and submits nothing again', async t => {
    const { url } = await startServer(t, {})
    const page = await openPage(t, browser, url)
    let submissions = 0
    let answer = () => {}
    const held = new Promise<void>(resolve => {
      answer = resolve
    })
    await untilTitle(page, 'Demo Company')
    await page.route('**/auth/login', async route => {
      submissions += 1
      await held
      await route.continue()
    })
    await logIn(page)
    const button = page.getByRole('button', { name: 'Logging in…' })
    await button.waitFor()
    t.equal(await button.getAttribute('aria-disabled'), 'true')
    t.equal(await page.locator('main').getAttribute('aria-busy'), 'true')
    t.equal(await focused(page), 'password')
    await page.keyboard.press('Enter')
    await button.click({ force: true })
    answer()
    await untilTitle(page, 'Main Menu')
    t.equal(submissions, 1)
    t.equal(await page.locator('main').getAttribute('aria-busy'), 'false')
  })

  t.test('too many failures show how long to wait', async t => {
    const server = await startServer(t, {})
    for (let i = 0; i < 10; i++) await post(server, '/auth/login', { ...DEMO, password: `wrong ${i}` })
    const page = await openPage(t, browser, server.url)
    await logIn(page)
    await untilMessage(page, /\b\d+ (minutes|seconds)/)
    t.equal(await page.getByLabel('Username').inputValue(), 'demo')
  })

  t.test('a reload keeps the session, and another tab has none', async t => {
    const { url } = await startServer(t, {})
    const page = await openPage(t, browser, url)
    await logIn(page)
    await untilTitle(page, 'Main Menu')
    await page.reload()
    await untilTitle(page, 'Main Menu')
    const other = await page.context().newPage()
    await other.goto(url)
    await t.resolves(untilTitle(other, 'Demo Company'))
  })

  t.test('a session that expires ends at the login form, which says so', async t => {
    const { url } = await startServer(t, { SVC_TOKEN_LIFETIME: '1' })
    const page = await openPage(t, browser, url)
    await logIn(page)
    await untilTitle(page, 'Main Menu')
    const token = await page.evaluate<string>('Object.values(sessionStorage)[0]')
    while ((await fetch(`${url}/menu/main`, { headers: bearer(token) })).status !== 401) await sleep(50)
    await page.getByRole('link', { name: 'Contacts' }).click()
    await untilMessage(page, /session has ended/)
    await untilTitle(page, 'Demo Company')
    t.equal(await page.evaluate('sessionStorage.length'), 0, 'the token is gone')
    await logIn(page)
    await untilTitle(page, 'Main Menu')
  })

  t.test('a server that was restarted with another secret ends the session', async t => {
    const before = await startServer(t, {})
    const page = await openPage(t, browser, before.url)
    await logIn(page)
    await untilTitle(page, 'Main Menu')
    await before.stop()
    await startServer(t, { PORT: new URL(before.url).port })
    await page.getByRole('link', { name: 'Contacts' }).click()
    await untilMessage(page, /session has ended/)
    await logIn(page)
    await t.resolves(untilTitle(page, 'Main Menu'))
  })

  t.test('while the server is down the screen stays, and says so', async t => {
    const server = await startServer(t, {})
    const page = await openPage(t, browser, server.url)
    await logIn(page)
    await untilTitle(page, 'Main Menu')
    await server.stop()
    await page.getByRole('link', { name: 'Contacts' }).click()
    await untilMessage(page, /cannot be reached/)
    t.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'Main Menu')
  })

  t.test('a page that finds no server counts down, and goes on by itself when there is one', async t => {
    const { url } = await startServer(t, {})
    const page = await openPage(t, browser, url)
    await logIn(page)
    await untilTitle(page, 'Main Menu')
    await page.route('**/menu/main', route => route.abort())
    await page.reload()
    await untilTitle(page, 'No connection')
    t.match(await page.locator('main').textContent(), /You stay logged in.*Trying again in \d+ s/)
    await page.getByRole('button', { name: 'Try again' }).click()
    await untilMessage(page, /cannot be reached/)
    t.strictSame(await violations(page), [])
    await page.unroute('**/menu/main')
    await t.resolves(untilTitle(page, 'Main Menu'))
  })

  t.test('a page tries again when the browser is online', async t => {
    const { url } = await startServer(t, {})
    const page = await openPage(t, browser, url)
    await untilTitle(page, 'Demo Company')
    let count = 0
    await page.route('**/menu/main', route => {
      count += 1
      return count < 3 ? route.abort() : route.continue()
    })
    await page.reload()
    await untilTitle(page, 'No connection')
    while (count < 2) await page.evaluate("dispatchEvent(new Event('online'))")
    await t.resolves(untilTitle(page, 'Demo Company'))
  })

  t.test('a server that responds with nonsense is no outage', async t => {
    const app = await host(t)
    await app.register(webClient)
    const page = await openPage(t, browser, 'about:blank')
    await page.route('**/menu/main', route => route.fulfill({ status: 200, body: '<html>' }))
    await page.goto(await app.listen({ host: '127.0.0.1', port: 0 }))
    await untilTitle(page, 'Something went wrong')
    t.notMatch(await page.locator('main').textContent(), /Trying again in/)
    await page.unroute('**/menu/main')
    await page.getByRole('button', { name: 'Try again' }).click()
    await t.resolves(page.getByLabel('Username').waitFor())
  })

  t.test('a server that is down at the login keeps what was typed', async t => {
    const before = await startServer(t, {})
    const page = await openPage(t, browser, before.url)
    await untilTitle(page, 'Demo Company')
    await before.stop()
    await logIn(page)
    await untilMessage(page, /cannot be reached/)
    t.equal(await page.getByLabel('Username').inputValue(), 'demo')
    t.equal(await page.getByLabel('Password', { exact: true }).inputValue(), 'demo-password')
    await startServer(t, { PORT: new URL(before.url).port })
    await page.keyboard.press('Enter')
    await untilTitle(page, 'Main Menu')
  })

  t.test('in the no-auth mode no login is ever shown, or asked for', async t => {
    const { url } = await startServer(t, { SVC_AUTH: 'false' })
    const page = await openPage(t, browser, 'about:blank')
    const paths: string[] = []
    page.on('request', request => paths.push(new URL(request.url()).pathname))
    await page.goto(url)
    await untilTitle(page, 'Main Menu')
    await page.getByRole('link', { name: 'Contacts' }).click()
    await untilTitle(page, 'Contacts')
    t.ok(paths.includes('/menu/main'))
    t.notOk(paths.includes('/auth/login'))
    t.equal(await page.getByRole('button', { name: 'Log out' }).isVisible(), false)
  })
}
