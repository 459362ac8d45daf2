// The address of the page, the history buttons of the browser, and screens that load slowly or fail.

import { deferred, host } from '../../helpers.ts'
import { NO_AUTH } from '../server/in-process.ts'
import { appOf, openAt, openExample, openMenu, test } from './browser.ts'

const CARD = { layout: 'Card', title: 'Card' }

test('the address of a screen opens the screen, and the address of another server is rejected', async t => {
  const { page, url } = await openExample(t, {}, NO_AUTH)
  await page.untilTitle('Main Menu')
  t.equal(await page.getByText('Log out').count(), 0, 'without a login there is no logout')
  await page.goto(`${url}/#/screen/users`)
  await page.untilTitle('Users')
  await page.goto(`${url}/#//example.com/menu`)
  await page.untilMessage(/another server/)
  t.match(page.url(), /#\/screen\/users$/)
  await page.evaluate("location.hash = '/gone'; location.reload()")
  await page.untilTitle('Not found')
  t.strictSame(await page.violations(), [])
  await page.locator('main').getByRole('link', { name: 'Main menu' }).click()
  await t.resolves(page.untilTitle('Main Menu'))
})

test('back passes over an address that no longer exists or that was corrected', async t => {
  let isGone = false
  const app = await host(t)
  app.get('/gone', (_, reply) => (isGone ? reply.callNotFound() : reply.send({ ...CARD, title: 'Gone' })))
  app.get('/card', async () => CARD)
  const page = await openAt(t, app)
  for (const [address, title] of Object.entries({ '#/gone': 'Gone', '#card': 'Card' })) {
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

test('the page shows that a screen is loading, and its button or Esc cancels it', async t => {
  let held = deferred()
  const app = await appOf(t, { card: CARD }, [{ label: 'slow', action: { type: 'open_screen', url: '/slow' } }])
  app.get('/slow', () => held.promise.then(() => ({ layout: 'Card', title: 'Slow' })))
  const page = await openAt(t, app)
  for (const way of ['its button', 'Esc']) {
    held = deferred()
    await page.getByRole('link', { name: 'slow' }).click()
    await page.getByRole('status').filter({ hasText: 'Loading…' }).waitFor()
    t.strictSame(await page.violations(), [])
    if (way === 'Esc') await page.pressKeys('Escape')
    else await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('Loading…').waitFor({ state: 'detached' })
    held.resolve()
    await page.choose('card', 'Card')
    await page.goBack()
    await t.resolves(page.untilTitle('Main Menu'))
  }
})

test('a success message disappears by itself, and an error message only when it is dismissed', async t => {
  const page = await openAt(t, await appOf(t, {}, [{ label: 'Print', action: { type: 'print' } }]))
  await page.clock.install()
  await page.getByText('Print').click()
  await page.clock.runFor(60_000)
  t.equal(await page.getByRole('alert').textContent(), 'Unknown action: print')
  const dismiss = page.getByRole('button', { name: 'Close' })
  await dismiss.click()
  await dismiss.waitFor({ state: 'detached' })
  await page.account('Log out')
  await page.untilMessage(/logged out/, 'status')
  await page.clock.runFor(9_000)
  await t.resolves(dismiss.waitFor({ state: 'detached' }))
})
