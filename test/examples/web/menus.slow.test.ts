// The menus of the web client.

import t from 'tap'
import { needs } from '../../needs.ts'
import { logIn, openPage, startBrowser, untilMessage, untilTitle, violations } from './browser.ts'
import { CREDENTIALS, serverOf } from './screen-server.ts'

const path = needs(t, 'chromium', 'chromium-browser', 'google-chrome')
if (path !== undefined) {
  const browser = await startBrowser(t, path)

  t.test('menu items: popups, links to elsewhere, and what cannot be followed', async t => {
    const page = await openPage(
      t,
      browser,
      await serverOf(t, { inner: { layout: 'Menu', title: 'Inner' } }, [
        {
          label: 'More',
          action: { type: 'popup', items: [{ label: 'Deep', action: { type: 'message', text: 'Hi' } }] }
        },
        { label: 'Docs', action: { type: 'open_url', url: 'https://example.com/docs' } },
        { label: 'Inner menu', action: { type: 'open_menu', url: '/inner' } },
        { label: 'Print', action: { type: 'print' } },
        { label: 'Elsewhere', action: { type: 'open_screen', url: 'https://example.com/screen' } },
        { label: 'Gone', action: { type: 'open_screen', url: '/gone' } }
      ])
    )
    await logIn(page, CREDENTIALS)
    await untilTitle(page, 'Main Menu')
    t.equal(await page.getByText('Deep').isVisible(), false)
    await page.getByText('More').click()
    await page.getByText('Deep').click()
    await untilMessage(page, /^Hi$/, 'status')
    const docs = page.getByText('Docs')
    t.equal(await docs.getAttribute('href'), 'https://example.com/docs')
    t.match(await docs.getAttribute('rel'), /noopener noreferrer/)
    await page.getByText('Print').click()
    await untilMessage(page, /Unknown action: print/)
    await page.getByText('Elsewhere').click()
    await untilMessage(page, /another server/)
    await page.getByText('Gone').click()
    await untilMessage(page, /nothing at this address/)
    t.strictSame(await violations(page), [])
    await page.getByText('Inner menu').click()
    await t.resolves(untilTitle(page, 'Inner'))
  })
}
