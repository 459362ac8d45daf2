// The address of the web client, and the buttons of the browser.

import t from 'tap'
import { host } from '../../helpers.ts'
import { needs } from '../../needs.ts'
import { startServer } from '../process.ts'
import { logIn, openPage, startBrowser, untilMessage, untilTitle } from './browser.ts'
import { CREDENTIALS, listen } from './screen-server.ts'

const path = needs(t, 'chromium', 'chromium-browser', 'google-chrome')
if (path !== undefined) {
  const browser = await startBrowser(t, path)

  t.test('back, forward and reload lead to the screens that were there', async t => {
    const { url } = await startServer(t, {})
    const page = await openPage(t, browser, url)
    await logIn(page)
    await page.getByRole('tab', { name: 'Account' }).click()
    await page.getByText('Profile').click()
    await untilTitle(page, 'Profile')
    t.match(page.url(), /#\/screen\/profile$/)
    await page.getByText('Main menu').click()
    await untilTitle(page, 'Main Menu')
    await page.getByText('Change password').click()
    await untilTitle(page, 'Change password')

    const steps = ['Main Menu', 'Profile', 'Main Menu']
    for (const title of steps) {
      await page.goBack()
      await untilTitle(page, title)
    }
    for (const title of [...steps.slice(1), 'Change password']) {
      await page.goForward()
      await untilTitle(page, title)
    }
    await page.reload()
    await untilTitle(page, 'Change password')
    await page.goBack()
    await t.resolves(untilTitle(page, 'Main Menu'))
  })

  t.test('back does not lead past a login form', async t => {
    const { url } = await startServer(t, {})
    const page = await openPage(t, browser, url)
    await logIn(page)
    await page.getByRole('tab', { name: 'Account' }).click()
    await page.getByText('Profile').click()
    await untilTitle(page, 'Profile')
    await page.getByRole('button', { name: 'Log out' }).click()
    await untilTitle(page, 'Demo Company')
    await page.goBack()
    await page.goForward()
    t.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'Demo Company')
    t.notMatch(page.url(), /profile/)
    await logIn(page)
    await t.resolves(untilTitle(page, 'Main Menu'))
  })

  t.test('an address of a screen asks for the menu first, and leads to the screen', async t => {
    const { url } = await startServer(t, { SVC_AUTH: 'false' })
    const page = await openPage(t, browser, 'about:blank')
    const paths: string[] = []
    page.on('request', request => paths.push(new URL(request.url()).pathname))
    await page.goto(`${url}/#/screen/users`)
    await untilTitle(page, 'Users')
    t.strictSame(
      paths.filter(one => /^.(menu|screen)/.test(one)),
      ['/menu/main', '/screen/users']
    )
    await page.goto(`${url}/#//example.com/menu`)
    await untilMessage(page, /another server/)
    t.match(page.url(), /#\/screen\/users$/)

    const other = await openPage(t, browser, `${url}/#/screen/nowhere`)
    await untilMessage(other, /nothing at this address/)
    await t.resolves(untilTitle(other, 'Main Menu'))
  })

  t.test('back leads past an address that is gone, or has another spelling', async t => {
    const card = { layout: 'Card', title: 'Card' }
    let isGone = false
    const app = await host(t)
    app.get('/gone', (_, reply) => (isGone ? reply.callNotFound() : reply.send({ ...card, title: 'Gone' })))
    app.get('/card', async () => card)
    const page = await openPage(t, browser, await listen(app))
    await logIn(page, CREDENTIALS)
    await untilTitle(page, 'Main Menu')
    for (const [address, title] of [
      ['#/gone', 'Gone'],
      ['#card', 'Card']
    ] as const) {
      await page.evaluate(`location.hash = '${address}'`)
      await untilTitle(page, title)
    }
    isGone = true
    await page.waitForURL('**/#/card')
    await page.goBack()
    await untilMessage(page, /nothing at this address/)
    await page.waitForURL('**/#/card')
    await page.goBack()
    await untilTitle(page, 'Main Menu')
    t.notMatch(page.url(), /#/)
  })

  t.test('Back does not lead to the form of what was created', async t => {
    const { url } = await startServer(t, {})
    const page = await openPage(t, browser, url)
    await logIn(page)
    await page.getByRole('link', { name: 'New contact' }).click()
    await page.getByLabel('Name').fill('Zoe')
    await page.getByRole('button', { name: 'Save' }).click()
    await untilTitle(page, 'Zoe')
    t.match(page.url(), /contact\?id=\d+$/)
    await page.reload()
    await untilTitle(page, 'Zoe')
    await page.goBack()
    await t.resolves(untilTitle(page, 'Main Menu'))
  })

  t.test('the address names what is shown, however often one goes back and stays', async t => {
    const { url } = await startServer(t, {})
    const page = await openPage(t, browser, url)
    await logIn(page)
    await page.getByRole('link', { name: 'Contacts' }).click()
    await page.getByRole('link', { name: 'Bruno Keller' }).click()
    await untilTitle(page, 'Bruno Keller')
    const address = page.url()
    await page.getByLabel('Company').fill('Typed')
    for (const steps of [[-1], [-1, -1], [-1, 1], [-2]]) {
      for (const step of steps) {
        await page.evaluate(`history.go(${step})`)
        await page.getByRole('alertdialog').waitFor()
        await page.waitForTimeout(100)
      }
      await page.getByRole('button', { name: 'Cancel' }).click()
      await page.waitForURL(address)
      t.equal(await page.getByLabel('Company').inputValue(), 'Typed', steps.join())
    }
    await page.goBack()
    await page.getByRole('button', { name: 'Leave' }).click()
    await untilTitle(page, 'Contacts')
    t.match(page.url(), /#\/screen\/contacts$/)
    await page.goBack()
    await untilTitle(page, 'Main Menu')
    for (const title of ['Contacts', 'Bruno Keller']) {
      await page.goForward()
      await untilTitle(page, title)
    }
    t.equal(page.url(), address)
  })

  t.test('a reload shows no menu on the way to its screen, and adds no entry', async t => {
    const card = { layout: 'Card', title: 'Card' }
    let isDown = false
    const menu = { layout: 'Menu', title: 'Main Menu', menu: { tabs: [] } }
    const app = await host(t, { mainMenu: () => menu })
    app.addHook('onRequest', async (request, reply) => {
      if (isDown && request.url === '/menu/main') return reply.code(503).send({})
    })
    app.get('/card', async () => card)
    const page = await openPage(t, browser, await listen(app))
    await logIn(page, CREDENTIALS)
    await untilTitle(page, 'Main Menu')
    await page.evaluate("location.hash = '/card'")
    await untilTitle(page, 'Card')
    isDown = true
    await page.reload()
    await untilTitle(page, 'Something went wrong')
    const titles: string[] = []
    await page.exposeFunction('seen', (title: string) => titles.push(title))
    await page.evaluate(`new MutationObserver(() => seen(document.title))
      .observe(document.querySelector('#title'), { childList: true })`)
    isDown = false
    await page.getByRole('button', { name: 'Try again' }).click()
    await untilTitle(page, 'Card')
    t.strictSame([...new Set(titles)], ['Card'])
    await page.goBack()
    await untilTitle(page, 'Main Menu')
    t.notMatch(page.url(), /#/)
  })

  t.test('no answer is taken from the cache of the browser', async t => {
    const app = await host(t, { mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: {} }) })
    app.addHook('onSend', async (request, reply) => {
      if (request.headers.authorization) reply.header('cache-control', 'max-age=600')
    })
    const page = await openPage(t, browser, await listen(app))
    await logIn(page, CREDENTIALS)
    await untilTitle(page, 'Main Menu')
    await page.reload()
    await untilTitle(page, 'Main Menu')
    await page.getByRole('button', { name: 'Log out' }).click()
    await t.resolves(untilTitle(page, 'Demo Company'))
  })

  t.test('a service below a prefix is asked there', async t => {
    const app = await host(t, { prefix: '/v1' })
    const url = await listen(app, { prefix: '/v1' })
    const page = await openPage(t, browser, url.slice(0, -1))
    t.equal(page.url(), url, 'with a slash at its end')
    await logIn(page, CREDENTIALS)
    await untilTitle(page, 'Main Menu')
    await page.reload()
    await t.resolves(untilTitle(page, 'Main Menu'))
  })
}
