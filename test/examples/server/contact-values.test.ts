// The values of a contact: the parsing and display of dates and numbers, and the rejection of invalid values.

import fc from 'fast-check'
import t from 'tap'
import { type FieldId, fieldOf } from '../../../examples/server/contacts/fields.ts'
import { type Fault, faultOf } from '../../../examples/server/contacts/validation.ts'
import { LANGUAGES } from '../../../examples/server/language.ts'
import { fromLocale, toLocale } from '../../../examples/server/locale.ts'
import { GERMAN, NO_AUTH, startExample, valuesOf } from './in-process.ts'

/** Splits values at spaces. */
const words = (values: string) => values.split(' ')

/** The values that each field rejects in both languages, and the fault in them. */
const FAULTS: [id: FieldId, fault: Fault, values: string[]][] = [
  ['name', 'required', ['', '   ', '\r\n']],
  ['name', 'max_length', ['x'.repeat(101)]],
  [
    'company',
    'character',
    ['a\u0000b', 'a\nb', 'a\tb', '\u001b[31mred', 'a\u009bb', '\ud800', 'a\udc00b', 'M\ufffdller']
  ],
  ['notes', 'character', ['a\u0000b', 'a\u001bb', 'a\rb', '\udfff']],
  ['notes', 'max_length', ['x'.repeat(2001)]],
  ['category', 'Option', words('Customer other toString')],
  ['favourite', 'Boolean', words('yes TRUE 1')],
  ['email', 'Email', ['a b@example.com', ...words('ada @example.com ada@ ada@example a@b@c.com a@example..com')]],
  ['email', 'max_length', [`${'x'.repeat(250)}@a.de`]],
  ['phone', 'pattern', ['12', 'call me', '+49 30 <b>', '++49 30 1234', '٠١٢٣']],
  ['website', 'URL', ['http://a b', ...words('example.com javascript:alert(1) ftp://example.com https:// data:,x')]],
  ['call_at', 'Time', words('24:00 9:30 12:60 12:30:00 noon')],
  ['birthday', 'Date', words('2026-02-30 2025-02-29 2026-13-01 2026-00-10 2026-1-1 0000-01-01 +12026-01-01 today')],
  ['birthday', 'Date', words('31-02-1990 12-31-1990 31-12-90 31/12/1990 31.12.1990 0-1-1990 -1-1-1990')],
  ['away', 'DateRange', words('2026-12-20 2026-12-20/ /2026-12-20 2027-01-06/2026-12-20 2026-02-28/2026-02-30')],
  ['away', 'DateRange', words('06-01-2027/20-12-2026 2026-12-20/2027-01-06/2027-01-07 20-12-2026/31-02-2027')],
  ['team_size', 'Integer', ['1 000', '9'.repeat(400), '٣', ...words('1.5 1e3 x 0x10 Infinity NaN')]],
  ['team_size', 'range', words('-1 100001')],
  ['hourly_rate', 'Decimal', ['12 50', ...words('1,2,3 1e3 .5 1. Infinity 0.0000001 1..2 1.250, - much')]],
  ['hourly_rate', 'range', words('-0.01 100000.01')]
]

for (const texts of LANGUAGES)
  t.test(`an invalid value is rejected with a short message, and nothing is saved, ${texts.code}`, async t => {
    const { contacts, getJson, save } = await startExample(t, NO_AUTH, { 'accept-language': texts.code })
    const before = await contacts.list()
    const { actions } = await getJson('/screen/contact?id=1')
    const { create } = (await getJson('/screen/contacts/new')).actions
    for (const [id, fault, values] of FAULTS) {
      const { label, validation = {} } = fieldOf(id, '', texts)
      const status = `Error: ${texts.faults[fault](label, validation)}`
      // Known clients truncate a longer message.
      t.ok(status.length <= 42 && status.includes(label), status)
      for (const value of values) {
        const name = `${id}: ${JSON.stringify(value.slice(0, 40))}`
        const refused = { code: 200, layout: 'Card', status }
        t.match(await save(actions.save, { company: 'Good', [id]: value }), refused, name)
        t.match(await save(create, { name: 'Good', [id]: value }), refused, name)
      }
    }
    const status = `Error: ${texts.contact.notEditable}`
    for (const id of ['id', 'updated_at', 'updated_by', 'line', 'key', 'version', 'constructor', '', 'x'.repeat(5000)])
      t.match(await save(actions.save, { [id]: '7' }), { code: 200, layout: 'Card', status }, id.slice(0, 20))
    t.strictSame(await contacts.list(), before)
  })

t.test('a number in the format of the other language, or an ambiguous one, is rejected', async t => {
  for (const [headers, numbers, status] of [
    [{}, '62,5 1,25 12,50.5 1,2500', 'Error: Hourly rate: not a number.'],
    [GERMAN, '1.250 -1.250 12.345', 'Error: Stundensatz: bitte ohne Punkt.']
  ] as const) {
    const { contacts, getJson, save } = await startExample(t, NO_AUTH, headers)
    const { actions } = await getJson('/screen/contact?id=1')
    for (const hourly_rate of words(numbers))
      t.match(await save(actions.save, { hourly_rate }), { status }, hourly_rate)
    t.equal((await contacts.find(1))?.fields.hourly_rate, '95.00')
  }
})

t.test('a value at a limit is saved unchanged', async t => {
  const { contacts, getJson, save } = await startExample(t, NO_AUTH)
  const allowed = {
    name: `${'x'.repeat(98)}👩`,
    company: "O'Brien; DROP TABLE contacts -- <b>&amp;</b> {0} \u202e",
    category: 'friend',
    favourite: 'false',
    email: "o'brien+tag@sub.example.com",
    phone: '(020) 7946/0958-1',
    website: 'HTTPS://user@example.com:8443/a?b=c#d',
    call_at: '00:00',
    birthday: '2024-02-29',
    away: '2026-12-20/2026-12-20',
    team_size: '100000',
    hourly_rate: '0.000001',
    notes: `tab\there\n${'x'.repeat(1900)}`
  }
  const { actions } = await getJson('/screen/contact?id=1')
  t.match(await save(actions.save, allowed), { status: 'Saved.' })
  t.strictSame((await contacts.find(1))?.fields, allowed)
  const empty = Object.fromEntries(Object.keys(allowed).map(id => [id, '']))
  const next = (await getJson('/screen/contact?id=1')).actions
  t.match(await save(next.save, { ...empty, name: 'x' }), { status: 'Saved.' })
  t.strictSame((await contacts.find(1))?.fields, { ...empty, name: 'x' })
})

t.test('an option may be a plain text, and a field without options accepts no value', async t => {
  const field = { id: 'size', label: 'Size', type: 'Option', value: '' } as const
  t.equal(faultOf({ ...field, options: ['small'] }, 'small'), null)
  t.equal(faultOf({ ...field, options: [{ label: 'Large', value: 'l' }] }, 'l'), null)
  t.equal(faultOf({ ...field, options: [{ label: 'Large', value: 'l' }] }, 'Large'), 'Option')
  t.equal(faultOf(field, 'small'), 'Option')
})

t.test('a new contact needs a name, even if the client sends no name field', async t => {
  const { contacts, getJson, save } = await startExample(t, NO_AUTH)
  const { create } = (await getJson('/screen/contacts/new')).actions
  t.match(await save(create, { company: 'x' }), { status: 'Error: Name is missing.', title: 'New contact' })
  t.equal((await contacts.list()).length, 5)
})

t.test('random strings get a screen with a status, and a rejection changes nothing', async t => {
  const { contacts, getJson, save } = await startExample(t, NO_AUTH)
  const ids = Object.keys((await contacts.find(1))?.fields ?? {})
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map(unit => String.fromCharCode(unit)) }),
    fc.constantFrom(...words('2026-02-28 2026-02-28/2026-03-01 28-02-2026 1.250 62,5 12:00 7 -0.5 true friend a@b.de'))
  )
  const id = fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...ids) }, { weight: 1, arbitrary: text })
  await fc.assert(
    fc.asyncProperty(fc.dictionary(id, text, { maxKeys: 4 }), fc.boolean(), async (changes, isNew) => {
      const { actions } = await getJson(isNew ? '/screen/contacts/new' : '/screen/contact?id=1')
      const before = await contacts.list()
      const { code, layout, sections, status } = await save(isNew ? actions.create : actions.save, changes)
      // The JSON parser rejects __proto__ before the handler runs.
      if (Object.hasOwn(changes, '__proto__')) return code === 400
      t.strictSame([code, layout, Array.isArray(sections)], [200, 'Card', true])
      t.match(status, /^(Error: .{1,35}|Saved\.|Created\.)$/)
      if (status.startsWith('Error:')) t.strictSame(await contacts.list(), before)
      return true
    }),
    { numRuns: 300 }
  )
})

/** The typed value of each field, and the value shown after it is saved. Default: the typed value. */
const READ: [headers: Record<string, string>, ...[field: string, typed: string, shown?: string][]][] = [
  [
    {},
    ['birthday', '31-12-1990'],
    ['birthday', '1990-12-31', '31-12-1990'],
    ['birthday', '1-2-1990', '01-02-1990'],
    ['away', '20-12-2026/06-01-2027'],
    ['away', '2026-12-20/2027-01-06', '20-12-2026/06-01-2027'],
    ['hourly_rate', '62.5'],
    ['hourly_rate', '1,250.50', '1250.50'],
    ['hourly_rate', '0.5'],
    ['team_size', '1,250', '1250']
  ],
  [
    GERMAN,
    ['birthday', '1990-12-31', '31-12-1990'],
    ['away', '2026-12-20/06-01-2027', '20-12-2026/06-01-2027'],
    ['hourly_rate', '62,5'],
    ['hourly_rate', '62.5', '62,5'],
    ['hourly_rate', '1.250,50', '1250,50'],
    ['hourly_rate', '1250'],
    ['team_size', '1.250', '1250']
  ]
]

t.test('dates and numbers are accepted in the locale of the screen, as ISO 8601, and with a decimal point', async t => {
  for (const [headers, ...fields] of READ) {
    const example = await startExample(t, NO_AUTH, headers)
    for (const [field, typed, shown = typed] of fields) {
      const { actions } = await example.getJson('/screen/contact?id=1')
      const saved = await example.save(actions.save, { [field]: typed })
      t.match(saved.status, /^(Saved|Gespeichert)\.$/, typed)
      t.equal(valuesOf(saved)[field], shown, typed)
    }
  }
})

t.test('a list shows values in the format of the language', async t => {
  for (const [headers, rate] of [
    [{}, '62.50'],
    [GERMAN, '62,50']
  ] as const) {
    const { getJson } = await startExample(t, NO_AUTH, headers)
    const [, { values }] = (await getJson('/screen/contacts')).lines.rows
    t.strictSame(values, ['Bruno Keller', 'Keller & Töchter', '02-11-1969', rate, '', '2'])
  }
})

const LOCALES = {
  en: { date_format: 'DD-MM-YYYY', decimal_separator: '.', thousand_separator: ',' },
  de: { date_format: 'DD-MM-YYYY', decimal_separator: ',', thousand_separator: '.' },
  'en-US': { date_format: 'MM-DD-YYYY', decimal_separator: '.', thousand_separator: ',' }
} as const

const day = fc
  .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  .map(date => date.toISOString().slice(0, 10))
const digits = fc.stringMatching(/^(0|[1-9]\d{0,8})$/)
const decimal = fc.tuple(fc.constantFrom('', '-'), digits, fc.stringMatching(/^(\.\d{1,2})?$/))
const STORED = {
  Date: day,
  DateRange: fc.tuple(day, day).map(days => days.join('/')),
  Integer: digits,
  Decimal: decimal.map(parts => parts.join(''))
}

for (const [name, locale] of Object.entries(LOCALES)) {
  t.test(`parsing a shown value returns the stored value, ${name}`, async t => {
    for (const type of ['Date', 'DateRange', 'Integer', 'Decimal'] as const) {
      const isSame = fc.property(STORED[type], stored => {
        const shown = toLocale(type, stored, locale)
        return [stored, shown].every(typed => fromLocale(type, typed, locale) === stored)
      })
      t.doesNotThrow(() => fc.assert(isSame), type)
    }
  })
}

t.test('a very long text is kept as it was typed', async t => {
  for (const typed of ['1.'.repeat(30_000), `1${'.000'.repeat(15_000)}x`, '9'.repeat(60_000), '1-'.repeat(30_000)])
    for (const type of ['Date', 'DateRange', 'Decimal', 'Integer'] as const)
      t.equal(fromLocale(type, typed, LOCALES.de)?.slice(0, 4), typed.slice(0, 4))
})
