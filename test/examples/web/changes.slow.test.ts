// Unsaved changes: the client asks before it discards them, and keeps them over a reload and a conflict.

import type { Test } from 'tap'
import { appOf, cardOf, openAt, openMenu, type Page, test } from './browser.ts'

const CARD = cardOf([{ id: 'a', label: 'A', type: 'Text', value: 'old' }])

/** Opens a Card, and types into its field. */
async function typedPage(t: Test) {
  const app = await appOf(t, { card: CARD })
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
  'the logout': page => page.account('Log out')
}
for (const [name, leave] of Object.entries(WAYS)) {
  test(`${name} asks before it discards changes, and a no keeps them`, async t => {
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

test('the browser asks before a reload only if there are changes', async t => {
  const { page, input } = await typedPage(t)
  const asked: string[] = []
  page.on('dialog', dialog => asked.push(dialog.type()))
  await page.reload()
  await page.untilMessage(/unsaved changes are back/, 'status')
  t.strictSame(asked, ['beforeunload'])
  t.equal(await input.inputValue(), 'typed')
  await input.fill('old')
  await page.reload()
  await page.untilTitle('Card')
  t.strictSame(asked, ['beforeunload'])
})

test('after a conflict the form keeps the input, and offers to use each saved value', async t => {
  const { page } = await openMenu(t)
  await page.choose('Contacts')
  await page.choose('Bruno Keller')
  const other = await page.context().newPage()
  await other.goto(page.url())
  for (const [one, company, email] of [
    [other, 'Theirs', 'theirs@example.com'],
    [page, 'Mine', 'mine@example.com']
  ] as const) {
    await one.getByLabel('Company').fill(company)
    await one.getByLabel('Email').fill(email)
    await one.keyboard.press('Enter')
    await one.getByText(one === page ? /saved newer changes/ : 'Saved.').waitFor()
  }
  await page.getByRole('button', { name: 'Load theirs, keep mine' }).click()
  await page.getByText('Others have changed this to “Theirs”.').waitFor()
  t.strictSame(await page.violations(), [])
  const email = page.getByText('Others have changed this to “theirs@example.com”.')
  await email.getByRole('button', { name: 'Use theirs' }).click()
  await email.waitFor({ state: 'detached' })
  t.equal(await page.focused(), 'email', 'the field has the focus')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.untilMessage(/^Saved\.$/, 'status')
  await page.reload()
  await page.untilTitle('Bruno Keller')
  t.equal(await page.getByLabel('Company').inputValue(), 'Mine')
  t.equal(await page.getByLabel('Email').inputValue(), 'theirs@example.com')
})

test('a contact is created once from its list, renamed, and deleted after a confirmation', async t => {
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
  t.equal(await page.focused(), 'name', 'the focus stays in the field')

  // Back must not open the form of the created contact.
  await page.goBack()
  await page.untilTitle('Contacts')
  t.equal(await page.getByRole('link', { name: /^Zoe/ }).count(), 1)
  await page.choose('Zoe Once')
  await page.getByRole('button', { name: 'Delete' }).click()
  t.equal(await page.focused(), 'Cancel')
  await page.getByText('This cannot be undone.').waitFor()
  await page.getByRole('alertdialog', { name: 'Delete Zoe Once?' }).getByRole('button', { name: 'Delete' }).click()
  await page.untilMessage(/Deleted/, 'status')
  await page.untilTitle('Contacts')
  t.equal(await page.getByRole('link', { name: /^Zoe/ }).count(), 0)
})
