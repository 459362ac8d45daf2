/**
 * Makes the screenshots of the README again, with the example server and Chromium. `node --import tsx
 * examples/screenshots/take.ts login list` makes only those.
 */
import { fileURLToPath } from 'node:url'
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { buildApp } from '../server/app.ts'
import { addDemoData, openStores } from '../server/stores.ts'
import { DEMO } from '../server/user-store.ts'

const { CHROMIUM = '/usr/bin/chromium' } = process.env

const DESKTOP = { width: 880, height: 640 }
const PHONE = { width: 390, height: 780 }

/** The pictures: the size of the window, and the way to what is in it. */
const PICTURES: Record<string, { viewport: { width: number; height: number }; show: (page: Page) => Promise<void> }> = {
  login: { viewport: { width: 760, height: 560 }, show: async page => page.getByLabel('Username').waitFor() },
  rejection: {
    viewport: PHONE,
    async show(page) {
      await logIn(page, 'wrong')
      await page.getByRole('alert').filter({ hasText: /\w/ }).waitFor()
    }
  },
  list: { viewport: DESKTOP, show: showList },
  card: {
    viewport: DESKTOP,
    async show(page) {
      await showList(page)
      await page.getByRole('link', { name: 'Amara Okafor' }).click()
      await page.getByLabel('Name').waitFor()
      await page.mouse.move(0, 0)
    }
  }
}

async function logIn(page: Page, password: string): Promise<void> {
  await page.getByLabel('Username').fill(DEMO.username)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
}

async function showList(page: Page): Promise<void> {
  await logIn(page, DEMO.password)
  await page.getByRole('link', { name: 'Contacts' }).click()
  await page.getByRole('table').waitFor()
  await page.getByRole('row').nth(2).hover()
}

const stores = await openStores('file::memory:')
await addDemoData(stores)
const app = await buildApp(stores, { enabled: true, secret: undefined, appName: 'Demo Company' }, {})
const url = await app.listen({ port: 0 })
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })

const wanted = process.argv.slice(2)
const isWanted = (name: string) => wanted.length === 0 || wanted.includes(name)
const pathOf = (name: string) => fileURLToPath(new URL(`${name}.png`, import.meta.url))

for (const [name, { viewport, show }] of Object.entries(PICTURES)) {
  if (!isWanted(name)) continue
  for (const colorScheme of ['light', 'dark'] as const) {
    const options: BrowserContextOptions = { colorScheme, viewport, locale: 'en-US', deviceScaleFactor: 1.25 }
    const page = await browser.newPage(options)
    await page.goto(url)
    await show(page)
    // Until the colours of what is hovered or focused have come.
    await page.waitForTimeout(400)
    await page.screenshot({ path: pathOf(`${name}-${colorScheme}`) })
    await page.close()
  }
}

await browser.close()
await app.close()
stores.close()
