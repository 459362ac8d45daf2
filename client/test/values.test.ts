// The values of fields: how a person reads them, and which are valid.

import t from 'tap'
import { type Fault, faultOf, fieldsOf, format, isTrue, readScreen } from '../index.ts'

const shown = (type: string, value: string, locale: string | string[] = 'de') =>
  format({ type }, value, locale).replace(/[\u00a0\u202f]/g, ' ')

t.test('a value is written in the locale of the person, unless it is invalid for its type', async t => {
  for (const [type, value, text = value] of [
    ['Integer', '1250', '1.250'],
    ['Integer', '1,5'],
    ['Decimal', '1250.50', '1.250,50'],
    ['Decimal', '-0.123456789012345678901', '-0,12345678901234567890'],
    ['Decimal', '123456789012345678.25', '123.456.789.012.345.678,25'],
    ['Date', '2026-12-31', '31.12.2026'],
    ['Date', ''],
    ['Date', '2026-02-31'],
    ['Date', '31.12.2026'],
    ['Date', '2026-12-31T24:30Z'],
    ['Time', '14:30', '14:30'],
    ['Time', '25:00'],
    ['Time', '14:30Z'],
    ['DateRange', '2026-12-20/2027-01-06', '20.12.2026 – 06.01.2027'],
    ['DateRange', 'soon'],
    ['Text', '2026-12-31'],
    ['Boolean', 'true'],
    ['Option', 'x']
  ] as const)
    t.equal(shown(type, value), text, `${type} ${value}`)
  t.equal(shown('Time', '14:30', ['en-US', 'de']), '2:30 PM')
  for (const time of ['14:30Z', '14:30:15Z', '14:30:15.25Z', '14:30+01:00'])
    t.match(shown('Date', `2026-12-31T${time}`), /^31\.12\.2026, \d\d:\d\d$|^01\.01\.2027/)
  for (const [type, value] of [
    ['Integer', '7000'],
    ['Date', '2026-12-31']
  ] as const)
    for (const locale of ['', 'de_DE!'])
      t.equal(format({ type }, value, locale), format({ type }, value), 'as on the platform')
})

t.test('a Boolean and an Option have the texts of the server', async t => {
  const bool = { type: 'Boolean', trueLabel: 'Yes', falseLabel: 'No' }
  for (const value of ['true', 'YES', '1']) t.strictSame([isTrue(value), format(bool, value)], [true, 'Yes'])
  for (const value of ['false', '0', 'untrue', '10']) t.strictSame([isTrue(value), format(bool, value)], [false, 'No'])
  t.equal(format(bool, ''), '')
  const low = { label: 'Low', value: 'l' }
  t.equal(format({ type: 'Option', options: [low, { label: 'High', value: 'h' }] }, 'h'), 'High')
})

t.test('a list creates one formatter for each form, because that takes long', async t => {
  const numbers = t.capture(Intl, 'NumberFormat', Intl.NumberFormat)
  const dates = t.capture(Intl, 'DateTimeFormat', Intl.DateTimeFormat)
  for (const n of [1, 2]) format({ type: 'Decimal' }, `${n}.5`, 'sw')
  format({ type: 'DateRange' }, '2026-12-20/2027-01-06', 'sw')
  t.strictSame([numbers().length, dates().length], [1, 1])
})

/** A field as the client reads it. */
const fieldOf = (type: string, validation: object = {}) =>
  fieldsOf(readScreen({ layout: 'Card', sections: [{ fields: [{ id: 'a', type, validation }] }] }) as never)[0] as never

t.test('a value must be valid for its type', async t => {
  for (const [type, right, wrong] of [
    ['Integer', ['0', '-12', '007', ' 1 '], ['1.5', '1,000', 'x', '-', '1 1']],
    ['Decimal', ['1', '-1.5', '1,5', '1.250,00', '1 250', '1’250.5', ',5'], ['x', '-', '1e5', '.', '1-2']],
    ['Date', ['2026-12-31', '2028-02-29'], ['2026-02-29', '2026-02-31', '2026-13-01', '31-12-2026', 'soon']],
    ['Time', ['00:00', '23:59', '14:30:15'], ['24:00', '7:00', '14:60', '14:30Z', '114:30']],
    [
      'DateRange',
      ['2026-12-20/2027-01-06', '2026-12-20/2026-12-20'],
      ['2027-01-06/2026-12-20', '2026-12-20', '/', '2026-12-20/', '/2026-12-20', '2026-12-20/2026-12-21/2026-12-22']
    ],
    ['Email', ['a@b', 'ada@example.org'], ['ada', '@b', 'a@', 'a@b@c', 'a b@c']],
    [
      'URL',
      ['https://example.org/x', 'HTTP://x'],
      ['example.org', 'ftp://x', 'xhttps://x', 'https://', 'javascript:1']
    ],
    ['Text', ['x', ' '], []],
    ['Boolean', ['false', 'x'], []],
    ['constructor', ['x'], []]
  ] as const) {
    for (const value of right) t.equal(faultOf(fieldOf(type), value), null, `${type} ${value}`)
    for (const value of wrong) t.equal(faultOf(fieldOf(type), value), 'type', `${type} ${value}`)
  }
})

t.test('a value must be within the limits of its field, and an empty one only in a required field', async t => {
  for (const [type, validation, value, fault] of [
    ['Integer', { min: 1, max: 9 }, '0', 'min'],
    ['Integer', { min: 1, max: 9 }, ' 10 ', 'max'],
    ['Integer', { min: 9, max: 9 }, '9', null],
    ['Decimal', { max: 9 }, '9.55', 'max'],
    ['Decimal', { max: 9 }, '9,5', null],
    ['Text', { min: 5 }, '1', null],
    ['Text', { min_length: 2, max_length: 3 }, 'a', 'min_length'],
    ['Text', { min_length: 2, max_length: 3 }, 'abcd', 'max_length'],
    ['Text', { min_length: 2, max_length: 2 }, 'ab', null],
    ['Text', { max_length: 3 }, '💶💶', 'max_length'],
    ['Text', { pattern: '[a-z]+' }, 'abc', null],
    ['Text', { pattern: 'a|b' }, 'ax', 'pattern'],
    ['Text', { pattern: '(' }, 'x', null],
    ['Text', { pattern: '\\p{L}' }, 'é', null],
    ['Date', { required: true }, '', 'required'],
    ['Date', { min_length: 2, pattern: 'x' }, '', null],
    ['Boolean', { required: true }, '', null]
  ] as [string, object, string, Fault | null][])
    t.equal(faultOf(fieldOf(type, validation), value), fault, `${type} ${JSON.stringify(validation)} ${value}`)
})
