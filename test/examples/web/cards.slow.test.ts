// The Cards of the web client, and the screens of which it does not know the layout.

import t from 'tap'
import { host } from '../../helpers.ts'
import { needs } from '../../needs.ts'
import { freshDatabase, startServer } from '../process.ts'
import { focused, logIn, openPage, startBrowser, untilMessage, untilTitle, violations } from './browser.ts'
import { CREDENTIALS, listen, PERSON, serverOf } from './screen-server.ts'

const path = needs(t, 'chromium', 'chromium-browser', 'google-chrome')
if (path !== undefined) {
  const browser = await startBrowser(t, path)

  t.test('a Card is saved: the answer is shown, and the passwords are cleared', async t => {
    const { url } = await startServer(t, freshDatabase(t))
    const page = await openPage(t, browser, url)
    await logIn(page)
    await page.getByText('Change password').click()
    const fields = ['Current password', 'New password', 'New password again'].map(label =>
      page.getByLabel(label, { exact: true })
    )
    const save = async (...values: string[]) => {
      for (const [i, value] of values.entries()) await fields[i]?.fill(value)
      await page.keyboard.press('Enter')
    }
    await save('wrong', 'new-password', 'new-password')
    await untilMessage(page, /current password is wrong/)
    for (const field of fields) t.equal(await field.inputValue(), '')
    t.equal(await focused(page), 'repeat_password')
    await save('demo-password', 'new-password', 'new-password')
    await untilMessage(page, /was changed/, 'status')
    await page.getByRole('button', { name: 'Log out' }).click()
    await logIn(page, { username: 'demo', password: 'new-password' })
    await t.resolves(untilTitle(page, 'Main Menu'))
  })

  t.test('fields of unknown types, and of none, can be read and saved', async t => {
    const fields = [
      { id: 'a', label: 'Day', type: 'Date', value: '2026-11-21' },
      { id: 'b', type: 'Number', value: 12 },
      { id: 'c', label: 'Nothing', value: null },
      { id: 'd', label: 'Lines', type: 'Text', value: 'one\ntwo' },
      { id: 'e', label: 'Fixed', type: 'Text', value: 'fast', editable: false },
      { id: 'constructor', label: 'Odd', type: 'Text', value: 'x' },
      null
    ]
    const card = { layout: 'Card', title: 'Types', save_action: '/save', sections: [{ fields }, 7, {}] }
    const app = await host(t)
    app.get('/card', async () => card)
    let saved: unknown
    app.post('/save', async request => {
      saved = request.body
      return { success: true }
    })
    const page = await openPage(t, browser, await listen(app))
    await logIn(page, CREDENTIALS)
    await untilTitle(page, 'Main Menu')
    await page.goto(`${page.url()}#/card`)
    await untilTitle(page, 'Types')
    await page.getByLabel('Nothing').fill('something')
    await page.getByRole('button', { name: 'Save' }).click()
    await untilMessage(page, /Saved/, 'status')
    t.equal(
      JSON.stringify(saved),
      '{"fields":{"a":"2026-11-21","b":"12","c":"something","d":"one\\ntwo","e":"fast","constructor":"x"}}'
    )
    t.strictSame(await violations(page), [])
  })

  t.test('a layout that nobody knows shows the parts that it has, or says so', async t => {
    const screens = {
      Chart: { layout: 'Chart', title: 'Chart' },
      Mixed: {
        layout: 'Mixed',
        title: 'Mixed',
        sections: [{ fields: [{ id: 'a', label: 'A', value: 'b' }] }],
        lines: { columns: [{ label: 'n' }], rows: [{ values: [1] }] }
      },
      Nobody: { layout: 'List', title: 'Nobody', lines: { columns: [{ id: 'a', label: 'A' }] } },
      Bare: { layout: 'Card', title: 'Bare' },
      Vacant: { layout: 'Menu', title: 'Vacant' }
    }
    const page = await openPage(t, browser, await serverOf(t, screens))
    await logIn(page, CREDENTIALS)
    const seen: Record<string, string | null> = {}
    for (const name of Object.keys(screens)) {
      await untilTitle(page, 'Main Menu')
      await page.getByText(name).click()
      await untilTitle(page, name)
      seen[name] = await page.locator('main').textContent()
      t.strictSame(await violations(page), [], name)
      t.equal(await page.locator('#display-name').textContent(), 'Ada Lovelace', 'on every screen')
      await page.getByText('Main menu').click()
    }
    t.match(seen, {
      Chart: 'cannot draw the layout "Chart"',
      Mixed: /Ab.*n1/,
      Nobody: /A.*Nothing here yet/,
      Bare: 'empty',
      Vacant: 'empty'
    })
  })

  t.test('the button that saves a Card says what the server calls it', async t => {
    const app = await host(t)
    let answer = () => {}
    const held = new Promise<void>(resolve => {
      answer = resolve
    })
    app.get('/person', async () => PERSON)
    app.post('/save', async () => {
      await held
      return { success: true, message: 'Gone.' }
    })
    const page = await openPage(t, browser, await listen(app))
    await logIn(page, CREDENTIALS)
    await untilTitle(page, 'Main Menu')
    await page.goto(`${page.url()}#/person`)
    await page.getByRole('button', { name: 'Sign out everywhere', exact: true }).click()
    const busy = page.getByRole('button', { name: 'Sign out everywhere…' })
    t.equal(await busy.getAttribute('aria-disabled'), 'true')
    answer()
    await untilMessage(page, /Gone/, 'status')
    t.equal(await page.locator('button[type=submit]').textContent(), 'Sign out everywhere')
    t.strictSame(await violations(page), [])
  })
}
