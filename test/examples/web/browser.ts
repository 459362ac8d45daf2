// A Chromium for the tests of one file. Its pages show the web client of the example server, or of a test's own server.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { FastifyInstance } from 'fastify'
import { type BrowserContextOptions, chromium, type Page as PlainPage } from 'playwright-core'
import t, { type Test } from 'tap'
import { webClient } from '../../../examples/server/web-client.ts'
import { ADA, host, PASSWORD } from '../../helpers.ts'
import { needs } from '../../needs.ts'
import { DEMO, type Json } from '../process.ts'
import { startExample } from '../server/in-process.ts'

/** Milliseconds to wait for an element, enough for a slow machine. */
const TIMEOUT = 120_000

const executablePath = needs(t, 'chromium', 'chromium-browser', 'google-chrome')
// Chromium's own sandbox does not work for root, and CI often runs as root.
const options = { args: ['--no-sandbox'], timeout: TIMEOUT }
const browser = executablePath ? await chromium.launch({ executablePath, ...options }) : undefined
t.teardown(() => browser?.close())

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Defines a test of the page, if a Chromium is installed. */
export const test = (name: string, run: (t: Test) => Promise<unknown>) => browser && t.test(name, run)

/** A page, and functions that use it. */
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

  /** Chooses an item of the user menu. */
  async account(name: string) {
    await page.locator('#account').click()
    await page.locator('#account-menu').getByText(name, { exact: true }).click()
  },

  /** Presses keys, one after the other. */
  async pressKeys(...keys: string[]) {
    for (const key of keys) await page.keyboard.press(key)
  },

  /** Returns the name of the focused field, or the text of the focused button. */
  focused: () =>
    page.evaluate<string>('document.activeElement.getAttribute("name") ?? document.activeElement.textContent'),

  /** Returns the position and size of an element. */
  async boxOf(selector: string) {
    const box = await page.locator(selector).first().boundingBox()
    return box ?? { x: Number.NaN, y: Number.NaN, width: 0, height: 0 }
  },

  /** Waits until animations have finished, and returns the faults that axe-core finds in the page. */
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

/** Opens a URL in a new browser context. An uncaught error or a violation of the page's CSP fails the test. */
export async function openPage(t: Test, url: string, options: BrowserContextOptions = {}): Promise<Page> {
  if (!browser) throw new Error('no browser')
  const context = await browser.newContext({ locale: 'en-US', ...options })
  t.teardown(() => context.close())
  context.setDefaultTimeout(TIMEOUT)
  const page = await context.newPage()
  page.on('pageerror', error => t.fail(`the page threw: ${error.message}`))
  // The browser itself asks before a page with unsaved changes is closed.
  page.on('dialog', dialog => (dialog.type() === 'beforeunload' ? dialog.accept() : t.fail(dialog.message())))
  page.on('console', message => {
    if (/Content.Security.Policy/i.test(message.text())) t.fail(message.text())
  })
  await page.goto(url)
  return Object.assign(page, methodsOf(page))
}

/** Starts an example server, and opens its page. */
export async function openExample(t: Test, options: BrowserContextOptions = {}, auth = {}) {
  const { app, contacts } = await startExample(t, auth)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return { url, contacts, page: await openPage(t, url, options) }
}

/** Starts an example server, opens its page, and logs in. */
export async function openMenu(t: Test, options: BrowserContextOptions = {}) {
  const example = await openExample(t, options)
  await example.page.logIn()
  await example.page.untilTitle('Main Menu')
  return example
}

/** Returns a field whose label is its id. */
export const fieldOf = (id: string, type: string, more: object = {}) => ({ id, label: id, type, value: '', ...more })

/** Returns a Card that is saved at `/save`. */
export const cardOf = (fields: object[], more: object = {}) => ({
  layout: 'Card',
  title: 'Card',
  actions: { save: '/save' },
  sections: [{ fields }],
  ...more
})

/** Creates a server whose menu has an item for each screen, and the items in `more`. */
export async function appOf(t: Test, screens: Record<string, object>, more: object[] = [], options: object = {}) {
  const items = Object.keys(screens).map(name => ({ label: name, action: { type: 'open_screen', url: `/${name}` } }))
  const menu = { panel_title: 'Main', tabs: [{ label: 'All', items: [...items, ...more] }] }
  const app = await host(t, { mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu }), ...options })
  for (const [name, screen] of Object.entries(screens)) app.get(`/${name}`, async () => screen)
  return app
}

/** Listens on a free port, with the web client at the root or below a prefix. Returns the URL of the client. */
export async function listen(app: FastifyInstance, options: { prefix?: string; brand?: string } = {}) {
  await app.register(webClient, { brand: undefined, ...options })
  return `${await app.listen({ host: '127.0.0.1', port: 0 })}${options.prefix ?? ''}/`
}

/** Starts a server, opens its page, and logs in. */
export async function openAt(t: Test, app: FastifyInstance, options: BrowserContextOptions = {}) {
  const page = await openPage(t, await listen(app), options)
  await enter(page)
  return page
}

/** Opens a Card of these fields. `sent` collects what is posted to `/save`, which responds with the same fields. */
export async function openCard(
  t: Test,
  fields: object[],
  { card = {} as object, respond = (): unknown => cardOf(fields), options = {} as BrowserContextOptions } = {}
) {
  const app = await appOf(t, { card: cardOf(fields, card) })
  const sent: Json[] = []
  app.post('/save', async ({ body }) => {
    sent.push(body)
    return respond()
  })
  const page = await openAt(t, app, options)
  await page.choose('card', 'Card')
  return { page, sent, save: () => page.getByRole('button', { name: 'Save' }).click() }
}

/** Logs in at a server of `appOf`. */
export async function enter(page: Page): Promise<void> {
  await page.logIn({ username: ADA.username, password: PASSWORD })
  await page.untilTitle('Main Menu')
}
