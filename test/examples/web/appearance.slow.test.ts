// What a person sees of the web client: for every eye, and in every window.

import t from 'tap'
import { ADA, host } from '../../helpers.ts'
import { needs } from '../../needs.ts'
import { startServer } from '../process.ts'
import { focused, logIn, openPage, startBrowser, untilMessage, untilTitle, violations } from './browser.ts'
import { CREDENTIALS, listen, serverOf } from './screen-server.ts'

const path = needs(t, 'chromium', 'chromium-browser', 'google-chrome')
if (path !== undefined) {
  const browser = await startBrowser(t, path)

  for (const colorScheme of ['light', 'dark'] as const) {
    t.test(`axe-core finds nothing on any screen, ${colorScheme}`, async t => {
      const server = await startServer(t, {})
      const page = await openPage(t, browser, server.url, { colorScheme })
      const check = async (screen: string) => t.strictSame(await violations(page), [], screen)
      await untilTitle(page, 'Demo Company')
      await check('login form')
      await logIn(page, { username: 'demo', password: 'wrong' })
      await untilMessage(page, /Wrong/)
      await check('rejection')
      await logIn(page)
      await untilTitle(page, 'Main Menu')
      await check('menu')
      await page.getByRole('tab', { name: 'Directory' }).click()
      await page.getByText('About').click()
      await untilMessage(page, /example server/, 'status')
      await check('another tab, and a message')
      await page.getByText('Users').click()
      await untilTitle(page, 'Users')
      await check('list')
      await page.getByText('Main menu').click()
      await page.getByRole('tab', { name: 'Account' }).click()
      await page.getByText('Profile').click()
      await untilTitle(page, 'Profile')
      await check('card to read')
      await page.goBack()
      await page.getByText('Change password').click()
      await untilTitle(page, 'Change password')
      await check('card to save')
      await server.stop()
      await page.getByText('Main menu').click()
      await untilTitle(page, 'No answer')
      await check('offline')
    })
  }

  t.test('no screen is wider than a window of 320 pixels', async t => {
    const { url } = await startServer(t, {})
    const page = await openPage(t, browser, url, { viewport: { width: 320, height: 640 } })
    const check = async () => t.equal(await page.evaluate('document.documentElement.scrollWidth'), 320)
    await untilTitle(page, 'Demo Company')
    await check()
    await logIn(page)
    for (const [tab, title] of [
      ['Account', 'Profile'],
      ['Account', 'Change password'],
      ['Directory', 'Users']
    ] as const) {
      await untilTitle(page, 'Main Menu')
      await check()
      await page.getByRole('tab', { name: tab }).click()
      await page.getByText(title).click()
      await untilTitle(page, title)
      await check()
      await page.getByText('Main menu').click()
    }
  })

  t.test('a wide list scrolls by itself, and long names leave the button whole', async t => {
    const columns = Array.from({ length: 12 }, (_, i) => ({ id: `c${i}`, label: `Column number ${i}` }))
    const wide = { layout: 'List', title: 'Wide', lines: { columns, rows: [{ values: ['', 'x'] }] } }
    const popup = {
      type: 'popup',
      items: [{ label: 'Inner', action: { type: 'message', text: 'long '.repeat(999) } }]
    }
    const items = [
      { label: 'wide', action: { type: 'open_screen', url: '/wide' } },
      { label: 'More', action: popup }
    ]
    const name = 'Wolfeschlegelsteinhausenbergerdorff '.repeat(3)
    const app = await host(t, {
      checkCredentials: () => ({ ...ADA, displayName: name }),
      mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: { tabs: [{ label: 'All', items }] } })
    })
    app.get('/wide', async () => wide)
    const url = await listen(app)
    for (const width of [320, 768]) {
      const page = await openPage(t, browser, url, { viewport: { width, height: 640 } })
      await logIn(page, CREDENTIALS)
      await untilTitle(page, 'Main Menu')
      const left = async (text: string) => (await page.getByText(text).boundingBox())?.x ?? 0
      t.ok(
        ((await page.getByRole('button', { name: 'Log out' }).boundingBox())?.height ?? 99) < 40,
        'one line'
      )
      await page.getByText('More').click()
      t.ok((await left('Inner')) > (await left('More')), 'what is in a popup is indented')
      await page.getByText('Inner').click()
      await untilMessage(page, /long/, 'status')
      t.strictSame(await violations(page), [], 'a long message can be scrolled')
      await page.getByText('wide').click()
      await untilTitle(page, 'Wide')
      t.equal(await page.evaluate('document.documentElement.scrollWidth'), width)
    }
  })

  t.test(
    'the bar covers nothing that has the focus, in a window as small as a zoom of 400 % makes it',
    async t => {
      const screens = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`item${i}`, {}]))
      const url = await serverOf(t, screens)
      const page = await openPage(t, browser, url, { viewport: { width: 320, height: 256 } })
      await logIn(page, CREDENTIALS)
      await untilTitle(page, 'Main Menu')
      for (let i = 0; i < 11; i++) {
        await page.keyboard.press('Tab')
        const below = `document.activeElement.getBoundingClientRect().bottom -
        document.querySelector('footer').getBoundingClientRect().top`
        t.ok((await page.evaluate<number>(below)) <= 0, await focused(page))
      }
    }
  )

  t.test('with forced colours it is seen which tab is open', async t => {
    const { url } = await startServer(t, {})
    const page = await openPage(t, browser, url, { forcedColors: 'active' })
    await logIn(page)
    const colour = (selected: boolean) =>
      page.evaluate(
        `getComputedStyle(document.querySelector('[role=tab][aria-selected=${selected}]')).borderBottomColor`
      )
    await untilTitle(page, 'Main Menu')
    t.not(await colour(true), await colour(false))
  })
}
