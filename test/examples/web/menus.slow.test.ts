// The menus and buttons of the web client, with the mouse and with the keyboard alone.

import type { Test } from 'tap'
import { appOf, cardOf, openAt, openExample, tabbedApp, test } from './browser.ts'

test('menu items open popups, other sites and menus, and an unusable item shows a message', async t => {
  const popup = { type: 'popup', items: [{ label: 'Deep', action: { type: 'message', text: 'Hi' } }] }
  const app = await appOf(t, { inner: { layout: 'Menu', title: 'Inner' } }, [
    { label: 'More', action: popup },
    { label: 'Docs', action: { type: 'open_url', url: 'https://example.com/docs' } },
    { label: 'Inner menu', action: { type: 'open_menu', url: '/inner' } },
    { label: 'Print', action: { type: 'print' } },
    { label: 'Elsewhere', action: { type: 'open_screen', url: 'https://example.com/screen' } },
    { label: 'Gone', action: { type: 'open_screen', url: '/gone' } }
  ])
  const page = await openAt(t, app)
  t.equal(await page.getByText('Deep').isVisible(), false)
  await page.getByText('More').click()
  await page.getByText('Deep').click()
  await page.untilMessage(/^Hi$/, 'status')
  const docs = page.getByText('Docs')
  t.equal(await docs.getAttribute('href'), 'https://example.com/docs')
  t.match(await docs.getAttribute('rel'), /noopener noreferrer/)
  for (const [item, message] of [
    ['Print', /Unknown action: print/],
    ['Elsewhere', /another server/],
    ['Gone', /nothing at this address/]
  ] as const) {
    await page.getByText(item).click()
    await page.untilMessage(message)
  }
  t.strictSame(await page.violations(), [])
  await page.getByText('Inner menu').click()
  await t.resolves(page.untilTitle('Inner'))
})

test('the keyboard alone is enough from the login to a saved contact and back', async t => {
  const { page } = await openExample(t)
  await page.untilTitle('Demo Company')
  await page.keyboard.type('demo')
  await page.pressKeys('Tab')
  await page.keyboard.type('demo-password')
  await page.pressKeys('Enter')
  await page.untilTitle('Main Menu')
  await page.pressKeys('ArrowDown', 'Enter')
  await page.untilTitle('Contacts')
  await page.pressKeys('End', 'Home', 'ArrowDown')
  const second = await page.focused()
  await page.pressKeys('Enter')
  await page.untilTitle(second)
  await page.getByLabel('Company').focus()
  await page.keyboard.type('!')
  await page.pressKeys('Control+s')
  await page.untilMessage(/Saved/, 'status')
  await page.locator('#title').focus()
  await page.pressKeys('Escape')
  await page.untilTitle('Contacts')
  t.equal(await page.focused(), second, 'the list restores its focus')
  await page.pressKeys('Escape')
  await t.resolves(page.untilTitle('Main Menu'))
})

test('Tab moves through the open tab and its items, and the arrow keys change the tab', async t => {
  const page = await openAt(t, await tabbedApp(t))
  const seen = []
  for (const key of ['Tab', 'ArrowLeft', 'ArrowLeft', 'Tab']) {
    await page.pressKeys(key)
    seen.push(await page.focused())
  }
  t.strictSame(seen, ['A', 'C', 'B', 'B1'])
})

test('the arrow keys move in a menu and stop at its ends', async t => {
  const page = await openAt(t, await appOf(t, { one: {}, two: {}, three: {} }))
  t.equal(await page.getByRole('tab').count(), 0, 'a small menu has no tabs')
  const seen = []
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowUp', 'End', 'ArrowDown', 'Home', 'ArrowUp']) {
    await page.pressKeys(key)
    seen.push(await page.focused())
  }
  t.strictSame(seen, ['one', 'two', 'one', 'three', 'three', 'one', 'one'])
})

test('the breadcrumb links to the menu and the parent, and names the current screen', async t => {
  const page = await openAt(
    t,
    await appOf(t, {
      card: { layout: 'Card', title: 'Card', parent_url: '/list' },
      list: { layout: 'List', title: 'List' }
    })
  )
  const parts = page.getByRole('navigation', { name: 'Breadcrumb' }).locator('a, [aria-current=page]')
  t.strictSame(await parts.allInnerTexts(), ['Main menu'])
  await page.choose('list', 'List')
  await page.locator('#menu-link').click()
  await page.untilTitle('Main Menu')
  await page.choose('card', 'Card')
  t.strictSame(await parts.allInnerTexts(), ['Main menu', 'List', 'Card'])
  await page.locator('#back').click()
  await t.resolves(page.untilTitle('List'))
})

test('Esc closes the user menu and keeps the screen', async t => {
  const page = await openAt(t, await appOf(t, { card: { layout: 'Card', title: 'Card' } }))
  await page.choose('card', 'Card')
  await page.locator('#account').click()
  await page.pressKeys('Escape')
  await page.locator('#help').waitFor({ state: 'hidden' })
  t.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'Card')
})

test('? and F1 open a help that lists the keys, and Esc closes it', async t => {
  const page = await openAt(t, await appOf(t, { one: {} }))
  const help = page.getByRole('dialog', { name: 'Keys' })
  for (const key of ['?', 'F1']) {
    await page.pressKeys(key)
    for (const name of ['↑', 'Enter', 'Esc', 'Ctrl S', 'F1']) await help.getByText(name, { exact: true }).waitFor()
    await page.pressKeys('Escape')
    await help.waitFor({ state: 'detached' })
    t.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'Main Menu')
  }
})

test('a key works at once after a dialog is closed', async t => {
  const page = await openAt(t, await appOf(t, { one: {} }))
  await page.pressKeys('?')
  // Both in one task, so that the page has not received the close event yet.
  await page.evaluate(`document.querySelector('dialog').close()
    document.dispatchEvent(new KeyboardEvent('keydown', { key: 'F1', bubbles: true, cancelable: true }))`)
  await t.resolves(page.getByRole('dialog', { name: 'Keys' }).waitFor())
  await page.pressKeys('Escape')
  await t.resolves(page.locator('dialog').waitFor({ state: 'detached' }))
})

test('a key without a modifier triggers nothing during typing', async t => {
  const card = cardOf([{ id: 'a', label: 'A', type: 'TextArea', value: '' }])
  const page = await openAt(t, await appOf(t, { card }))
  await page.choose('card', 'Card')
  await page.getByLabel('A', { exact: true }).focus()
  await page.pressKeys('?', 'ArrowUp', 'Home', 'Escape', 'x')
  t.equal(await page.getByLabel('A', { exact: true }).inputValue(), 'x?')
  t.equal(await page.getByRole('dialog').count(), 0)
  await page.pressKeys('F1')
  await t.resolves(page.getByRole('dialog', { name: 'Keys' }).waitFor())
})

/** Opens a Card, and presses its button. */
async function pressed(t: Test, action: object, response: object = { success: true, message: 'Acted.' }) {
  const screen_actions = [{ id: 'act', label: 'Act', endpoint: '/act', ...action }]
  const app = await appOf(t, { card: { layout: 'Card', title: 'Card', record_id: 7, screen_actions } })
  const sent: unknown[] = []
  app.post('/act', async request => {
    sent.push(request.body)
    return response
  })
  const page = await openAt(t, app)
  await page.choose('card', 'Card')
  await page.getByRole('button', { name: 'Act' }).click()
  return { page, sent, dialog: page.getByRole('dialog', { name: 'Act' }) }
}

test('a button with a question sends its request only after a yes', async t => {
  const { page, sent } = await pressed(t, { kind: 'confirm', confirm_message: 'Really act?' })
  const question = page.getByRole('alertdialog', { name: 'Really act?' })
  t.equal(await page.focused(), 'Cancel')
  await page.pressKeys('Enter')
  await question.waitFor({ state: 'detached' })
  t.strictSame(sent, [])
  await page.getByRole('button', { name: 'Act' }).click()
  t.strictSame(await page.violations(), [])
  await question.getByRole('button', { name: 'Act' }).click()
  await page.untilMessage(/^Acted\.$/, 'status')
  t.match(sent, [{ action_id: 'act', record_id: 7, screen_title: 'Card', fields: {} }])
})

const FORM = {
  kind: 'modal',
  fields: [{ id: 'why', label: 'Why', type: 'Text', value: '', validation: { required: true } }]
}

test('a button with a form sends the fields only if they are valid', async t => {
  const { page, sent, dialog } = await pressed(t, FORM)
  await dialog.getByRole('button', { name: 'Act' }).click()
  t.equal(await page.focused(), 'why')
  t.equal(await dialog.getByRole('textbox', { name: 'Why' }).getAttribute('aria-invalid'), 'true')
  t.strictSame(sent, [])
  t.strictSame(await page.violations(), [])
  await page.keyboard.type('because')
  await page.pressKeys('Enter')
  await page.untilMessage(/^Acted\.$/, 'status')
  await dialog.waitFor({ state: 'detached' })
  t.match(sent, [{ fields: { why: 'because' } }])
})

test('a double click sends a form once, and a refused form stays open', async t => {
  const { page, sent, dialog } = await pressed(t, FORM, { success: false, error: 'Not like this.' })
  await page.keyboard.type('because')
  await dialog.getByRole('button', { name: 'Act' }).dblclick()
  await dialog.getByText('Not like this.').waitFor()
  t.equal(await dialog.getByLabel('Why').inputValue(), 'because')
  t.equal(sent.length, 1)
})

test('a form closes when its screen is replaced', async t => {
  const { page } = await pressed(t, FORM, { success: true, push_url: '/menu/main' })
  await page.keyboard.type('because')
  await page.pressKeys('Enter')
  await page.untilTitle('Main Menu')
  t.equal(await page.locator('dialog').count(), 0)
})

test('a refusal of a form is shown at the field that it names, and the field has the focus', async t => {
  const { page, dialog } = await pressed(t, FORM, { success: false, error: 'Why: too short.' })
  await page.keyboard.type('because')
  await dialog.getByRole('button', { name: 'Act' }).click()
  await dialog.getByText('Why: too short.').waitFor()
  t.equal(await page.focused(), 'why')
  t.equal(await dialog.getByLabel('Why').getAttribute('aria-invalid'), 'true')
  t.equal(await page.getByText('Why: too short.').count(), 1)
})

test('a question over a form keeps the input of the form', async t => {
  const screen_actions = [{ id: 'act', label: 'Act', endpoint: '/act', ...FORM }]
  const app = await appOf(t, { card: cardOf([{ id: 'a', label: 'A', type: 'Text', value: '' }], { screen_actions }) })
  app.post('/act', async () => ({ success: true, message: 'Acted.' }))
  const page = await openAt(t, app)
  await page.choose('card', 'Card')
  await page.getByLabel('A', { exact: true }).fill('typed')
  await page.getByRole('button', { name: 'Act' }).click()
  await page.keyboard.type('because')
  await page.pressKeys('Enter')
  const question = page.getByRole('alertdialog', { name: /Leave without saving/ })
  await question.getByRole('button', { name: 'Cancel' }).click()
  t.equal(await page.getByLabel('Why').inputValue(), 'because')
  await page.getByRole('dialog', { name: 'Act' }).getByRole('button', { name: 'Act' }).click()
  await question.getByRole('button', { name: 'Leave' }).click()
  await t.resolves(page.untilMessage(/^Acted\.$/, 'status'))
})
