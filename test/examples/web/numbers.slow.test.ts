// What a person types: numbers in the format of the page, addresses and ranges.

import type { Test } from 'tap'
import { appOf, cardOf, openAt, test } from './browser.ts'

const fieldOf = (id: string, type: string, value = '', more: object = {}) => ({ id, label: id, type, value, ...more })

/** Opens a page with a list and a Card. `saved` has the changes of each save. */
async function openCard(t: Test, language: string, fields: object[], more: object = {}, rows: string[][] = []) {
  const lines = { columns: [{ id: 'n', type: 'Decimal' }], rows: rows.map(values => ({ values })) }
  const list = { layout: 'List', title: 'list', lines, ...more }
  const app = await appOf(t, { list, card: cardOf(fields, more) })
  const saved: Record<string, string>[] = []
  app.post('/save', async request => {
    saved.push((request.body as { changes: Record<string, string> }).changes)
    return { ...cardOf(fields, more), status: 'Kept.' }
  })
  app.post('/send', async request => {
    saved.push((request.body as { fields: Record<string, string> }).fields)
    return { success: true, message: 'Sent.' }
  })
  const page = await openAt(t, app, { locale: language })
  const save = () => page.getByRole('button', { name: 'Save' }).click()
  return { page, saved, save }
}

const SERVERS = [
  [undefined, '62.50', '-1234.50'],
  [{ decimal_separator: ',', thousand_separator: '.' }, '62,50', '-1.234,50'],
  [{ decimal_separator: '.', thousand_separator: ',' }, '62.50', '-1,234.50']
] as const

test('a number that a list shows can be typed, and comes back to the server as the same number', async t => {
  for (const [index, language] of ['de-DE', 'fr-CH', 'de-CH', 'en-IN', 'ar-EG', 'fa-IR', 'sv-SE', 'en-US'].entries()) {
    const [locale, small, large] = SERVERS[index % 3] ?? SERVERS[0]
    const opened = await openCard(t, language, [fieldOf('Rate', 'Decimal', small)], { locale }, [[small], [large]])
    const { page, saved, save } = opened
    await page.locator('#menu-link').click()
    await page.choose('list')
    const [first = '', second = ''] = await page.getByRole('cell').allTextContents()
    await page.locator('#menu-link').click()
    await page.choose('card', 'Card')
    const rate = page.getByLabel('Rate')
    t.equal(await rate.inputValue(), first, language)
    await rate.fill('')
    await rate.pressSequentially(second)
    await save()
    await page.untilMessage(/Kept/, 'status')
    t.strictSame(saved, [{ Rate: large.replace(locale?.thousand_separator ?? ',', '') }], language)
  }
})

test('a number with another reading is refused with an example, and a limit has the format of the page', async t => {
  const validation = { max: 1250 }
  const fields = [fieldOf('Rate', 'Decimal', '1250.00', { validation, placeholder: '0.00' })]
  const { page, saved, save } = await openCard(t, 'de-DE', fields)
  await page.choose('card', 'Card')
  const rate = page.getByLabel('Rate')
  t.equal(await rate.getAttribute('placeholder'), '0,00')
  for (const [typed, message] of [
    ['1.25', 'Not a number like 1.234,5.'],
    ['1250.00', 'Not a number like 1.234,5.'],
    ['1.250,5', 'At most 1.250.']
  ] as const) {
    await rate.fill(typed)
    await save()
    t.equal(await page.locator('.fault').textContent(), message)
    t.equal(await page.focused(), 'Rate')
  }
  await rate.fill('1.249')
  await save()
  await page.untilMessage(/Kept/, 'status')
  t.strictSame(saved, [{ Rate: '1249' }])
})

test('an international address is sent as it was typed, and a web address gets its scheme', async t => {
  const { page, saved, save } = await openCard(t, 'de-DE', [fieldOf('Mail', 'Email'), fieldOf('Site', 'URL')])
  await page.choose('card', 'Card')
  await page.getByLabel('Mail').fill('info@müller.example')
  for (const [typed, site] of [
    ['www.müller.example', 'https://www.müller.example'],
    ['https://müller.example/ü', 'https://müller.example/ü']
  ] as const) {
    await page.getByLabel('Site').fill(typed)
    await save()
    await page.untilMessage(/Kept/, 'status')
    t.strictSame(saved.pop(), { Mail: 'info@müller.example', Site: site })
    await page.getByLabel('Mail').fill('info@müller.example')
  }
  await page.getByLabel('Site').fill('nowhere')
  await save()
  t.equal(await page.locator('.fault').textContent(), 'Not a web address like https://example.com.')
})

test('a range that ends before it begins, or lacks a day, is told so', async t => {
  const { page, save } = await openCard(t, 'en-US', [fieldOf('Away', 'DateRange')])
  await page.choose('card', 'Card')
  await page.getByLabel('From').fill('2027-01-06')
  await save()
  t.equal(await page.locator('.fault').textContent(), 'Needs a first and a last day.')
  await page.getByLabel('To').fill('2026-12-20')
  await save()
  t.equal(await page.locator('.fault').textContent(), 'Ends before it begins.')
})

test('the form of a button shows and sends numbers in the same formats as a Card', async t => {
  const fields = [fieldOf('Sum', 'Decimal', '1234,50'), fieldOf('Day', 'Date')]
  const button = { id: 'b', label: 'Pay', kind: 'modal', endpoint: '/send', fields }
  const locale = { date_format: 'DD-MM-YYYY', decimal_separator: ',', thousand_separator: '.' }
  const { page, saved } = await openCard(t, 'en-US', [], { locale, screen_actions: [button] })
  await page.choose('card', 'Card')
  await page.getByRole('button', { name: 'Pay' }).click()
  const dialog = page.getByRole('dialog')
  t.equal(await dialog.getByLabel('Sum').inputValue(), '1,234.50')
  await dialog.getByLabel('Sum').fill('1,250.75')
  await dialog.getByLabel('Day').fill('2026-12-31')
  await dialog.getByRole('button', { name: 'Pay' }).click()
  await page.untilMessage(/Sent/, 'status')
  t.strictSame(saved, [{ Sum: '1250,75', Day: '31-12-2026' }])
})
