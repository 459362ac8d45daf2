// The lists of the web client, whose rows may open something.

import t, { type Test } from 'tap'
import { needs } from '../../needs.ts'
import { focused, logIn, openPage, startBrowser, untilMessage, untilTitle, violations } from './browser.ts'
import { CREDENTIALS, PERSON, serverOf } from './screen-server.ts'

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
    await logIn(page, CREDENTIALS)
    await untilTitle(page, 'Main Menu')
    await page.getByText('people').click()
    await untilTitle(page, 'People')
    return page
  }

  t.test('the first cell of a row is a link to what the row opens', async t => {
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

  t.test('the whole cell of a link can be clicked on', async t => {
    const page = await listPage(t)
    const cell = page.getByRole('cell', { name: 'ada' })
    const { width = 0, height = 0 } = (await cell.boundingBox()) ?? {}
    await cell.click({ position: { x: width - 2, y: height - 2 } })
    await t.resolves(untilTitle(page, 'Person'))
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
    await t.resolves(untilMessage(page, /another server. Nothing was sent/))
  })

  t.test('a list whose rows open nothing is only text', async t => {
    const page = await listPage(t, {}, { on_select: undefined })
    const row = page.getByRole('row', { name: 'ada' })
    t.equal(
      await row.innerHTML(),
      '<td dir="auto">ada</td><td dir="auto">Countess</td><td dir="auto" class="right">1,815</td>'
    )
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
