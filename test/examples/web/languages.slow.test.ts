// The web client in another language than English: a browser asks for it by itself.

import t from 'tap'
import { needs } from '../../needs.ts'
import { DEMO, startServer } from '../process.ts'
import { openPage, startBrowser, untilMessage, untilTitle, violations } from './browser.ts'

const path = needs(t, 'chromium', 'chromium-browser', 'google-chrome')
if (path !== undefined) {
  const browser = await startBrowser(t, path)

  t.test('a person whose browser is set to German reads German', async t => {
    const { url } = await startServer(t, {})
    const page = await openPage(t, browser, url, { locale: 'de-DE' })
    const logIn = async (password: string) => {
      await page.getByLabel('Benutzername').fill(DEMO.username)
      await page.getByLabel('Passwort', { exact: true }).fill(password)
      await page.keyboard.press('Enter')
    }
    await logIn('wrong')
    await untilMessage(page, /^Benutzername oder Passwort ist falsch\.$/)
    await logIn(DEMO.password)
    await untilTitle(page, 'Hauptmenü')
    t.equal(await page.locator('html').getAttribute('lang'), 'de')
    await page.getByRole('button', { name: 'Abmelden' }).waitFor()
    await page.keyboard.press('F1')
    await page.getByRole('dialog', { name: 'Tasten' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('tab', { name: 'Konto' }).click()
    await page.getByText('Passwort ändern').click()
    await untilTitle(page, 'Passwort ändern')
    await page.getByLabel('Aktuelles Passwort', { exact: true }).fill('old-password')
    await page.getByLabel('Neues Passwort', { exact: true }).fill('new-password')
    await page.getByLabel('Neues Passwort noch einmal', { exact: true }).fill('other-password')
    await page.getByRole('button', { name: 'Speichern' }).click()
    await t.resolves(untilMessage(page, /^Die Passwörter sind nicht gleich\.$/))
  })

  t.test('a screen reader is told the language of a screen', async t => {
    const { url } = await startServer(t, {})
    for (const [locale, language] of [
      ['de-DE', 'de'],
      ['fr-FR', 'en']
    ] as const) {
      const page = await openPage(t, browser, url, { locale })
      await untilTitle(page, 'Demo Company')
      for (const part of ['title', 'main'])
        t.equal(await page.locator(`#${part}`).getAttribute('lang'), language)
      t.strictSame(await violations(page), [])
    }
  })
}
