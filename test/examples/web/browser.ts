import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import type { Test } from 'tap'
import { DEMO } from '../process.ts'

/** Milliseconds after which something does not come any more, however slow the machine is. */
const PATIENCE = 120_000

/** A Chromium for the tests of one file. */
export async function startBrowser(t: Test, executablePath: string): Promise<Browser> {
  // Its own sandbox does not work for root, which CI often is.
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'], timeout: PATIENCE })
  t.teardown(() => browser.close())
  return browser
}

/** A page at a URL in a window of its own. What breaks in it, or is stopped by its policy, fails the test. */
export async function openPage(
  t: Test,
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {}
): Promise<Page> {
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
  return page
}

/** Fills in the login form and presses Enter. */
export async function logIn(page: Page, { username, password } = DEMO): Promise<void> {
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
}

/** Waits for a heading, the title of a screen. */
export const untilTitle = (page: Page, title: string) =>
  page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()

/** Waits for a message in the bottom bar. */
export const untilMessage = (page: Page, text: RegExp, role: 'alert' | 'status' = 'alert') =>
  page.getByRole(role).filter({ hasText: text }).waitFor()

/** The field that has the focus, or the text of the button. */
export const focused = (page: Page) =>
  page.evaluate<string>('document.activeElement.getAttribute("name") ?? document.activeElement.textContent')

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe-core finds wrong with the page as it is. */
export async function violations(page: Page): Promise<object[]> {
  await page.evaluate(axeSource)
  return page.evaluate<object[]>(`axe.run().then(({ violations }) =>
    violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) }))
  )`)
}
