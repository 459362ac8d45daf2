/**
 * Takes the picture of the README with the reference server and Chromium: `node --import tsx
 * examples/screenshots/take.ts`. It shows the login screen as JSON beside the form that the web client draws.
 */
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
// Twice the size, for screens of a high density.
const page = await browser.newPage({ locale: 'en-US', deviceScaleFactor: 2, viewport: { width: 480, height: 540 } })

await page.goto(url)
await page.getByLabel('Username').fill(DEMO.username)
// The colour of the focused input changes gradually.
await page.waitForTimeout(500)
const form = await page.screenshot({ animations: 'disabled' })

const { locale, ui_strings, ...screen } = (await app.inject('/auth/login')).json()
await page.setViewportSize({ width: 960, height: 540 })
await page.goto('about:blank')
await page.setContent(`<body style="display: flex; margin: 0; background: #14161d">
  <pre style="width: 440px; margin: 20px; color: #c9d4ff; font: 13px/1.45 monospace"><b>GET /auth/login</b>

</pre>
  <img width="480" src="data:image/png;base64,${form.toString('base64')}">`)
await page.locator('pre').evaluate((pre, json) => pre.append(json), JSON.stringify(screen, null, 2))
await page.screenshot({ path: fileURLToPath(new URL('login.png', import.meta.url)) })

await browser.close()
await app.close()
stores.close()
