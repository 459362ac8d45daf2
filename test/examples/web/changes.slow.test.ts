// What a person has typed and not saved: it is asked about before it goes, and survives what it can survive.

import t, { type Test } from 'tap'
import { deferred } from '../../helpers.ts'
import { needs } from '../../needs.ts'
import { startServer } from '../process.ts'
import { focused, logIn, openPage, startBrowser, untilMessage, untilTitle, violations } from './browser.ts'
import { appOf, cardOf, listen, openScreen } from './screen-server.ts'

const path = needs(t, 'chromium', 'chromium-browser', 'google-chrome')
if (path !== undefined) {
  const browser = await startBrowser(t, path)

  const CARD = cardOf([
    { id: 'a', label: 'A', type: 'Text', value: 'old' },
    { id: 'p', label: 'P', type: 'Password', value: '' }
  ])

  type Reply = { code: (status: number) => { send: () => unknown } }

  /** A page with a Card in which something is typed. `save` responds to what is saved. */
  async function typedPage(
    t: Test,
    { fields = { A: 'typed' } as Record<string, string>, save = (_: Reply): unknown => CARD } = {}
  ) {
    const app = await appOf(t, { card: CARD })
    app.post('/save', async (_, reply) => save(reply))
    const page = await openPage(t, browser, await listen(app))
    await openScreen(page, 'card', 'Card')
    for (const [label, value] of Object.entries(fields))
      await page.getByLabel(label, { exact: true }).fill(value)
    const question = page.getByRole('alertdialog', { name: /Leave without saving/ })
    return { page, question, typed: () => page.getByLabel('A', { exact: true }).inputValue() }
  }

  const WAYS = {
    'a link': page => page.getByRole('link', { name: 'Main menu' }).click(),
    Esc: async page => {
      await page.locator('#title').focus()
      await page.keyboard.press('Escape')
    },
    Back: page => page.evaluate('history.back()'),
    'the logout': page => page.getByRole('button', { name: 'Log out' }).click()
  } as Record<string, (page: Awaited<ReturnType<typeof openPage>>) => Promise<unknown>>
  for (const [name, leave] of Object.entries(WAYS)) {
    t.test(`${name} asks first, and a no changes nothing`, async t => {
      const { page, question, typed } = await typedPage(t)
      const address = page.url()
      await leave(page)
      await question.waitFor()
      t.equal(await focused(page), 'Cancel', 'the safe answer has the focus')
      t.strictSame(await violations(page), [])
      await page.keyboard.press('Escape')
      await question.waitFor({ state: 'detached' })
      await page.waitForURL(address)
      t.equal(await typed(), 'typed')

      await leave(page)
      await question.getByRole('button', { name: 'Leave' }).click()
      await t.resolves(untilTitle(page, name === 'the logout' ? 'Demo Company' : 'Main Menu'))
    })
  }

  t.test('after a no, Back and forward are what they were', async t => {
    const { page, question } = await typedPage(t)
    await page.evaluate('history.back()')
    await question.getByRole('button', { name: 'Cancel' }).click()
    await page.waitForURL('**/#/card')
    await page.evaluate('history.back()')
    await question.getByRole('button', { name: 'Leave' }).click()
    await untilTitle(page, 'Main Menu')
    t.notMatch(page.url(), /#./)
    await page.goForward()
    await t.resolves(untilTitle(page, 'Card'))
  })

  t.test('without changes nothing is asked', async t => {
    const { page } = await typedPage(t, { fields: { A: 'old' } })
    await page.goBack()
    await t.resolves(untilTitle(page, 'Main Menu'))
  })

  t.test('the browser asks before the page itself goes, only with changes', async t => {
    const { page } = await typedPage(t)
    const asked: string[] = []
    page.on('dialog', dialog => asked.push(dialog.type()))
    await page.reload()
    await untilMessage(page, /unsaved changes are back/, 'status')
    t.strictSame(asked, ['beforeunload'])
    await page.getByLabel('A', { exact: true }).fill('old')
    await page.reload()
    await untilTitle(page, 'Card')
    t.strictSame(asked, ['beforeunload'])
  })

  t.test('a reload keeps what was typed, but no password', async t => {
    const { page, typed } = await typedPage(t, { fields: { A: 'typed', P: 'hidden-word' } })
    t.notMatch(await page.evaluate('JSON.stringify(sessionStorage)'), /hidden-word/)
    await page.reload()
    await untilMessage(page, /unsaved changes are back/, 'status')
    t.equal(await typed(), 'typed')
    t.equal(await page.getByLabel('P', { exact: true }).inputValue(), '')
  })

  t.test('the end of the session keeps nothing', async t => {
    const { page } = await typedPage(t, { save: reply => reply.code(401).send() })
    t.match(await page.evaluate('JSON.stringify(sessionStorage)'), /typed/)
    await page.keyboard.press('Control+s')
    await untilMessage(page, /session has ended/)
    t.equal(await page.evaluate('sessionStorage.length'), 0)
    await openScreen(page, 'card', 'Card')
    t.equal(await page.getByLabel('A', { exact: true }).inputValue(), 'old')
  })

  t.test(
    'a connection that is lost while saving keeps what was typed, and a second try saves it',
    async t => {
      const { page, typed } = await typedPage(t, { save: () => ({ ...CARD, title: 'Saved card' }) })
      await page.route('**/save', route => route.abort())
      await page.keyboard.press('Control+s')
      await untilMessage(page, /No response/)
      t.equal(await typed(), 'typed')
      await page.unroute('**/save')
      await page.keyboard.press('Control+s')
      await t.resolves(untilTitle(page, 'Saved card'))
    }
  )

  t.test('a 503 keeps what was typed', async t => {
    const { page, typed } = await typedPage(t, { save: reply => reply.code(503).send() })
    await page.keyboard.press('Control+s')
    await untilMessage(page, /cannot respond/)
    t.equal(await typed(), 'typed')
  })

  t.test('what is typed while the response is on its way is not lost in silence', async t => {
    const held = deferred()
    const { page } = await typedPage(t, {
      save: () => held.promise.then(() => ({ ...CARD, status: 'Error: Not now.' }))
    })
    await page.keyboard.press('Control+s')
    await page.getByRole('button', { name: 'Saving…' }).waitFor()
    t.equal(await page.getByLabel('A', { exact: true }).isEditable(), false)
    held.resolve()
    await untilMessage(page, /Not now/)
    t.equal(await page.getByLabel('A', { exact: true }).isEditable(), true)
  })

  t.test('of two tabs that save the same contact, the second is told', async t => {
    const { url } = await startServer(t, {})
    const page = await openPage(t, browser, url)
    await logIn(page)
    await untilTitle(page, 'Main Menu')
    await page.getByRole('link', { name: 'Contacts' }).click()
    await page.locator('.row-link').first().click()
    await page.getByLabel('Name').waitFor()
    const other = await openPage(t, browser, url)
    await logIn(other)
    await untilTitle(other, 'Main Menu')
    await other.goto(page.url())
    await other.getByLabel('Company').fill('Theirs')
    await other.getByRole('button', { name: 'Save' }).click()
    await untilMessage(other, /Saved/, 'status')
    await page.getByLabel('Company').fill('Mine')
    await page.getByRole('button', { name: 'Save' }).click()
    await untilMessage(page, /saved in between/)
    t.equal(await page.getByLabel('Company').inputValue(), 'Mine')
  })

  t.test(
    'a contact is created once, shown, changed with its title, and deleted after a question',
    async t => {
      const { url } = await startServer(t, {})
      const page = await openPage(t, browser, url)
      await logIn(page)
      await page.getByRole('link', { name: 'New contact' }).click()
      await untilTitle(page, 'New contact')
      t.equal(await focused(page), 'name')
      await page.getByLabel('Name').fill('Zoe Twice')
      await page.getByRole('button', { name: 'Save' }).dblclick()
      await untilTitle(page, 'Zoe Twice')
      await untilMessage(page, /Created/, 'status')
      await page.getByLabel('Name').fill('Zoe Once')
      await page.keyboard.press('Enter')
      await untilTitle(page, 'Zoe Once')
      t.equal(await focused(page), 'name', 'the person goes on where they were')

      await page.getByRole('link', { name: 'Back' }).click()
      await untilTitle(page, 'Contacts')
      t.equal(await page.getByRole('link', { name: /^Zoe/ }).count(), 1)
      await page.getByRole('link', { name: 'Zoe Once' }).click()
      await page.getByRole('button', { name: 'Delete' }).click()
      const question = page.getByRole('alertdialog')
      t.equal(await focused(page), 'Cancel')
      await question.getByRole('button', { name: 'Delete' }).click()
      await untilMessage(page, /Deleted/, 'status')
      await untilTitle(page, 'Contacts')
      t.equal(await page.getByRole('link', { name: /^Zoe/ }).count(), 0)
    }
  )
}
