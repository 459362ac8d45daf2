// A Chromium for the tests of one file, with the web client at the example server, or at one with the screens of a test.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { FastifyInstance } from 'fastify'
import { type BrowserContextOptions, chromium, type Page as PlainPage } from 'playwright-core'
import t, { type Test } from 'tap'
import { webClient } from '../../../examples/server/web-client.ts'
import { ADA, host, PASSWORD } from '../../helpers.ts'
import { needs } from '../../needs.ts'
import { DEMO, startServer } from '../process.ts'

/** Milliseconds after which something does not come any more, however slow the machine is. */
const PATIENCE = 120_000

const executablePath = needs(t, 'chromium', 'chromium-browser', 'google-chrome')
// Its own sandbox does not work for root, which CI often is.
const options = { args: ['--no-sandbox'], timeout: PATIENCE }
const browser = executablePath ? await chromium.launch({ executablePath, ...options }) : undefined
t.teardown(() => browser?.close())

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** A test of the page. Without a Chromium there is none. */
export const test = (name: string, run: (t: Test) => Promise<unknown>) => browser && t.test(name, run)

/** A page with what the tests do with it. */
export type Page = PlainPage & ReturnType<typeof methodsOf>

const methodsOf = (page: PlainPage) => ({
  /** Waits for a heading, the title of a screen. */
  untilTitle: (title: string) => page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor(),

  /** Waits for a message in the bottom bar. */
  untilMessage: (text: RegExp, role: 'alert' | 'status' = 'alert') =>
    page.getByRole(role).filter({ hasText: text }).waitFor(),

  /** Fills in the login form and presses Enter. */
  async logIn({ username, password } = DEMO) {
    await page.getByLabel('Username').fill(username)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.keyboard.press('Enter')
  },

  /** Opens a screen by its link. */
  async choose(name: string, title = name) {
    await page.getByRole('link', { name, exact: true }).click()
    await this.untilTitle(title)
  },

  /** Chooses something in the menu of the user. */
  async account(name: string) {
    await page.locator('#account').click()
    await page.getByRole('button', { name, exact: true }).click()
  },

  /** Presses keys, one after the other. */
  async pressKeys(...keys: string[]) {
    for (const key of keys) await page.keyboard.press(key)
  },

  /** The field that has the focus, or the text of the button. */
  focused: () =>
    page.evaluate<string>('document.activeElement.getAttribute("name") ?? document.activeElement.textContent'),

  /** Where an element is. */
  async boxOf(selector: string) {
    const box = await page.locator(selector).first().boundingBox()
    return box ?? { x: Number.NaN, y: Number.NaN, width: 0, height: 0 }
  },

  /** What axe-core finds wrong with the page as it is, when what moves has arrived. */
  async violations(): Promise<object[]> {
    await page.evaluate(`Promise.all(document.getAnimations().map(one =>
      Number.isFinite(one.effect.getComputedTiming().endTime) && one.finished.catch(() => {})
    ))`)
    await page.evaluate(axeSource)
    return page.evaluate(`axe.run().then(({ violations }) =>
      violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) }))
    )`)
  }
})

/** A page at a URL in a window of its own. What breaks in it, or is stopped by its policy, fails the test. */
export async function openPage(t: Test, url: string, options: BrowserContextOptions = {}): Promise<Page> {
  if (!browser) throw new Error('no browser')
  const context = await browser.newContext({ locale: 'en-US', ...options })
  t.teardown(() => context.close())
  context.setDefaultTimeout(PATIENCE)
  const page = await context.newPage()
  page.on('pageerror', error => t.fail(`the page threw: ${error.message}`))
  // The question of the browser itself, when a page with unsaved changes is left.
  page.on('dialog', dialog => (dialog.type() === 'beforeunload' ? dialog.accept() : t.fail(dialog.message())))
  page.on('console', message => {
    if (/Content.Security.Policy/i.test(message.text())) t.fail(message.text())
  })
  await page.goto(url)
  return Object.assign(page, methodsOf(page))
}

/** A page at an example server of its own. */
export async function openExample(t: Test, options: BrowserContextOptions = {}, env = {}) {
  const { url } = await startServer(t, env)
  return { url, page: await openPage(t, url, options) }
}

/** The same, after the login: at the menu. */
export async function openMenu(t: Test, options: BrowserContextOptions = {}, env = {}) {
  const example = await openExample(t, options, env)
  await example.page.logIn()
  await example.page.untilTitle('Main Menu')
  return example
}

/** A Card that is saved at `/save`. */
export const cardOf = (fields: object[], more: object = {}) => ({
  layout: 'Card',
  title: 'Card',
  actions: { save: '/save' },
  sections: [{ fields }],
  ...more
})

/** A server whose menu opens each of some screens, and has some more items. */
export async function appOf(t: Test, screens: Record<string, object>, more: object[] = []) {
  const items = Object.keys(screens).map(name => ({
    label: name,
    action: { type: 'open_screen', url: `/${name}` }
  }))
  const menu = { panel_title: 'Main', tabs: [{ label: 'All', items: [...items, ...more] }] }
  const app = await host(t, { mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu }) })
  for (const [name, screen] of Object.entries(screens)) app.get(`/${name}`, async () => screen)
  return app
}

/** A server with a menu of three tabs with three items: one with less than eight items has no tabs. */
export function tabbedApp(t: Test) {
  const itemOf = (label: string) => ({ label, action: { type: 'message', text: `It is ${label}.` } })
  const tabs = ['A', 'B', 'C'].map(label => ({ label, items: [1, 2, 3].map(one => itemOf(`${label}${one}`)) }))
  return host(t, { mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: { tabs } }) })
}

/** Listens on a free port, with the web client at the root or below a prefix. */
export async function listen(app: FastifyInstance, options: { prefix?: string; brand?: string } = {}) {
  await app.register(webClient, { brand: undefined, ...options })
  return `${await app.listen({ host: '127.0.0.1', port: 0 })}${options.prefix ?? ''}/`
}

/** A page at the menu of a server, which listens from now on. */
export async function openAt(t: Test, app: FastifyInstance, options: BrowserContextOptions = {}) {
  const page = await openPage(t, await listen(app), options)
  await enter(page)
  return page
}

/** Logs in at a server of `appOf`. */
export async function enter(page: Page): Promise<void> {
  await page.logIn({ username: ADA.username, password: PASSWORD })
  await page.untilTitle('Main Menu')
}
