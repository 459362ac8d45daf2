// The lists of the web client, whose rows may have an action.

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
    columns: [
      { id: 'username', label: 'Username' },
      { id: 'display_name', label: 'Display name' }
    ],
    rows: [
      {
        username: 'ada',
        display_name: 'Countess',
        action: { type: 'open_screen', url: '/person?username=ada' }
      },
      { username: 'grace', display_name: 'Admiral' },
      {
        username: '',
        display_name: 'Nameless',
        action: { type: 'open_menu', url: 'https://example.com/menu' }
      },
      { username: 'hi', display_name: 'Message', action: { type: 'message', text: 'Hello.' } },
      {
        username: 'more',
        display_name: 'Popup',
        action: {
          type: 'popup',
          items: [{ label: 'Inner', action: { type: 'open_screen', url: '/person' } }]
        }
      }
    ]
  }
  async function listPage(t: Test, options = {}) {
    const page = await openPage(t, browser, await serverOf(t, { people: LIST, person: PERSON }), options)
    await logIn(page, CREDENTIALS)
    await untilTitle(page, 'Main Menu')
    await page.getByText('people').click()
    await untilTitle(page, 'People')
    return page
  }

  t.test('the first cell of a row with an action is a link, as in a menu', async t => {
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

  t.test('an action that leads nowhere is a button in its row, or opens in it', async t => {
    const page = await listPage(t)
    await page.getByRole('button', { name: 'hi' }).click()
    await untilMessage(page, /^Hello\.$/, 'status')
    t.equal(await page.getByText('Inner').isVisible(), false)
    await page.getByText('more', { exact: true }).click()
    await page.getByText('Inner').click()
    await t.resolves(untilTitle(page, 'Person'))
  })

  t.test('a row whose first cell is empty can be clicked on all the same', async t => {
    const page = await listPage(t)
    await page.getByRole('row', { name: 'Nameless' }).getByRole('link', { name: 'Open' }).click()
    await t.resolves(untilMessage(page, /another server. Nothing was sent/))
  })

  t.test('a row without an action is only text', async t => {
    const page = await listPage(t)
    const row = page.getByRole('row', { name: 'grace' })
    t.equal(await row.innerHTML(), '<td dir="auto">grace</td><td dir="auto">Admiral</td>')
  })

  for (const colorScheme of ['light', 'dark'] as const) {
    t.test(`axe-core finds nothing on a list with actions, ${colorScheme}`, async t => {
      const page = await listPage(t, { colorScheme, viewport: { width: 320, height: 640 } })
      await page.getByText('more', { exact: true }).click()
      t.strictSame(await violations(page), [])
      t.equal(await page.evaluate('document.documentElement.scrollWidth'), 320)
    })
  }
}
