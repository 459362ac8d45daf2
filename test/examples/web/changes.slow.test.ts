// What a person has typed and not saved: it is asked about before it goes, and survives what it can survive.

import type { Test } from 'tap'
import { deferred } from '../../helpers.ts'
import { appOf, cardOf, openAt, openMenu, type Page, test } from './browser.ts'

const CARD = cardOf([
  { id: 'a', label: 'A', type: 'Text', value: 'old' },
  { id: 'p', label: 'P', type: 'Password', value: '' }
])

/** A page with a Card in which something is typed. `save` responds to what is saved. */
async function typedPage(t: Test, save: () => unknown = () => CARD) {
  const app = await appOf(t, { card: CARD })
  app.post('/save', async () => save())
  const page = await openAt(t, app)
  await page.choose('card', 'Card')
  const input = page.getByLabel('A', { exact: true })
  await input.fill('typed')
  const question = page.getByRole('alertdialog', { name: /Leave without saving/ })
  return { page, question, input }
}

const WAYS: Record<string, (page: Page) => Promise<unknown>> = {
  'a link': page => page.getByRole('link', { name: 'Main menu' }).click(),
  Esc: async page => {
    await page.locator('#title').focus()
    await page.pressKeys('Escape')
  },
  Back: page => page.evaluate('history.back()'),
  'the logout': page => page.getByRole('button', { name: 'Log out' }).click()
}
for (const [name, leave] of Object.entries(WAYS)) {
  test(`${name} asks first, and a no changes nothing`, async t => {
    const { page, question, input } = await typedPage(t)
    const address = page.url()
    await leave(page)
    await question.waitFor()
    t.equal(await page.focused(), 'Cancel', 'the safe button has the focus')
    t.strictSame(await page.violations(), [])
    await page.pressKeys('Escape')
    await question.waitFor({ state: 'detached' })
    await page.waitForURL(address)
    t.equal(await input.inputValue(), 'typed')

    await leave(page)
    await question.getByRole('button', { name: 'Leave' }).click()
    await t.resolves(name === 'the logout' ? page.getByLabel('Username').waitFor() : page.untilTitle('Main Menu'))
  })
}

test('the browser asks before the page itself goes, only with changes', async t => {
  const { page, input } = await typedPage(t)
  const asked: string[] = []
  page.on('dialog', dialog => asked.push(dialog.type()))
  await page.reload()
  await page.untilMessage(/unsaved changes are back/, 'status')
  t.strictSame(asked, ['beforeunload'])
  await input.fill('old')
  await page.reload()
  await page.untilTitle('Card')
  t.strictSame(asked, ['beforeunload'])
})

test('a reload keeps what was typed, but no password', async t => {
  const { page, input } = await typedPage(t)
  const password = page.getByLabel('P', { exact: true })
  await password.fill('hidden-word')
  t.notMatch(await page.evaluate('JSON.stringify(sessionStorage)'), /hidden-word/)
  await page.reload()
  await page.untilMessage(/unsaved changes are back/, 'status')
  t.equal(await input.inputValue(), 'typed')
  t.equal(await password.inputValue(), '')
})

test('nothing can be typed while the response is on its way', async t => {
  const held = deferred()
  const refusal = { ...CARD, status: 'Error: Not now.' }
  const { page, input } = await typedPage(t, () => held.promise.then(() => refusal))
  await page.pressKeys('Control+s')
  await page.getByRole('button', { name: 'Saving…' }).waitFor()
  t.equal(await input.isEditable(), false)
  held.resolve()
  await page.untilMessage(/Not now/)
  t.equal(await input.isEditable(), true)
})

test('a contact is created from its list once, changed with its title, and deleted after a question', async t => {
  const { page } = await openMenu(t)
  await page.choose('Contacts')
  t.equal(await page.locator('form').count(), 0)
  await page.getByRole('button', { name: 'New' }).click()
  await page.untilTitle('New contact')
  t.equal(await page.focused(), 'name')
  await page.getByLabel('Name').fill('Zoe Twice')
  await page.getByRole('button', { name: 'Create' }).dblclick()
  await page.untilTitle('Zoe Twice')
  await page.untilMessage(/^Created\.$/, 'status')
  t.match(page.url(), /#\/screen\/contact\?id=6$/)
  await page.getByLabel('Name').fill('Zoe Once')
  await page.pressKeys('Enter')
  await page.untilTitle('Zoe Once')
  t.equal(await page.focused(), 'name', 'the person goes on where they were')

  await page.getByRole('link', { name: 'Back' }).click()
  await page.untilTitle('Contacts')
  t.equal(await page.getByRole('link', { name: /^Zoe/ }).count(), 1)
  await page.choose('Zoe Once')
  await page.getByRole('button', { name: 'Delete' }).click()
  t.equal(await page.focused(), 'Cancel')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await page.untilMessage(/Deleted/, 'status')
  await page.untilTitle('Contacts')
  t.equal(await page.getByRole('link', { name: /^Zoe/ }).count(), 0)
})
