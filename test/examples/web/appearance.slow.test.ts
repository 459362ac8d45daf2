// The appearance of the web client: accessibility, window sizes and colours.

import type { BrowserContextOptions } from 'playwright-core'
import { ADA } from '../../helpers.ts'
import { appOf, enter, listen, openAt, openCard, openExample, openMenu, openPage, type Page, test } from './browser.ts'

/** Walks through all kinds of screens, and calls `check` on each. */
async function walk(page: Page, check: (screen: string) => Promise<unknown>): Promise<void> {
  await page.untilTitle('Demo Company')
  await check('login form')
  await page.logIn({ username: 'demo', password: 'wrong' })
  await page.untilMessage(/Wrong/)
  await check('rejection')
  await page.logIn()
  await page.untilTitle('Main Menu')
  await check('menu')
  await page.getByText('About').click()
  await page.untilMessage(/example server/, 'status')
  await check('a message')
  await page.locator('#account').click()
  await check('menu of the user')
  await page.getByRole('link', { name: 'Profile' }).click()
  await page.untilTitle('Profile')
  await check('card to read')
  await page.locator('#menu-link').click()
  await page.choose('Contacts')
  await check('list')
  await page.locator('.row-link').first().click()
  await page.getByLabel('Name').fill('')
  await page.getByRole('button', { name: 'Save' }).click()
  await check('card to save, with a fault')
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('alertdialog').waitFor()
  await check('question')
  await page.pressKeys('Escape')
  await page.route('**/menu/main', route => route.abort())
  await page.reload()
  await page.untilTitle('No connection')
  await check('failed')
}

/** Returns the elements that are too small for a finger, or whose text makes Safari zoom. */
const tooSmall = (page: Page) =>
  page.evaluate(`[...document.querySelectorAll('a, button, summary, input, select, textarea')].filter(one => {
    const target = one.type === 'checkbox' ? one.labels[0] : one.closest('tr') ?? one
    const { width, height } = target.getBoundingClientRect()
    const isZoomed = one.matches('.input > :not(a, button)') && Number.parseFloat(getComputedStyle(one).fontSize) < 16
    return one.checkVisibility({ visibilityProperty: true }) && (width < 44 || height < 44 || isZoomed)
  }).map(one => one.outerHTML)`)

const pageWidth = (page: Page) => page.evaluate('document.documentElement.scrollWidth')

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }

const WINDOWS: Record<string, BrowserContextOptions> = {
  '320 pixels': { viewport: { width: 320, height: 640 } },
  'a phone, dark, reduced motion': { ...PHONE, colorScheme: 'dark', reducedMotion: 'reduce' },
  '768 pixels': { viewport: { width: 768, height: 1024 } },
  '1440 pixels, dark': { viewport: { width: 1440, height: 900 }, colorScheme: 'dark' },
  'a zoom of 400 %': { viewport: { width: 320, height: 256 } },
  'forced colours': { viewport: { width: 1280, height: 800 }, forcedColors: 'active' }
}
for (const [name, options] of Object.entries(WINDOWS)) {
  test(`axe-core finds no fault on any screen, and no screen is wider than the window: ${name}`, async t => {
    const { page } = await openExample(t, options)
    await walk(page, async screen => {
      t.strictSame(await page.violations(), [], screen)
      t.equal(await pageWidth(page), options.viewport?.width, screen)
      if (options.hasTouch) t.strictSame(await tooSmall(page), [], screen)
    })
  })
}

test('everything is readable with any brand colour, light and dark', async t => {
  for (const colour of ['#ffe100', '#0a2a12', '#7f7f7f', 'oklch(0.7 0.3 145)']) {
    const brand = t.testdir({
      'brand.css': `:root { --brand: ${colour} }`,
      'logo.svg': '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><title>Logo</title></svg>'
    })
    const address = { id: 'a', label: 'A', type: 'Email', value: 'ada@example.com', editable: false }
    const card = { layout: 'Card', title: 'Card', sections: [{ fields: [address] }] }
    const url = await listen(await appOf(t, { card }), { brand })
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await openPage(t, url, { colorScheme })
      await page.getByLabel('Username').waitFor()
      t.strictSame(await page.violations(), [], `text on ${colour}, ${colorScheme}`)
      await enter(page)
      await page.choose('card', 'Card')
      t.strictSame(await page.violations(), [], `${colour} as a text and as the focus, ${colorScheme}`)
    }
  }
})

test('a wide list scrolls without the page, and a long display name takes less than half of the header', async t => {
  const columns = Array.from({ length: 12 }, (_, i) => ({ id: `c${i}`, label: `Column number ${i}` }))
  const wide = { layout: 'List', title: 'Wide', lines: { columns, rows: [{ values: ['', 'x'] }] } }
  const long = { label: 'Inner', action: { type: 'message', text: 'long '.repeat(999) } }
  const displayName = 'Wolfeschlegelsteinhausenbergerdorff '.repeat(3)
  const more = { label: 'More', action: { type: 'popup', items: [long] } }
  const options = { checkCredentials: () => ({ ...ADA, displayName }) }
  const url = await listen(await appOf(t, { wide }, [more], options))
  for (const width of [320, 768]) {
    const page = await openPage(t, url, { viewport: { width, height: 640 } })
    await enter(page)
    t.ok((await page.boxOf('#account')).width < width / 2)
    await page.getByText('More').click()
    const [inner, more] = [await page.boxOf('text=Inner'), await page.boxOf('text=More')]
    t.ok(inner.x > more.x, 'the items of a popup are indented')
    await page.getByText('Inner').click()
    await page.untilMessage(/long/, 'status')
    t.strictSame(await page.violations(), [], 'a long message can be scrolled')
    await page.choose('wide', 'Wide')
    t.equal(await pageWidth(page), width)
    // The Tab key stops only at a table that scrolls.
    await page.locator(`.table[tabindex="${width === 320 ? -1 : 0}"]`).waitFor()
    const parts = await Promise.all(['header', '#menu-link', '#account'].map(part => page.boxOf(part)))
    const middles = parts.map(({ y, height }) => y + height / 2)
    t.ok(Math.max(...middles) - Math.min(...middles) < 3, 'the header is one line')
  }
})

test('a phone with a text size of 200 % shows whole names, and offers no keyboard shortcuts', async t => {
  const { page } = await openMenu(t, PHONE)
  await page.evaluate("document.documentElement.style.fontSize = '200%'")
  await page.choose('Contacts')
  await page.choose('Bruno Keller')
  const isCut = `[...document.querySelectorAll('#back > bdi, #display-name')]
    .map(one => one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight)`
  t.strictSame(await page.evaluate(isCut), [false, false])
  await page.locator('#account').click()
  t.strictSame(await page.locator('#account-menu li').allTextContents(), ['Profile', 'Change password', 'Log out'])
})

test('paper shows the whole text of each field, and no bar', async t => {
  const fields = ['Text', 'TextArea'].map(type => ({ id: type, label: type, type, value: `${'long '.repeat(99)}end` }))
  const { page } = await openCard(t, fields)
  await page.getByLabel('TextArea').fill(`${'long '.repeat(99)}typed`)
  await page.emulateMedia({ media: 'print' })
  const printed = `[...document.querySelectorAll('.input')].map(one => getComputedStyle(one, '::after').content.slice(-6, -1))`
  t.strictSame(await page.evaluate(printed), ['g end', 'typed'])
  for (const part of ['header', '#submit', 'textarea']) t.notOk(await page.locator(part).isVisible(), part)
})

test('the message bar does not cover the focused element at a zoom of 400 %', async t => {
  const screens = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`item${i}`, {}]))
  const app = await appOf(t, screens, [{ label: 'hi', action: { type: 'message', text: 'Hi' } }])
  const page = await openAt(t, app, { viewport: { width: 320, height: 256 } })
  await page.getByText('hi').click()
  await page.untilMessage(/Hi/, 'status')
  await page.locator('#title').focus()
  for (let i = 0; i < 10; i++) {
    await page.pressKeys('Tab')
    const below = `document.activeElement.getBoundingClientRect().bottom -
      document.querySelector('#info').getBoundingClientRect().top`
    t.ok((await page.evaluate<number>(below)) <= 0, await page.focused())
  }
})
