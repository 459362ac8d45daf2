// What a person types: numbers in the format of the page, addresses and ranges, also in the form of a button.

import { fieldOf, openCard, test } from './browser.ts'

test('a number that a list shows can be typed, and comes back to the server as the same number', async t => {
  for (const [language, locale, small, large] of [
    ['de-DE', undefined, '62.50', '-1234.50'],
    ['fa-IR', { decimal_separator: ',', thousand_separator: '.' }, '62,50', '-1.234,50'],
    ['sv-SE', { decimal_separator: '.', thousand_separator: ',' }, '62.50', '-1,234.50']
  ] as const) {
    const lines = { columns: [{ id: 'n', type: 'Decimal' }], rows: [{ values: [small] }, { values: [large] }] }
    const fields = [fieldOf('Rate', 'Decimal', { value: small })]
    const { page, sent, save } = await openCard(t, fields, { card: { locale, lines }, options: { locale: language } })
    const rate = page.getByLabel('Rate')
    const [first, second = ''] = await page.getByRole('cell').allTextContents()
    t.equal(await rate.inputValue(), first, language)
    await rate.fill('')
    await rate.pressSequentially(second)
    await save()
    await page.untilMessage(/Saved/, 'status')
    t.strictSame(sent[0].changes, { Rate: large.replace(locale?.thousand_separator ?? ',', '') }, language)
  }
})

test('what has no clear reading is refused with an example, and what has one is sent as data', async t => {
  const rate = { value: '1250.00', validation: { max: 1250 }, placeholder: '0.00' }
  const fields = [fieldOf('Rate', 'Decimal', rate), fieldOf('Mail', 'Email'), fieldOf('Site', 'URL')]
  const options = { locale: 'de-DE' }
  const { page, sent, save } = await openCard(t, [...fields, fieldOf('Away', 'DateRange')], { options })
  t.equal(await page.getByLabel('Rate').getAttribute('placeholder'), '0,00')
  await page.getByLabel('Mail').fill('info@müller.example')
  for (const [label, wrong, message, right] of [
    ['Rate', '1.25', 'Not a number like 1.234,5.', '1.249'],
    ['Rate', '1250.00', 'Not a number like 1.234,5.', '1.249'],
    ['Rate', '1.250,5', 'At most 1.250.', '1.249'],
    ['Site', 'nowhere', 'Not a web address.', 'www.müller.example'],
    ['From', '2027-01-06', 'Needs a first and a last day.', '2027-01-06'],
    ['To', '2026-12-20', 'Ends before it begins.', '2027-01-07']
  ] as const) {
    const input = page.getByLabel(label, { exact: true })
    await input.fill(wrong)
    await save()
    t.equal(await page.locator('.fault').textContent(), message)
    await input.fill(right)
  }
  t.strictSame(sent, [])
  await save()
  await page.untilMessage(/Saved/, 'status')
  const [Mail, Site] = ['info@müller.example', 'https://www.müller.example']
  t.strictSame(sent[0].changes, { Rate: '1249', Mail, Site, Away: '2027-01-06/2027-01-07' })
})

/** The button of a Card that opens a form. */
const ACT = {
  id: 'act',
  label: 'Act',
  endpoint: '/save',
  kind: 'modal',
  fields: [
    fieldOf('Why', 'Text', { validation: { required: true } }),
    fieldOf('Sum', 'Decimal', { value: '1234,50' }),
    fieldOf('Day', 'Date')
  ]
}

test('a form has the formats of a Card, is sent only if it is valid, and shows a refusal once, at its field', async t => {
  for (const [error, shown, focus, invalid] of [
    ['Not like this.', 'Not like this.', 'Act', null],
    ['Why: too short.', 'Too short.', 'Why', 'true']
  ] as const) {
    const response = { success: false, error, message: 'Acted.' }
    const locale = { date_format: 'DD-MM-YYYY', decimal_separator: ',', thousand_separator: '.' }
    const card = { record_id: 7, screen_actions: [ACT], locale }
    const { page, sent } = await openCard(t, [], { card, respond: () => response })
    await page.getByRole('button', { name: 'Act' }).click()
    const dialog = page.getByRole('dialog', { name: 'Act' })
    const send = dialog.getByRole('button', { name: 'Act' })
    const why = dialog.getByRole('textbox', { name: 'Why' })
    await send.click()
    t.equal(await page.focused(), 'Why')
    t.equal(await why.getAttribute('aria-invalid'), 'true')
    t.strictSame(sent, [])
    t.strictSame(await page.violations(), [])
    t.equal(await dialog.getByLabel('Sum').inputValue(), '1,234.50')
    await dialog.getByLabel('Sum').fill('1,250.75')
    await dialog.getByLabel('Day').fill('2026-12-31')
    await why.fill('because')
    await send.click()
    await dialog.getByText(shown, { exact: true }).waitFor()
    t.equal(await page.getByText(shown).count(), 1)
    t.equal(await page.focused(), focus)
    t.equal(await why.getAttribute('aria-invalid'), invalid)
    t.equal(await why.inputValue(), 'because')
    t.match(sent, [{ action_id: 'act', record_id: 7, screen_title: 'Card' }])
    t.strictSame(sent[0].fields, { Why: 'because', Sum: '1250,75', Day: '31-12-2026' })
    response.success = true
    await page.pressKeys('Enter')
    await page.untilMessage(/^Acted\.$/, 'status')
    await t.resolves(dialog.waitFor({ state: 'detached' }))
  }
})

test('a question over a form keeps the input of the form', async t => {
  const respond = () => ({ success: true, message: 'Acted.' })
  const { page } = await openCard(t, [fieldOf('A', 'Text')], { card: { screen_actions: [ACT] }, respond })
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
