// The address of the web client, and the history buttons of the browser.

import { deferred, host } from '../../helpers.ts'
import { appOf, enter, listen, openAt, openExample, openMenu, openPage, test } from './browser.ts'

const CARD = { layout: 'Card', title: 'Card' }
const MENU = { layout: 'Menu', title: 'Main Menu', menu: { tabs: [] } }

test('back, forward and reload show the screens of the history', async t => {
  const { page } = await openMenu(t)
  await page.choose('Profile')
  t.match(page.url(), /#\/screen\/profile$/)
  await page.locator('#menu-link').click()
  await page.untilTitle('Main Menu')
  await page.choose('Change password')

  const steps = ['Main Menu', 'Profile', 'Main Menu']
  for (const title of steps) {
    await page.goBack()
    await page.untilTitle(title)
  }
  for (const title of [...steps.slice(1), 'Change password']) {
    await page.goForward()
    await page.untilTitle(title)
  }
  await page.reload()
  await page.untilTitle('Change password')
  await page.goBack()
  await t.resolves(page.untilTitle('Main Menu'))
})

test('back and forward stay at the login form after a logout', async t => {
  const { page } = await openMenu(t)
  await page.choose('Contacts')
  await page.account('Log out')
  await page.untilTitle('Demo Company')
  await page.goBack()
  await page.goForward()
  t.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'Demo Company')
  t.notMatch(page.url(), /contacts/)
  await page.logIn()
  await t.resolves(page.untilTitle('Main Menu'))
})

test('the address of a screen opens the screen, and the address of another server is rejected', async t => {
  const { page, url } = await openExample(t, {}, { SVC_AUTH: 'false' })
  await page.untilTitle('Main Menu')
  await page.locator('#account').click()
  t.equal(await page.getByRole('button', { name: 'Log out' }).count(), 0, 'without a login there is no logout')
  await page.goto(`${url}/#/screen/users`)
  await page.untilTitle('Users')
  await page.goto(`${url}/#//example.com/menu`)
  await page.untilMessage(/another server/)
  t.match(page.url(), /#\/screen\/users$/)
})

test('back passes over an address that no longer exists or that was corrected', async t => {
  let isGone = false
  const app = await host(t)
  app.get('/gone', (_, reply) => (isGone ? reply.callNotFound() : reply.send({ ...CARD, title: 'Gone' })))
  app.get('/card', async () => CARD)
  const page = await openAt(t, app)
  for (const [address, title] of [
    ['#/gone', 'Gone'],
    ['#card', 'Card']
  ] as const) {
    await page.evaluate(`location.hash = '${address}'`)
    await page.untilTitle(title)
  }
  isGone = true
  await page.waitForURL('**/#/card')
  await page.goBack()
  await page.untilMessage(/nothing at this address/)
  await page.waitForURL('**/#/card')
  await page.goBack()
  await page.untilTitle('Main Menu')
  t.notMatch(page.url(), /#/)
})

test('the address matches the screen, even if the user goes back and cancels several times', async t => {
  const { page } = await openMenu(t)
  await page.choose('Contacts')
  await page.choose('Bruno Keller')
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
  await page.untilTitle('Contacts')
  t.match(page.url(), /#\/screen\/contacts$/)
  await page.goBack()
  await page.untilTitle('Main Menu')
  for (const title of ['Contacts', 'Bruno Keller']) {
    await page.goForward()
    await page.untilTitle(title)
  }
  t.equal(page.url(), address)
})

test('a reload does not show the menu before its screen, and adds no history entry', async t => {
  let isDown = false
  const app = await host(t, { mainMenu: () => MENU })
  app.addHook('onRequest', async (request, reply) => {
    if (isDown && request.url === '/menu/main') return reply.code(503).send({})
  })
  app.get('/card', async () => CARD)
  const page = await openAt(t, app)
  await page.evaluate("location.hash = '/card'")
  await page.untilTitle('Card')
  isDown = true
  await page.reload()
  await page.untilTitle('Something went wrong')
  const titles: string[] = []
  await page.exposeFunction('seen', (title: string) => titles.push(title))
  await page.evaluate(`new MutationObserver(() => seen(document.title))
    .observe(document.querySelector('title'), { childList: true })`)
  isDown = false
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.untilTitle('Card')
  t.strictSame([...new Set(titles)], ['Card'])
  await page.goBack()
  await page.untilTitle('Main Menu')
  t.notMatch(page.url(), /#/)
})

test('Back during a delete is ignored, and the result of the delete is shown', async t => {
  const app = await appOf(t, { card: { ...CARD, actions: { delete: '/delete' } } })
  const held = deferred()
  app.post('/delete', () => held.promise.then(() => ({ ...CARD, status: 'Error: Not this one.' })))
  const page = await openAt(t, app)
  await page.choose('card', 'Card')
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await page.evaluate('history.back()')
  await page.waitForURL('**/#/card')
  held.resolve()
  await page.untilMessage(/^Not this one\.$/)
  await page.goBack()
  await t.resolves(page.untilTitle('Main Menu'))
})

test('the client sends its requests below the prefix of the service', async t => {
  const app = await host(t, { prefix: '/v1' })
  const url = await listen(app, { prefix: '/v1' })
  const page = await openPage(t, url.slice(0, -1))
  t.equal(page.url(), url, 'with a trailing slash')
  await enter(page)
  await page.reload()
  await t.resolves(page.untilTitle('Main Menu'))
})
