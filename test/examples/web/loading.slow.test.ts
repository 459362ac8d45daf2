// The page while a screen loads and after a failure, and the duration of messages.

import { deferred } from '../../helpers.ts'
import { appOf, openAt, test } from './browser.ts'

const CARD = { layout: 'Card', title: 'Card' }

for (const way of ['its button', 'Esc'])
  test(`the page shows that a screen is loading, and ${way} cancels it`, async t => {
    const held = deferred()
    const app = await appOf(t, { card: CARD }, [{ label: 'slow', action: { type: 'open_screen', url: '/slow' } }])
    app.get('/slow', () => held.promise.then(() => ({ layout: 'Card', title: 'Slow' })))
    const page = await openAt(t, app)
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
  })

test('a screen that failed to load can be requested again, and its success removes the message', async t => {
  const page = await openAt(t, await appOf(t, { card: CARD }))
  await page.route('**/card', route => route.abort())
  await page.getByRole('link', { name: 'card' }).click()
  await page.untilMessage(/cannot be reached/)
  await page.unroute('**/card')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.untilTitle('Card')
  t.equal(await page.getByText('cannot be reached').count(), 0)
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

test('a link to a missing screen opens a card with a link to the menu', async t => {
  const page = await openAt(t, await appOf(t, {}))
  await page.evaluate("location.hash = '/gone'; location.reload()")
  await page.getByText('nothing at this address').waitFor()
  t.strictSame(await page.violations(), [])
  await page.locator('#menu-link').click()
  await t.resolves(page.untilTitle('Main Menu'))
})
