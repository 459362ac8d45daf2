// What a person sees of the web client: for every eye, and in every window.

import type { BrowserContextOptions, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { ADA, host } from '../../helpers.ts'
import { needs } from '../../needs.ts'
import { startServer } from '../process.ts'
import { focused, logIn, openPage, startBrowser, untilMessage, untilTitle, violations } from './browser.ts'
import { appOf, CREDENTIALS, listen, openScreen, serverOf } from './screen-server.ts'

const path = needs(t, 'chromium', 'chromium-browser', 'google-chrome')
if (path !== undefined) {
  const browser = await startBrowser(t, path)

  /** Walks through all kinds of screens, and calls `check` on each. */
  async function walk(page: Page, check: (screen: string) => Promise<unknown>): Promise<void> {
    const back = () => page.locator('#menu-link').click()
    await untilTitle(page, 'Demo Company')
    await check('login form')
    await logIn(page, { username: 'demo', password: 'wrong' })
    await untilMessage(page, /Wrong/)
    await check('rejection')
    await logIn(page)
    await untilTitle(page, 'Main Menu')
    await check('menu')
    await page.keyboard.press('F1')
    await page.getByRole('dialog').waitFor()
    await check('help')
    await page.keyboard.press('Escape')
    await page.getByRole('tab', { name: 'Directory' }).click()
    await page.getByText('About').click()
    await untilMessage(page, /example server/, 'status')
    await check('another tab, and a message')
    await page.getByRole('tab', { name: 'Account' }).click()
    await page.getByText('Profile').click()
    await untilTitle(page, 'Profile')
    await check('card to read')
    await back()
    await page.getByRole('tab', { name: 'Contacts' }).click()
    await page.getByRole('link', { name: 'Contacts' }).click()
    await untilTitle(page, 'Contacts')
    await check('list')
    await page.locator('.row-link').first().click()
    await page.getByLabel('Name').fill('')
    await page.getByRole('button', { name: 'Save' }).click()
    await check('card to save, with a fault')
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('alertdialog').waitFor()
    await check('question')
    await page.keyboard.press('Escape')
    await page.route('**/menu/main', route => route.abort())
    await page.reload()
    await untilTitle(page, 'No connection')
    await check('failed')
  }

  const WINDOWS: Record<string, BrowserContextOptions> = {
    '320 pixels': { viewport: { width: 320, height: 640 } },
    '768 pixels, dark': { viewport: { width: 768, height: 1024 }, colorScheme: 'dark' },
    '1280 pixels': { viewport: { width: 1280, height: 800 } },
    '390 pixels, dark': { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
    '2560 pixels, dark': { viewport: { width: 2560, height: 1440 }, colorScheme: 'dark' },
    'a zoom of 400 %': { viewport: { width: 320, height: 256 } },
    'forced colours': { viewport: { width: 1280, height: 800 }, forcedColors: 'active' },
    'reduced motion': { viewport: { width: 390, height: 844 }, reducedMotion: 'reduce' }
  }
  for (const [name, options] of Object.entries(WINDOWS)) {
    t.test(`axe-core finds nothing on any screen, and nothing is wider than the window: ${name}`, async t => {
      const { url } = await startServer(t, {})
      const page = await openPage(t, browser, url, options)
      await walk(page, async screen => {
        t.strictSame(await violations(page), [], screen)
        t.equal(await page.evaluate('document.documentElement.scrollWidth'), options.viewport?.width, screen)
      })
    })
  }

  t.test('the header is one line on a phone', async t => {
    const { url } = await startServer(t, {})
    const page = await openPage(t, browser, url, { viewport: { width: 320, height: 640 } })
    await logIn(page)
    await untilTitle(page, 'Main Menu')
    await page.getByRole('tab', { name: 'Account' }).click()
    await page.getByText('Change password').click()
    await untilTitle(page, 'Change password')
    const boxes = await Promise.all(
      ['header', '#menu-link', '#title', '#display-name', '#log-out'].map(one =>
        page.locator(one).boundingBox()
      )
    )
    t.ok((boxes[0]?.height ?? 99) < 60)
    const middles = boxes.map(box => Math.round(((box?.y ?? 0) + (box?.height ?? 0) / 2) / 4))
    t.equal(new Set(middles).size, 1, `${middles}`)
    t.ok(await page.getByRole('button', { name: 'Log out' }).isVisible())
  })

  t.test('the form stands where the eye is', async t => {
    const { url } = await startServer(t, {})
    for (const [width, height] of [
      [390, 844],
      [1280, 800],
      [2560, 1440]
    ] as const) {
      const page = await openPage(t, browser, url, { viewport: { width, height } })
      await untilTitle(page, 'Demo Company')
      const top = (await page.locator('#logo').boundingBox())?.y ?? 0
      const {
        x = 0,
        y = 0,
        width: wide = 0,
        height: high = 0
      } = (await page.locator('form').boundingBox()) ?? {}
      const middle = (top + y + high) / 2 / height
      t.ok(middle > 0.35 && middle < 0.48, `${middle}`)
      t.ok(Math.abs(x + wide / 2 - width / 2) < 2)
    }
  })

  /** A page whose server has another brand. */
  async function brandedPage(t: Test, colour: string, options: BrowserContextOptions) {
    const brand = t.testdir({
      'brand.css': `:root { --brand: ${colour} }`,
      'logo.svg': '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><title>Logo</title></svg>'
    })
    const app = await appOf(t, { inner: { layout: 'Menu', title: 'Inner' } })
    return openPage(t, browser, await listen(app, { brand }), options)
  }

  /** The contrast (WCAG 2.2) between a colour of an element and the background of another. */
  const contrast = (page: Page, of: string, property: string, on: string) =>
    page.evaluate<number>(`(() => {
      document.body.append(Object.assign(document.createElement('a'), { className: 'probe' }))
      const canvas = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d')
      const luminance = (selector, property) => {
        canvas.fillStyle = getComputedStyle(document.querySelector(selector))[property]
        canvas.fillRect(0, 0, 1, 1)
        const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map(one =>
          one / 255 <= 0.04045 ? one / 255 / 12.92 : ((one / 255 + 0.055) / 1.055) ** 2.4
        )
        return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05
      }
      const pair = [luminance('${of}', '${property}'), luminance('${on}', 'backgroundColor')]
      return Math.max(...pair) / Math.min(...pair)
    })()`)

  for (const colour of ['#ffe100', '#e5007d', '#0a2a12', '#f2f2f2', '#7f7f7f', 'oklch(0.7 0.3 145)']) {
    t.test(`with the colour ${colour} all can be read, light and dark`, async t => {
      for (const colorScheme of ['light', 'dark'] as const) {
        const page = await brandedPage(t, colour, { colorScheme })
        await page.getByLabel('Username').waitFor()
        t.strictSame(await violations(page), [], colorScheme)
        t.ok((await contrast(page, '#submit', 'color', '#submit')) >= 4.5, 'text on the colour')
        t.ok((await contrast(page, '.input:focus-within', 'borderTopColor', '.input')) >= 3, 'the focus')
        await openScreen(page, 'inner', 'Inner')
        t.ok((await contrast(page, '.probe', 'color', 'header')) >= 4.5, 'the colour as a text')
      }
    })
  }

  t.test('a wide list scrolls by itself, and a long name leaves the button whole', async t => {
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
      const { width: whole = 0 } = (await page.getByRole('button', { name: 'Log out' }).boundingBox()) ?? {}
      t.ok(whole > 35)
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
      const hi = { label: 'hi', action: { type: 'message', text: 'Hi' } }
      const url = await serverOf(t, screens, [hi])
      const page = await openPage(t, browser, url, { viewport: { width: 320, height: 256 } })
      await logIn(page, CREDENTIALS)
      await untilTitle(page, 'Main Menu')
      await page.getByText('hi').click()
      await untilMessage(page, /Hi/, 'status')
      await page.locator('#title').focus()
      for (let i = 0; i < 11; i++) {
        await page.keyboard.press('Tab')
        const below = `document.activeElement.getBoundingClientRect().bottom -
        document.querySelector('#info').getBoundingClientRect().top`
        t.ok((await page.evaluate<number>(below)) <= 0, await focused(page))
      }
    }
  )

  t.test('a language from right to left turns the page around', async t => {
    const fields = [{ id: 'a', label: 'שם', type: 'Text', value: 'x' }]
    const app = await appOf(t, { card: { layout: 'Card', title: 'כרטיס', sections: [{ fields }] } })
    app.addHook('onRequest', async (_, reply) => {
      reply.header('content-language', 'he')
    })
    const page = await openPage(t, browser, await listen(app))
    await openScreen(page, 'card', 'כרטיס')
    const left = async (selector: string) => (await page.locator(selector).boundingBox())?.x ?? 0
    t.ok((await left('#menu-link')) > (await left('#log-out')))
    t.strictSame(await violations(page), [])
  })

  t.test('sections of one row group stand side by side, where there is room', async t => {
    const section = (label: string, row_group: number, column: number) => ({
      label,
      row_group,
      column,
      fields: [{ id: label, label: `${label} field`, type: 'Text', value: label }]
    })
    const sections = [section('Details', 0, 1), section('Record', 1, 0), section('Contact', 0, 0)]
    const card = { layout: 'Card', title: 'Card', sections }
    const form = { ...card, actions: { save: '/save' } }
    for (const [width, isWide] of [
      [1280, true],
      [320, false]
    ] as const) {
      const url = await serverOf(t, { card, form })
      const page = await openPage(t, browser, url, { viewport: { width, height: 900 } })
      for (const name of ['card', 'form']) {
        if (name === 'card') await openScreen(page, name, 'Card')
        else await page.goto(`${url}#/${name}`)
        if (name === 'form') await page.getByLabel('Contact field').waitFor()
        const place = async (text: string) =>
          (await page.getByText(`${text} field`, { exact: true }).boundingBox()) ?? { x: 0, y: 0 }
        const [contact, details, record] = [
          await place('Contact'),
          await place('Details'),
          await place('Record')
        ]
        t.equal(contact.y === details.y && details.x > contact.x, isWide, `${name} ${width}`)
        t.ok(record.y > details.y && record.x === contact.x)
      }
      t.equal(await page.evaluate('document.documentElement.scrollWidth'), width)
      t.strictSame(await violations(page), [])
    }
  })

  t.test('with forced colours it is seen which tab is open', async t => {
    const { url } = await startServer(t, {})
    const page = await openPage(t, browser, url, { forcedColors: 'active' })
    await logIn(page)
    const line = (selected: boolean) =>
      page.evaluate(
        `getComputedStyle(document.querySelector('[role=tab][aria-selected=${selected}]')).borderBottomWidth`
      )
    await untilTitle(page, 'Main Menu')
    t.strictSame([await line(true), await line(false)], ['3px', '0px'])
  })
}
