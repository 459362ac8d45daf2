// Dates and numbers in the form that a screen names, and what a view gets.

import fc from 'fast-check'
import t from 'tap'
import { readScreen } from '../screen.ts'

const GERMAN = { date_format: 'DD-MM-YYYY', decimal_separator: ',', thousand_separator: '.' } as const
const AMERICAN = { date_format: 'MM-DD-YYYY', decimal_separator: '.', thousand_separator: ',' } as const

/** The value of a field, as a view gets it. */
const shown = (field: object, locale: unknown) =>
  readScreen({ layout: 'Card', locale, sections: [{ fields: [field] }] })?.sections[0]?.fields[0]?.value

const read = (type: string, value: string, locale: unknown) => shown({ type, value, editable: false }, locale)

t.test(
  'a value to read comes as ISO 8601 and with a point, and what has no form of the locale as it is',
  async t => {
    for (const [type, sent, expected] of [
      ['Date', '31-12-1990', '1990-12-31'],
      ['Date', '1-2-1990', '1990-02-01'],
      ['Date', '1990-12-31', '1990-12-31'],
      ['Date', '31.12.1990', '31.12.1990'],
      ['Date', '31-12-90', '31-12-90'],
      ['Date', 'on 31-12-1990', 'on 31-12-1990'],
      ['Date', '31-12-19900', '31-12-19900'],
      ['DateRange', '20-12-2026/06-01-2027', '2026-12-20/2027-01-06'],
      ['DateRange', '/06-01-2027', '/2027-01-06'],
      ['Decimal', '62,5', '62.5'],
      ['Decimal', '-1.234.567,50', '-1234567.50'],
      ['Decimal', '62.5', '62.5'],
      ['Decimal', '0.123', '0.123'],
      ['Decimal', '1.2345', '1.2345'],
      ['Decimal', '1,2,3', '1,2,3'],
      ['Decimal', 'x1', 'x1'],
      ['Decimal', '1,5x', '1,5x'],
      ['Decimal', '1234.567', '1234.567'],
      ['Decimal', '1,', '1,'],
      ['Decimal', ',5', ',5'],
      ['Decimal', '', ''],
      ['Integer', '1.250', '1250'],
      ['Text', '31-12-1990', '31-12-1990'],
      ['Text', '62,5', '62,5']
    ] as const)
      t.equal(read(type, sent, GERMAN), expected, `${type} ${sent}`)
    t.equal(read('Date', '12-31-1990', AMERICAN), '1990-12-31')
    t.equal(read('Decimal', '1,250.5', AMERICAN), '1250.5')
  }
)

t.test('what is missing in a locale is as with other clients, and without one a number is plain', async t => {
  for (const locale of [{}, { date_format: 7, decimal_separator: null, thousand_separator: [] }]) {
    t.equal(read('Date', '31-12-1990', locale), '1990-12-31')
    t.equal(read('Decimal', '1.250,5', locale), '1250.5')
  }
  for (const locale of [undefined, null, 'de', 7]) {
    t.equal(read('Date', '31-12-1990', locale), '1990-12-31')
    t.equal(read('Decimal', '62,5', locale), '62,5')
    for (const number of ['1.250', '1250']) t.equal(read('Decimal', number, locale), number)
  }
  t.equal(read('Decimal', '1250,5', { decimal_separator: '', thousand_separator: '' }), '1250.5')
  t.equal(read('Decimal', '1.250', { decimal_separator: ',', thousand_separator: '' }), '1.250')
})

t.test(
  'placeholders, fields of a button and the values of a list are read too, but not for a URL',
  async t => {
    const field = { id: 'a', type: 'Date', placeholder: '31-12-1990', value: '31-12-1990' }
    const screen = readScreen({
      layout: 'List',
      locale: GERMAN,
      sections: [{ fields: [field] }],
      screen_actions: [{ id: 'b', fields: [field] }],
      lines: {
        columns: [{ type: 'Date' }, { type: 'Text' }, { type: 'Decimal' }],
        rows: [{ values: ['31-12-1990', '31-12-1990', '62,5', '31-12-1990'] }],
        on_select: '/{0}/{2}'
      }
    })
    const read = { placeholder: '1990-12-31', value: '1990-12-31' }
    t.match(screen, {
      sections: [{ fields: [read] }],
      screenActions: [{ fields: [read] }],
      list: {
        rows: [{ values: ['1990-12-31', '31-12-1990', '62.5', '31-12-1990'], url: '/31-12-1990/62%2C5' }]
      }
    })
  }
)

t.test('what the reference server writes is read as it was stored', async t => {
  const day = fc
    .date({ min: new Date('1000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
    .map(date => date.toISOString().slice(0, 10))
  const number = fc.stringMatching(/^-?(0|[1-9]\d{0,8})(\.\d{1,2})?$/)
  fc.assert(
    fc.property(day, number, fc.constantFrom(GERMAN, AMERICAN), (day, number, locale) => {
      const [year = '', month = '', date = ''] = day.split('-')
      const parts = { YYYY: year, MM: month, DD: date }
      const sent = locale.date_format.replace(/[A-Z]+/g, part => parts[part as keyof typeof parts])
      t.equal(read('Date', sent, locale), day)
      t.equal(read('Decimal', number.replace('.', locale.decimal_separator), locale), number)
    })
  )
})

t.test('a Decimal that can be edited stays as it came, and all else that can be is read', async t => {
  for (const [type, sent, expected] of [
    ['Decimal', '1.250,50', '1.250,50'],
    ['Decimal', '1.250', '1.250'],
    ['Decimal', '62,5', '62,5'],
    ['Integer', '1.250', '1250'],
    ['Date', '31-12-1990', '1990-12-31']
  ] as const)
    t.equal(shown({ type, value: sent }, GERMAN), expected, `${type} ${sent}`)
})

t.test('a separator is any character', async t => {
  for (const separator of [']', '^', '\\', ' ', "'", '\u202f', '$'])
    t.equal(read('Decimal', `-1${separator}250,5`, { thousand_separator: separator }), '-1250.5', separator)
  t.equal(read('Decimal', '1]5', { decimal_separator: ']' }), '1.5')
})
