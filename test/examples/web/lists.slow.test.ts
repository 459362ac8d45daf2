// The lists of the web client, whose rows may open a screen.

import type { Test } from 'tap'
import { appOf, openAt, openMenu, test } from './browser.ts'

const columns = [
  { id: 'username', label: 'Username' },
  { id: 'display_name', label: 'Display name' },
  { id: 'logins', label: 'Logins', align: 'right' }
]
const rows = [
  { index: 0, values: ['ada', 'Countess', '1,815'] },
  { index: 1, values: ['', 'Nameless'] }
]

/** Opens a page with a list. `more` replaces properties of the list. */
async function listPage(t: Test, options = {}, more: object = {}) {
  const lines = { columns, rows, on_select: '/person?username={0}', ...more }
  const person = { layout: 'Card', title: 'Person', parent_url: '/people' }
  const app = await appOf(t, { people: { layout: 'List', title: 'People', lines }, person })
  const page = await openAt(t, app, options)
  await page.choose('people', 'People')
  return page
}

test('the first cell of a row has a link to the screen that the row opens', async t => {
  const page = await listPage(t)
  const link = page.getByRole('link', { name: 'ada' })
  t.equal(await link.getAttribute('href'), '#/person?username=ada')
  await page.getByRole('region', { name: 'People' }).focus()
  await page.pressKeys('Tab')
  t.equal(await page.focused(), 'ada')
  await page.pressKeys('Enter')
  await page.untilTitle('Person')
  t.match(page.url(), /#\/person\?username=ada$/)
})

test('a row with an empty first cell has a link, too', async t => {
  const page = await listPage(t)
  await page.getByRole('row', { name: 'Nameless' }).getByRole('link', { name: 'Open' }).click()
  await t.resolves(page.untilTitle('Person'))
})

test('a click anywhere on a row opens its screen', async t => {
  for (const width of [390, 1280]) {
    const page = await listPage(t, { viewport: { width, height: 640 } })
    const row = page.getByRole('row', { name: 'ada' })
    const { width: x = 0, height: y = 0 } = (await row.boundingBox()) ?? {}
    await row.click({ position: { x: x - 2, y: y - 2 } })
    await t.resolves(page.untilTitle('Person'))
  }
})

test('a list whose rows open nothing has no links', async t => {
  const page = await listPage(t, {}, { on_select: undefined })
  t.equal(await page.getByRole('row', { name: 'ada' }).getByRole('cell').count(), 3)
  t.equal(await page.locator('main').getByRole('link').count(), 0)
})

test('a list restores its focus and scroll position after the way back', async t => {
  const rows = Array.from({ length: 99 }, (_, i) => ({ values: [`row ${i}`] }))
  for (const comeBack of ['Back', 'Esc']) {
    const page = await listPage(t, {}, { rows })
    await page.getByRole('link', { name: 'row 60' }).focus()
    const top = await page.evaluate<number>('scrollY')
    t.ok(top > 100)
    await page.pressKeys('Enter')
    await page.untilTitle('Person')
    t.equal(await page.evaluate('scrollY'), 0)
    if (comeBack === 'Back') await page.goBack()
    else await page.pressKeys('Escape')
    await page.untilTitle('People')
    t.equal(await page.focused(), 'row 60', comeBack)
    t.equal(await page.evaluate('scrollY'), top)
  }
})

test('a list shows the number of entries, and the server filters it during typing', async t => {
  const { page } = await openMenu(t)
  await page.choose('Contacts')
  await page.getByText('5 entries').waitFor()
  await page.pressKeys('/')
  await page.keyboard.type('tochter')
  await page.getByText('1 entry').waitFor()
  t.match(page.url(), /contacts\?query=tochter$/)
  const filter = page.getByRole('searchbox', { name: 'Filter' })
  t.ok(await filter.and(page.locator(':focus')).isVisible(), 'the filter keeps the focus')
  await page.choose('Bruno Keller')
  await page.goBack()
  await page.getByText('1 entry').waitFor()
  t.equal(await filter.inputValue(), 'tochter')
  await filter.fill('')
  await t.resolves(page.getByText('5 entries').waitFor())
})

test('a row opens even if it is chosen right after typing a filter', async t => {
  const page = await listPage(t)
  await page.route('**/person*', async route => {
    await page.waitForTimeout(500)
    await route.continue()
  })
  await page.getByRole('searchbox').fill('x')
  await page.getByRole('link', { name: 'ada' }).click()
  await page.untilTitle('Person')
  t.match(page.url(), /person/)
})

test('a list of 5,000 rows is drawn and usable', async t => {
  const rows = Array.from({ length: 5000 }, (_, i) => ({ values: [`row ${i}`, 'x', i] }))
  const page = await listPage(t, {}, { rows })
  t.equal(await page.getByRole('row').count(), 5001)
  await page.pressKeys('End')
  t.equal(await page.focused(), 'row 4999')
  await page.pressKeys('Enter')
  await t.resolves(page.untilTitle('Person'))
})

test('dates and numbers have the format of the browser locale, and numbers are right-aligned', async t => {
  const columns = ['Text', 'Date', 'Decimal', 'Boolean'].map(type => ({ id: type, label: type, type }))
  const rows = ['true', 'false'].map(flag => ({ values: ['ada', '2026-11-03', '1234.50', flag] }))
  const page = await listPage(t, { locale: 'de-DE' }, { columns, rows })
  const shown = ['ada', '03.11.2026', '1.234,50']
  t.strictSame(await page.getByRole('cell').allTextContents(), [...shown, '', ...shown, '–'])
  t.ok(await page.getByRole('img', { name: 'Boolean' }).isVisible(), 'a check mark')
  const alignments = `[...document.querySelectorAll('th, td')].map(cell => getComputedStyle(cell).textAlign)`
  const expected = ['start', 'start', 'end', 'start']
  t.strictSame(await page.evaluate(alignments), [...expected, ...expected, ...expected])
})

test('in a narrow window a row has two lines and is still part of a table', async t => {
  const page = await listPage(t, { viewport: { width: 320, height: 640 } })
  const tops = await page
    .locator('td:not(.none)')
    .evaluateAll(cells => cells.map(cell => cell.getBoundingClientRect().top))
  t.ok(Number(tops[1]) > Number(tops[0]))
  t.equal(tops[1], tops[2])
  t.ok(await page.getByRole('cell', { name: 'Countess' }).isVisible())
  t.equal(await page.getByRole('row').count(), 3)
  t.equal(await page.getByRole('columnheader').count(), 3)
})
