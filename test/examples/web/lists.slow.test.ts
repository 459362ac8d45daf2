// The lists of the web client, whose rows may open something.

import t, { type Test } from 'tap'
import { needs } from '../../needs.ts'
import { startServer } from '../process.ts'
import { focused, logIn, openPage, startBrowser, untilMessage, untilTitle, violations } from './browser.ts'
import { openScreen, PERSON, serverOf } from './screen-server.ts'

const path = needs(t, 'chromium', 'chromium-browser', 'google-chrome')
if (path !== undefined) {
  const browser = await startBrowser(t, path)

  const LIST = {
    layout: 'List',
    title: 'People',
    lines: {
      columns: [
        { id: 'username', label: 'Username' },
        { id: 'display_name', label: 'Display name' },
        { id: 'logins', label: 'Logins', align: 'right' }
      ],
      rows: [
        { index: 0, values: ['ada', 'Countess', '1,815'] },
        { index: 1, values: ['Grace & Co', 'Admiral', '7'] },
        { index: 2, values: ['', 'Nameless'] }
      ],
      row_count: 3,
      on_select: '/person?username={0}'
    }
  }
  async function listPage(t: Test, options = {}, more: object = {}) {
    const people = { ...LIST, lines: { ...LIST.lines, ...more } }
    const page = await openPage(t, browser, await serverOf(t, { people, person: PERSON }), options)
    await openScreen(page, 'people', 'People')
    return page
  }

  t.test('the first cell of a row has a link to what the row opens', async t => {
    const page = await listPage(t)
    const link = page.getByRole('link', { name: 'ada' })
    t.equal(await link.getAttribute('href'), '#/person?username=ada')
    await page.getByRole('region', { name: 'People' }).focus()
    await page.keyboard.press('Tab')
    t.equal(await focused(page), 'ada')
    await page.keyboard.press('Enter')
    await untilTitle(page, 'Person')
    t.match(page.url(), /#\/person\?username=ada$/)
    await page.goBack()
    await t.resolves(untilTitle(page, 'People'))
  })

  t.test('a new record is created from a List, with a button and no form', async t => {
    const { url } = await startServer(t, {})
    const page = await openPage(t, browser, url)
    await logIn(page)
    await page.getByRole('link', { name: 'Contacts' }).click()
    await untilTitle(page, 'Contacts')
    t.equal(await page.locator('form').count(), 0)
    await page.getByRole('button', { name: 'New' }).click()
    await untilTitle(page, 'New contact')
    await page.getByLabel('Name').fill('Zoë')
    await page.getByRole('button', { name: 'Create' }).click()
    await untilTitle(page, 'Zoë')
    await untilMessage(page, /^Created\.$/, 'status')
    t.match(page.url(), /#\/screen\/contact\?id=6$/)
    await page.getByRole('button', { name: 'Save' }).waitFor()
  })

  for (const width of [390, 1280]) {
    t.test(`the whole row can be clicked on, ${width} pixels`, async t => {
      const page = await listPage(t, { viewport: { width, height: 640 } })
      const row = page.getByRole('row', { name: 'ada' })
      const { width: x = 0, height: y = 0 } = (await row.boundingBox()) ?? {}
      await row.click({ position: { x: x - 2, y: y - 2 } })
      await t.resolves(untilTitle(page, 'Person'))
    })
  }

  t.test('a list is where it was when one comes back', async t => {
    const rows = Array.from({ length: 99 }, (_, i) => ({ values: [`row ${i}`] }))
    for (const comeBack of ['Back', 'Esc']) {
      const people = { ...LIST, lines: { ...LIST.lines, rows } }
      const person = { ...PERSON, parent_url: '/people' }
      const page = await openPage(t, browser, await serverOf(t, { people, person }))
      await openScreen(page, 'people', 'People')
      const row = page.getByRole('link', { name: 'row 60' })
      await row.focus()
      const top = await page.evaluate<number>('scrollY')
      t.ok(top > 100)
      await page.keyboard.press('Enter')
      await untilTitle(page, 'Person')
      t.equal(await page.evaluate('scrollY'), 0)
      if (comeBack === 'Back') await page.goBack()
      else await page.keyboard.press('Escape')
      await untilTitle(page, 'People')
      t.equal(await focused(page), 'row 60', comeBack)
      t.equal(await page.evaluate('scrollY'), top)
    }
  })

  t.test('dates and numbers are written as the reader does, numbers on the right', async t => {
    const columns = [
      { id: 'name', label: 'Name', type: 'Text' },
      { id: 'day', label: 'Day', type: 'Date' },
      { id: 'rate', label: 'Rate', type: 'Decimal' },
      { id: 'flag', label: 'Flag', type: 'Boolean' }
    ]
    const rows = [{ values: ['ada', '2026-11-03', '1234.50', 'false'] }]
    const page = await listPage(t, { locale: 'de-DE' }, { columns, rows })
    t.strictSame(await page.getByRole('cell').allTextContents(), ['ada', '03.11.2026', '1.234,50', 'No'])
    const rate = page.getByRole('cell', { name: '1.234,50' })
    const { x = 0, width = 0 } = (await rate.boundingBox()) ?? {}
    const head = await page.getByRole('columnheader', { name: 'Rate' }).boundingBox()
    t.equal(Math.round(x + width), Math.round((head?.x ?? 0) + (head?.width ?? 0)))
    t.match(await rate.getAttribute('class'), 'right')
  })

  t.test('in a narrow window each value has its label, and it is a table all the same', async t => {
    const page = await listPage(t, { viewport: { width: 320, height: 640 } })
    const cell = page.getByRole('cell', { name: 'Countess' })
    t.match(
      await page.evaluate("getComputedStyle(document.querySelectorAll('td')[1], '::before').content"),
      /Display name|data-label/
    )
    t.ok(await cell.isVisible())
    t.equal(await page.getByRole('row').count(), 4)
  })

  t.test('the link of a row has its values, each encoded', async t => {
    const page = await listPage(t)
    await page.getByRole('link', { name: 'Grace & Co' }).click()
    await untilTitle(page, 'Person')
    t.match(page.url(), /#\/person\?username=Grace%20%26%20Co$/)
  })

  t.test('a row whose first cell is empty can be clicked on all the same', async t => {
    const page = await listPage(t)
    await page.getByRole('row', { name: 'Nameless' }).getByRole('link', { name: 'Open' }).click()
    await t.resolves(untilTitle(page, 'Person'))
  })

  t.test('a row that leads to another server is not followed', async t => {
    const page = await listPage(t, {}, { on_select: 'https://example.com/{0}' })
    await page.getByRole('link', { name: 'ada' }).click()
    await t.resolves(untilMessage(page, /another server/))
  })

  t.test('a list whose rows open nothing is only text', async t => {
    const page = await listPage(t, {}, { on_select: undefined })
    const row = page.getByRole('row', { name: 'ada' })
    t.equal(await row.getByRole('cell').count(), 3)
    t.equal(await page.locator('main').getByRole('link').count(), 0)
  })

  t.test('a column of numbers is on the right', async t => {
    const page = await listPage(t)
    const aligned = await page.evaluate(
      `[...document.querySelectorAll('th, td')]
         .filter(({ textContent }) => ['Logins', '7'].includes(textContent.trim()))
         .map(cell => getComputedStyle(cell).textAlign)`
    )
    t.strictSame(aligned, ['end', 'end'])
  })

  for (const colorScheme of ['light', 'dark'] as const) {
    t.test(`axe-core finds nothing on a list, ${colorScheme}`, async t => {
      const page = await listPage(t, { colorScheme, viewport: { width: 320, height: 640 } })
      t.strictSame(await violations(page), [])
      t.equal(await page.evaluate('document.documentElement.scrollWidth'), 320)
    })
  }
}
