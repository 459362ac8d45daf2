/** Makes the screenshots of the README again, with the example server and Chromium. */
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { buildApp } from '../server/app.ts'
import { addDemoData, openStores } from '../server/stores.ts'
import { DEMO } from '../server/user-store.ts'

const { CHROMIUM = '/usr/bin/chromium' } = process.env

const stores = await openStores('file::memory:')
await addDemoData(stores)
const app = await buildApp(stores, { enabled: true, secret: undefined, appName: 'Demo Company' }, {})
const url = await app.listen({ port: 0 })
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })

for (const colorScheme of ['light', 'dark'] as const) {
  const page = await browser.newPage({
    colorScheme,
    locale: 'en-US',
    deviceScaleFactor: 2,
    viewport: { width: 720, height: 520 }
  })
  const take = (name: string) =>
    page.screenshot({ path: fileURLToPath(new URL(`${name}-${colorScheme}.png`, import.meta.url)) })
  const logIn = async (password: string) => {
    await page.getByLabel('Username').fill(DEMO.username)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.keyboard.press('Enter')
  }

  await page.goto(url)
  await page.getByLabel('Username').waitFor()
  await take('login')
  await logIn('wrong')
  await page.getByRole('alert').filter({ hasText: /\w/ }).waitFor()
  await take('rejection')
  await logIn(DEMO.password)
  await page.getByRole('tab').first().waitFor()
  await take('menu')
}

await browser.close()
await app.close()
stores.close()
