// Lists and menus, with the mouse and with the keyboard alone.

import type { Test } from 'tap'
import { appOf, openAt, openExample, openMenu, test } from './browser.ts'

/** Opens a page with a list. `more` replaces properties of the list. */
async function listPage(t: Test, options = {}, more: object = {}) {
  const columns = ['Username', 'Display name', 'Logins'].map(label => ({ label }))
  const rows = [{ values: ['ada', 'Countess', '1,815'] }, { values: ['', 'Nameless'] }]
  const lines = { columns, rows, on_select: '/person?username={0}', ...more }
  const person = { layout: 'Card', title: 'Person', parent_url: '/people' }
  const app = await appOf(t, { people: { layout: 'List', title: 'People', lines }, person })
  const page = await openAt(t, app, options)
  await page.choose('people', 'People')
  return page
}

test('the first cell of a row, even an empty one, has a link, and a click anywhere on the row opens its screen', async t => {
  for (const width of [390, 1280]) {
    const page = await listPage(t, { viewport: { width, height: 640 } })
    const link = page.getByRole('link', { name: 'ada' })
    t.equal(await link.getAttribute('href'), '#/person?username=ada')
    await page.getByRole('searchbox').focus()
    await page.pressKeys('Tab')
    t.equal(await page.focused(), 'ada')
    await page.getByRole('row', { name: 'Nameless' }).getByRole('link', { name: 'Open' }).waitFor()
    const row = await page.boxOf('tbody tr')
    await page.mouse.click(row.x + row.width - 2, row.y + row.height - 2)
    await page.untilTitle('Person')
    t.match(page.url(), /#\/person\?username=ada$/)
  }
})

test('a list of 5,000 rows restores its focus and scroll position after the way back', async t => {
  const rows = Array.from({ length: 5000 }, (_, i) => ({ values: [`row ${i}`] }))
  for (const comeBack of ['Back', 'the link']) {
    const page = await listPage(t, {}, { rows })
    await page.getByRole('link', { name: 'row 60', exact: true }).focus()
    const top = await page.evaluate<number>('scrollY')
    t.ok(top > 100)
    await page.pressKeys('Enter')
    await page.untilTitle('Person')
    t.equal(await page.evaluate('scrollY'), 0)
    if (comeBack === 'Back') await page.goBack()
    else await page.locator('#back').click()
    await page.untilTitle('People')
    t.equal(await page.focused(), 'row 60', comeBack)
    t.equal(await page.evaluate('scrollY'), top)
  }
})

test('the server filters a list during typing, and Enter opens the first row of what was typed', async t => {
  const { page } = await openMenu(t)
  await page.choose('Contacts')
  await page.getByText('5 entries').waitFor()
  await page.route('**/contacts?query=*', route => route.abort())
  await page.pressKeys('/', 'b', 'Enter')
  await page.untilMessage(/cannot be reached/)
  await page.unroute('**/contacts?query=*')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.waitForURL(/contacts\?query=b$/)
  t.equal(await page.getByText('cannot be reached').count(), 0)
  const filter = page.getByRole('searchbox', { name: 'Filter' })
  await filter.fill('tochter')
  await page.pressKeys('Enter')
  await page.untilTitle('Bruno Keller')
  await page.locator('#back').click()
  await page.getByText('1 entry').waitFor()
  t.equal(await page.focused(), 'Bruno Keller')
  t.equal(await filter.inputValue(), 'tochter')
  await filter.fill('')
  await page.getByText('5 entries').waitFor()
  t.ok(await filter.and(page.locator(':focus')).isVisible(), 'the filter keeps the focus')
})

test('an empty result is told once, in the list, which keeps its height and columns', async t => {
  for (const width of [390, 1280]) {
    const { page } = await openMenu(t, { viewport: { width, height: 800 } })
    await page.choose('Contacts')
    const shape = async () => [
      await page.boxOf('.list'),
      await page.locator('th').evaluateAll(cells => cells.map(cell => cell.getBoundingClientRect().x))
    ]
    const before = await shape()
    for (const typed of ['nobody', 'tochter', 'nobody']) {
      await page.getByRole('searchbox').fill(typed)
      await page.getByText(typed === 'nobody' ? 'No contacts found.' : '1 entry').waitFor()
      t.strictSame(await shape(), before, typed)
    }
    t.equal(await page.getByRole('status').filter({ hasText: /./ }).textContent(), 'No contacts found.')
    t.strictSame(await page.violations(), [])
  }
})

test('a slow search says that it searches, and a row opens even if it is chosen meanwhile', async t => {
  const page = await listPage(t)
  await page.route('**/people?query=*', () => {})
  await page.route('**/person*', async route => {
    await page.waitForTimeout(500)
    await route.continue()
  })
  await page.getByRole('searchbox').fill('x')
  await page.getByRole('status').filter({ hasText: 'Searching…' }).waitFor()
  await page.getByRole('link', { name: 'ada' }).click()
  await page.untilTitle('Person')
  t.match(page.url(), /person/)
})

test('dates and numbers have the format of the browser locale, and numbers are right-aligned', async t => {
  const columns = ['Text', 'Date', 'Decimal', 'Boolean'].map(type => ({ id: type, label: type, type }))
  const rows = ['true', 'false'].map(flag => ({ values: ['ada', '2026-11-03', '1234.50', flag] }))
  const page = await listPage(t, { locale: 'de-DE' }, { columns, rows })
  const shown = ['ada', '03.11.2026', '1.234,50']
  t.strictSame(await page.getByRole('cell').allTextContents(), [...shown, '', ...shown, '–'])
  t.ok(await page.getByRole('img', { name: 'Boolean' }).isVisible(), 'a check mark')
  const alignments = `[...document.querySelectorAll('th, td')].map(cell => getComputedStyle(cell).textAlign)`
  const expected = ['start', 'start', 'right', 'start']
  t.strictSame(await page.evaluate(alignments), [...expected, ...expected, ...expected])
})

test('in a narrow window a row has two values with words, and all others with labels, and is still part of a table', async t => {
  const long = 'Wolfeschlegelsteinhausen '.repeat(9).trim()
  for (const [types, values, shown] of [
    ['Text Date Text Text Text', ['Ada', '2026-11-03', '✓', long, 'x'], ['Ada', 'Nov 3, 2026', '✓', long]],
    ['Integer Phone Text', ['7', '+44 20 1', 'Rome'], ['7', '+44 20 1', 'Rome']],
    ['Integer Decimal Boolean', ['7', '2.50', 'true'], ['7', '2.50', '']],
    ['Text', [long], [long]]
  ] as const) {
    const columns = types.split(' ').map((type, id) => ({ id, label: type, type }))
    const page = await listPage(t, { viewport: { width: 320, height: 640 } }, { columns, rows: [{ values }] })
    const widths = await page.locator('td').evaluateAll(cells => cells.map(cell => cell.clientWidth))
    const texts = await page.locator('td').allTextContents()
    const visible = texts.filter((_, index) => Number(widths[index]) > 1)
    t.strictSame(visible, shown)
    t.ok((await page.boxOf('tbody tr')).height < 150, 'a long text is cut')
    t.equal(await page.getByRole('columnheader').count(), columns.length)
    t.equal(await page.getByRole('cell').count(), columns.length)
  }
})

test('menu items open other sites and menus', async t => {
  const app = await appOf(t, { inner: { layout: 'Menu', title: 'Inner' } }, [
    { label: 'Docs', action: { type: 'open_url', url: 'https://example.com/docs' } },
    { label: 'Inner menu', action: { type: 'open_menu', url: '/inner' } }
  ])
  const page = await openAt(t, app)
  const docs = page.getByText('Docs')
  t.equal(await docs.getAttribute('href'), 'https://example.com/docs')
  t.match(await docs.getAttribute('rel'), /noopener noreferrer/)
  t.strictSame(await page.violations(), [])
  await page.getByText('Inner menu').click()
  await t.resolves(page.untilTitle('Inner'))
})

test('the keyboard alone is enough from the login to a saved contact and back', async t => {
  const { page } = await openExample(t)
  await page.untilTitle('Demo Company')
  await page.keyboard.type('demo')
  await page.pressKeys('Tab')
  await page.keyboard.type('demo-password')
  await page.pressKeys('Enter')
  await page.untilTitle('Main Menu')
  await page.pressKeys('ArrowUp', 'ArrowDown', 'ArrowDown', 'ArrowUp', 'ArrowUp')
  t.equal(await page.focused(), 'Contacts', 'the keys stop at the first item')
  await page.pressKeys('Enter')
  await page.untilTitle('Contacts')
  await page.pressKeys('End', 'ArrowDown')
  t.equal(await page.focused(), 'Élodie Tran', 'and at the last one')
  await page.pressKeys('Home', 'ArrowDown')
  const second = await page.focused()
  await page.pressKeys('Enter')
  await page.untilTitle(second)
  await page.getByLabel('Company').focus()
  await page.keyboard.type('?/')
  // In Safari, only the code of a key tells that it ends a composition.
  const devtools = await page.context().newCDPSession(page)
  const composing = { type: 'keyDown', windowsVirtualKeyCode: 229 } as const
  for (const place of ['#submit', '#menu-link', '#title', '[name=company]']) {
    await page.locator(place).focus()
    for (const key of [{ key: 'Enter', text: '\r' }, { key: 'Escape' }, { key: '?' }])
      await devtools.send('Input.dispatchKeyEvent', { ...composing, ...key })
  }
  await page.pressKeys('Enter')
  await page.untilMessage(/Saved/, 'status')
  t.match(await page.getByLabel('Company').inputValue(), /\?\/$/, 'in a field the keys are text')
  await page.pressKeys('Escape')
  t.ok(await page.locator('body:focus, body:not(:has(:focus))').isVisible(), 'Esc leaves the field')
  await page.pressKeys('Escape')
  await page.untilTitle('Contacts')
  t.equal(await page.focused(), second, 'the list restores its focus')
  await page.pressKeys('/', 'ArrowDown', 'ArrowUp')
  t.ok(await page.locator('#filter:focus').isVisible(), 'from the first row back to the filter')
  await page.pressKeys('Escape', 'Escape')
  await t.resolves(page.untilTitle('Main Menu'))
})

test('?, F1 and the menu of the user, by keyboard, open a help that lists the keys, and Esc closes it', async t => {
  const { page } = await openMenu(t)
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  for (const keys of [['?'], ['F1'], ['Enter', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter']]) {
    await page.locator('#account').focus()
    await page.pressKeys(...keys)
    t.match(await help.textContent(), /↑↓.*HomeEnd.*Enter.*\/.*Esc.*Ctrl S.*\?F1/s)
    t.strictSame(await page.violations(), [])
    await page.pressKeys('Escape')
    await help.waitFor({ state: 'detached' })
  }
  t.equal(await page.focused(), 'Demo User', 'the focus returns to the button')
})

test('the breadcrumb links to the menu and the parent, and names the current screen', async t => {
  const card = { layout: 'Card', title: 'Card', parent_url: '/list' }
  const page = await openAt(t, await appOf(t, { card, list: { layout: 'List', title: 'List' } }))
  const parts = page.getByRole('navigation', { name: 'Breadcrumb' }).locator('a, [aria-current=page]')
  t.strictSame(await parts.allInnerTexts(), [''], 'the logo')
  t.ok(await page.getByRole('link', { name: 'Main menu' }).isVisible())
  await page.choose('list', 'List')
  await page.locator('#menu-link').click()
  await page.untilTitle('Main Menu')
  await page.choose('card', 'Card')
  t.strictSame(await parts.allInnerTexts(), ['', 'List', 'Card'])
  await page.reload()
  await page.untilTitle('Card')
  t.strictSame(await parts.allInnerTexts(), ['', 'list', 'Card'], 'before a visit, the label of the menu')
  await page.setViewportSize({ width: 320, height: 640 })
  t.ok((await page.boxOf('#back')).height >= 44)
  t.ok((await page.boxOf('#back > bdi')).width > 20, 'a narrow window shows the name of the way back')
  t.equal((await page.boxOf('[aria-current]')).width, 1)
  await page.locator('#back').click()
  await t.resolves(page.untilTitle('List'))
})
