// What a person types: numbers in the format of the page, addresses and ranges.

import { fieldOf, openCard, test } from './browser.ts'

test('a number that a list shows can be typed, and comes back to the server as the same number', async t => {
  for (const [language, locale, small, large] of [
    ['de-DE', undefined, '62.50', '-1234.50'],
    ['fa-IR', { decimal_separator: ',', thousand_separator: '.' }, '62,50', '-1.234,50'],
    ['sv-SE', { decimal_separator: '.', thousand_separator: ',' }, '62.50', '-1,234.50']
  ] as const) {
    const lines = { columns: [{ id: 'n', type: 'Decimal' }], rows: [{ values: [small] }, { values: [large] }] }
    const { page, sent, save } = await openCard(t, [fieldOf('Rate', 'Decimal', { value: small })], {
      card: { locale },
      screens: { list: { layout: 'List', title: 'list', lines, locale } },
      options: { locale: language }
    })
    const rate = page.getByLabel('Rate')
    const input = await rate.inputValue()
    await page.locator('#menu-link').click()
    await page.choose('list')
    const [first, second = ''] = await page.getByRole('cell').allTextContents()
    t.equal(input, first, language)
    await page.locator('#menu-link').click()
    await page.choose('card', 'Card')
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
    ['Site', 'nowhere', 'Not a web address like https://example.com.', 'www.müller.example'],
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

test('the form of a button shows and sends numbers in the same formats as a Card', async t => {
  const fields = [fieldOf('Sum', 'Decimal', { value: '1234,50' }), fieldOf('Day', 'Date')]
  const button = { id: 'b', label: 'Pay', kind: 'modal', endpoint: '/save', fields }
  const locale = { date_format: 'DD-MM-YYYY', decimal_separator: ',', thousand_separator: '.' }
  const respond = () => ({ success: true, message: 'Sent.' })
  const { page, sent } = await openCard(t, [], { card: { locale, screen_actions: [button] }, respond })
  await page.getByRole('button', { name: 'Pay' }).click()
  const dialog = page.getByRole('dialog')
  t.equal(await dialog.getByLabel('Sum').inputValue(), '1,234.50')
  await dialog.getByLabel('Sum').fill('1,250.75')
  await dialog.getByLabel('Day').fill('2026-12-31')
  await dialog.getByRole('button', { name: 'Pay' }).click()
  await page.untilMessage(/Sent/, 'status')
  t.strictSame(sent[0].fields, { Sum: '1250,75', Day: '31-12-2026' })
})
