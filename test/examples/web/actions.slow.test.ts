// The buttons of a screen that do not save it: at once, after a question, or with a form.

import t, { type Test } from 'tap'
import { needs } from '../../needs.ts'
import { focused, openPage, startBrowser, untilMessage, untilTitle, violations } from './browser.ts'
import { appOf, listen, openScreen } from './screen-server.ts'

const path = needs(t, 'chromium', 'chromium-browser', 'google-chrome')
if (path !== undefined) {
  const browser = await startBrowser(t, path)

  const ACTION = { id: 'act', label: 'Act', endpoint: '/act' }

  async function actionPage(
    t: Test,
    action: object,
    response: object = { success: true, message: 'Acted.' }
  ) {
    const card = {
      layout: 'Card',
      title: 'Card',
      record_id: 7,
      sections: [],
      screen_actions: [{ ...ACTION, ...action }]
    }
    const app = await appOf(t, { card })
    const sent: unknown[] = []
    app.post('/act', async request => {
      sent.push(request.body)
      return response
    })
    const page = await openPage(t, browser, await listen(app))
    await openScreen(page, 'card', 'Card')
    await page.getByRole('button', { name: 'Act' }).click()
    return { page, sent }
  }

  t.test('a simple one is sent at once', async t => {
    const { page, sent } = await actionPage(t, { kind: 'simple' })
    await untilMessage(page, /^Acted\.$/, 'status')
    t.match(sent, [{ action_id: 'act', record_id: 7, screen_title: 'Card', fields: {} }])
  })

  t.test('one with a question is sent after a yes', async t => {
    const { page, sent } = await actionPage(t, { kind: 'confirm', confirm_message: 'Really act?' })
    const question = page.getByRole('alertdialog', { name: 'Really act?' })
    t.equal(await focused(page), 'Cancel')
    await page.keyboard.press('Enter')
    await question.waitFor({ state: 'detached' })
    t.strictSame(sent, [])
    await page.getByRole('button', { name: 'Act' }).click()
    t.strictSame(await violations(page), [])
    await question.getByRole('button', { name: 'Act' }).click()
    await untilMessage(page, /^Acted\.$/, 'status')
    t.equal(sent.length, 1)
  })

  const FORM = {
    kind: 'modal',
    fields: [{ id: 'why', label: 'Why', type: 'Text', value: '', validation: { required: true } }]
  }

  t.test('one with a form is sent with its fields, when they are right', async t => {
    const { page, sent } = await actionPage(t, FORM)
    const dialog = page.getByRole('dialog', { name: 'Act' })
    await dialog.getByRole('button', { name: 'Act' }).click()
    t.equal(await focused(page), 'why')
    t.equal(await dialog.getByRole('textbox', { name: 'Why' }).getAttribute('aria-invalid'), 'true')
    t.strictSame(sent, [])
    t.strictSame(await violations(page), [])
    await page.keyboard.type('because')
    await page.keyboard.press('Enter')
    await untilMessage(page, /^Acted\.$/, 'status')
    await dialog.waitFor({ state: 'detached' })
    t.match(sent, [{ fields: { why: 'because' } }])
  })

  t.test('a form that is refused stays, with what was typed', async t => {
    const { page } = await actionPage(t, FORM, { success: false, error: 'Not like this.' })
    await page.keyboard.type('because')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Act' })
    await dialog.getByText('Not like this.').waitFor()
    t.equal(await dialog.getByLabel('Why').inputValue(), 'because')
  })

  t.test('a form that is sent twice at once is sent once, and stays when it is refused', async t => {
    const { page, sent } = await actionPage(t, FORM, { success: false, error: 'Not like this.' })
    await page.keyboard.type('because')
    await page.evaluate(`{
      const form = document.querySelector('dialog form')
      form.requestSubmit()
      form.requestSubmit()
    }`)
    const dialog = page.getByRole('dialog', { name: 'Act' })
    await dialog.getByText('Not like this.').waitFor()
    t.equal(await dialog.getByLabel('Why').inputValue(), 'because')
    t.equal(sent.length, 1)
  })

  t.test('a form is gone with its screen', async t => {
    const { page } = await actionPage(t, FORM, { success: true, push_url: '/menu/main' })
    await page.keyboard.type('because')
    await page.keyboard.press('Enter')
    await untilTitle(page, 'Main Menu')
    t.equal(await page.locator('dialog').count(), 0)
  })
}
