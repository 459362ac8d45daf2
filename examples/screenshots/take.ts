/**
 * Makes the screenshots of the README again, with the example server and Chromium: `node --import tsx
 * examples/screenshots/take.ts`.
 */
import { fileURLToPath } from 'node:url'
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { buildApp } from '../server/app.ts'
import { addDemoData, openStores } from '../server/stores.ts'
import { DEMO } from '../server/user-store.ts'

const { CHROMIUM = '/usr/bin/chromium' } = process.env

/** More contacts than the example has: their name, company, birthday and hourly rate. */
const MORE = `Farid Haddad, Cedar Press, 1979-05-21, 80.00
Grace Obi, , 1992-01-09,
Hana Suzuki, Koi Robotics, 1985-12-02, 110.00
Ivo Petrov, Balkan Freight, 1973-08-17, 48.50
Joana Reis, Reis Arquitetos, , 125.00
Kofi Mensah, Accra Solar, 1990-10-30, 72.00
Lena Virtanen, , 1998-04-11,
Mateo Rojas, Andes Coffee, 1982-06-25, 55.00
Nadia Rahman, Delta Textiles, 1987-09-05, 64.00
Oskar Lind, Lind & Larsson, 1965-03-29, 140.00
Priya Nair, Monsoon Labs, 1994-11-13, 98.00
Quentin Dubois, , , 60.00
Rosa Ferrari, Studio Ferrari, 1976-02-08, 85.00
Samir Patel, Patel Optics, 1989-07-19, 77.50
Tove Hansen, Fjord Films, 1991-05-03, 92.00`

const stores = await openStores('file::memory:')
await addDemoData(stores)
for (const line of MORE.split('\n')) {
  const [name = '', company = '', birthday = '', hourly_rate = ''] = line.split(/, ?/)
  await stores.contacts.create(name, { name, company, birthday, hourly_rate }, DEMO.username)
}
const app = await buildApp(stores, { enabled: true, secret: undefined, appName: 'Demo Company' }, {})
const url = await app.listen({ port: 0 })
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })

const SCHEMES = ['light', 'dark'] as const
const logins = []
for (const colorScheme of SCHEMES) {
  const login = await open({ colorScheme, viewport: { width: 480, height: 540 } })
  await login.getByLabel('Username').fill(DEMO.username)
  logins.push(await picture(login))

  const list = await open({ colorScheme, viewport: { width: 960, height: 1050 } })
  await logIn(list)
  await list.getByRole('link', { name: 'Contacts' }).click()
  await list.getByRole('row').nth(3).hover()
  await picture(list, `list-${colorScheme}`)

  const conflict = await open({ colorScheme, viewport: { width: 1040, height: 740 } })
  await logIn(conflict)
  await conflict.getByRole('link', { name: 'Contacts' }).click()
  await conflict.getByRole('link', { name: 'Amara Okafor' }).click()
  await conflict.getByLabel('Hourly rate').fill('105.00')
  await saveAsAnother()
  await conflict.getByRole('button', { name: 'Save' }).click()
  await conflict.getByRole('button', { name: 'Load theirs, keep mine' }).click()
  await conflict.getByRole('button', { name: 'Use theirs' }).waitFor()
  await conflict.evaluate('scrollTo(0, 0)')
  await picture(conflict, `conflict-${colorScheme}`)
}
const both = await open({ viewport: { width: 960, height: 540 } }, 'about:blank')
const images = logins.map(png => `<img width="480" src="data:image/png;base64,${png.toString('base64')}">`)
await both.setContent(`<body style="display: flex; margin: 0">${images.join('')}`)
await picture(both, 'login')

await browser.close()
await app.close()
stores.close()

/** At twice the size, as good screens show it. */
async function open(options: BrowserContextOptions, address = url): Promise<Page> {
  const page = await browser.newPage({ locale: 'en-US', deviceScaleFactor: 2, ...options })
  await page.goto(address)
  return page
}

async function logIn(page: Page): Promise<void> {
  await page.getByLabel('Username').fill(DEMO.username)
  await page.getByLabel('Password', { exact: true }).fill(DEMO.password)
  await page.keyboard.press('Enter')
}

/** Another person saves the first contact meanwhile. */
async function saveAsAnother(): Promise<void> {
  const { version = 0, fields } = (await stores.contacts.find(1)) ?? {}
  const hourly_rate = fields?.hourly_rate === '110.00' ? '98.00' : '110.00'
  await stores.contacts.save(1, version, { hourly_rate }, 'grace')
}

async function picture(page: Page, name?: string): Promise<Buffer> {
  // Until the colours of what is hovered or focused have come.
  await page.waitForTimeout(500)
  const path = name && fileURLToPath(new URL(`${name}.png`, import.meta.url))
  const png = await page.screenshot({ animations: 'disabled', ...(path && { path }) })
  await page.close()
  return png
}
