// The web client with the keyboard alone, and the help that lists the keys.

import t from 'tap'
import { needs } from '../../needs.ts'
import { startServer } from '../process.ts'
import { focused, logIn, openPage, startBrowser, untilMessage, untilTitle } from './browser.ts'
import { CREDENTIALS, cardOf, openScreen, serverOf } from './screen-server.ts'

const path = needs(t, 'chromium', 'chromium-browser', 'google-chrome')
if (path !== undefined) {
  const browser = await startBrowser(t, path)

  t.test('from the login to a saved contact and back, without a mouse', async t => {
    const { url } = await startServer(t, {})
    const page = await openPage(t, browser, url)
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key)
    }
    await untilTitle(page, 'Demo Company')
    await page.keyboard.type('demo')
    await press('Tab')
    await page.keyboard.type('demo-password')
    await press('Enter')
    await untilTitle(page, 'Main Menu')
    await press('ArrowDown', 'Enter')
    await untilTitle(page, 'Contacts')
    await press('End', 'Home', 'ArrowDown')
    const second = await focused(page)
    await press('Enter')
    await untilTitle(page, second)
    await page.getByLabel('Company').focus()
    await page.keyboard.type('!')
    await press('Control+s')
    await untilMessage(page, /Saved/, 'status')
    await page.locator('#title').focus()
    await press('Escape')
    await untilTitle(page, 'Contacts')
    t.equal(await focused(page), second, 'the list is where it was')
    await press('Escape')
    await t.resolves(untilTitle(page, 'Main Menu'))
  })

  t.test('the arrow keys move in a menu, from its tab into it, and not beyond its ends', async t => {
    const page = await openPage(t, browser, await serverOf(t, { one: {}, two: {}, three: {} }))
    await logIn(page, CREDENTIALS)
    await untilTitle(page, 'Main Menu')
    const steps = ['ArrowDown', 'ArrowDown', 'ArrowUp', 'End', 'ArrowDown', 'Home', 'ArrowUp']
    const seen = []
    for (const key of steps) {
      await page.keyboard.press(key)
      seen.push(await focused(page))
    }
    t.strictSame(seen, ['one', 'two', 'one', 'three', 'three', 'one', 'one'])
  })

  for (const key of ['?', 'F1']) {
    t.test(`${key} opens a help that lists the keys, and Esc closes it`, async t => {
      const page = await openPage(t, browser, await serverOf(t, { one: {} }))
      await logIn(page, CREDENTIALS)
      await untilTitle(page, 'Main Menu')
      await page.keyboard.press(key)
      const help = page.getByRole('dialog', { name: 'Keys' })
      for (const name of ['↑', 'Enter', 'Esc', 'Ctrl S', 'F1'])
        await help.getByText(name, { exact: true }).waitFor()
      await page.keyboard.press('Escape')
      await help.waitFor({ state: 'detached' })
      t.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'Main Menu')
    })
  }

  t.test('a key without a modifier does nothing while one types', async t => {
    const page = await openPage(
      t,
      browser,
      await serverOf(t, { card: cardOf([{ id: 'a', label: 'A', type: 'TextArea', value: '' }]) })
    )
    await openScreen(page, 'card', 'Card')
    await page.getByLabel('A').focus()
    for (const key of ['?', 'ArrowUp', 'Home', 'Escape', 'x']) await page.keyboard.press(key)
    t.equal(await page.getByLabel('A').inputValue(), 'x?')
    t.equal(await page.getByRole('dialog').count(), 0)
    await page.keyboard.press('F1')
    await t.resolves(page.getByRole('dialog', { name: 'Keys' }).waitFor())
  })

  t.test('Esc leads to the parent of a screen', async t => {
    const card = { layout: 'Card', title: 'Card', parent_url: '/list', sections: [] }
    const list = { layout: 'List', title: 'List', lines: { columns: [], rows: [] } }
    const page = await openPage(t, browser, await serverOf(t, { card, list }))
    await openScreen(page, 'card', 'Card')
    await page.keyboard.press('Escape')
    await untilTitle(page, 'List')
    await page.keyboard.press('Escape')
    await t.resolves(untilTitle(page, 'Main Menu'))
  })
}
