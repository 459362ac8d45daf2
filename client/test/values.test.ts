// The values of fields: how a person reads them, and which are valid.

import t from 'tap'
import { type Fault, type Field, faultOf, fieldsOf, format, isTrue, parse, readScreen } from '../index.ts'

const shown = (type: string, value: string, locale: string | string[] = 'de') =>
  format({ type }, value, locale).replace(/[\u00a0\u202f]/g, ' ')

t.test('a value is written in the locale of the person, unless it is invalid for its type', async t => {
  for (const [type, value, text = value] of [
    ['Integer', '1250', '1.250'],
    ['Integer', '1,5'],
    ['Decimal', '1250.50', '1.250,50'],
    ['Decimal', '-0.123456789012345678901', '-0,123456789012345678901'],
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
  // Two for the numbers of a language: also with Latin digits.
  t.strictSame([numbers().length, dates().length], [2, 1])
})

t.test('typed text becomes data: without spaces at its ends, and an address with a scheme', async t => {
  for (const [type, text, data = text] of [
    ['Integer', ' 1.250 ', '1250'],
    ['Email', ' info@müller.example ', 'info@müller.example'],
    ['Date', '2026-12-31 ', '2026-12-31'],
    ['Text', ' x '],
    ['Password', ' x '],
    ['Option', ' x '],
    ['URL', ' www.example.com ', 'https://www.example.com'],
    ['URL', 'müller.example:8080/ü?a=b.c#d', 'https://müller.example:8080/ü?a=b.c#d'],
    ['URL', 'HTTP://x'],
    ['URL', 'javascript:alert(1)'],
    ['URL', 'info@example.com'],
    ['URL', 'localhost:3000'],
    ['URL', 'nowhere'],
    ['URL', '1.5'],
    ['URL', 'see example.com'],
    ['URL', '']
  ] as const)
    t.equal(parse({ type }, text, 'de'), data, `${type} ${text}`)
  const start = 'a.'.repeat(200_000)
  for (const text of [`${start}@`, `${start}1`, `${start}b c`]) t.equal(parse({ type: 'URL' }, text), text)
})

/** A field as the client reads it. */
const fieldOf = (type: string, validation: object = {}, more: object = {}) => {
  const screen = readScreen({ layout: 'Card', sections: [{ fields: [{ id: 'a', type, validation, ...more }] }] })
  return fieldsOf(screen as never)[0] as Field
}

t.test('data must be valid for its type', async t => {
  for (const [type, right, wrong] of [
    ['Integer', ['0', '-12', '007', '9'.repeat(400)], ['1.5', '1.0', '1,000', 'x', '-', '1 1']],
    ['Decimal', ['1', '-1.5', '0.005'], ['x', '-', '1e5', '.', '1-2', '1,5', '.5']],
    ['Date', ['2026-12-31', '2028-02-29', '0001-01-01'], ['2026-02-29', '2026-13-01', '31-12-2026', '0000-12-31']],
    ['Time', ['00:00', '23:59', '14:30:15'], ['24:00', '7:00', '14:60', '14:30Z', '114:30']],
    [
      'DateRange',
      ['2026-12-20/2027-01-06', '2026-12-20/2026-12-20'],
      ['2026-12-20', '/', '2026-12-20/', '/2026-12-20', '2026-12-20/2026-12-21/2026-12-22']
    ],
    [
      'Email',
      ['ada@example.org', 'info@müller.example', 'ü@x.y'],
      ['ada', '@b.c', 'a@', 'a@b', 'a@b..c', 'a@b.c@d', 'a b@c.d']
    ],
    [
      'URL',
      ['https://müller.example/x', 'HTTP://x'],
      ['example.org', 'ftp://x', 'xhttps://x', 'https://', 'javascript:1']
    ],
    ['Text', ['x', ' '], []],
    ['Boolean', ['false', 'true'], ['x', 'YES']],
    ['Option', ['x'], []],
    ['constructor', ['x'], []]
  ] as const) {
    for (const value of right) t.equal(faultOf(fieldOf(type), value), null, `${type} ${value}`)
    for (const value of wrong) t.equal(faultOf(fieldOf(type), value), 'type', `${type} ${value}`)
    t.equal(faultOf(fieldOf(type), null), 'type')
  }
  const options = { options: ['a', { label: 'B', value: 'b' }] }
  t.strictSame(
    [faultOf(fieldOf('Option', {}, options), 'b'), faultOf(fieldOf('Option', {}, options), 'B')],
    [null, 'type']
  )
  t.equal(faultOf(fieldOf('DateRange'), '2027-01-06/2026-12-20'), 'order')
})

t.test('a text has no character that can harm a terminal or a database', async t => {
  for (const value of ['a\0', '\u001b[2J', '\u0085', '\ud800', '\ufffd', 'a\nb', 'a\tb'])
    t.equal(faultOf(fieldOf('Text'), value), 'character', JSON.stringify(value))
  for (const field of [fieldOf('TextArea'), fieldOf('Text', {}, { value: 'x\ny' })])
    t.strictSame(
      [faultOf(field, 'a\n\tb💶'), faultOf(field, 'a\r'), faultOf(field, '\0')],
      [null, 'character', 'character']
    )
})

t.test('data must be within the limits of its field, and is empty only in an optional field', async t => {
  for (const [type, validation, value, fault] of [
    ['Integer', { min: 1, max: 9 }, '0', 'min'],
    ['Integer', { min: 1, max: 9 }, '10', 'max'],
    ['Integer', { min: 9, max: 9 }, '9', null],
    ['Decimal', { max: 9 }, '9.55', 'max'],
    ['Text', { min: 5 }, '1', null],
    ['Text', { min_length: 2, max_length: 3 }, 'a', 'min_length'],
    ['Text', { min_length: 2, max_length: 3 }, 'abcd', 'max_length'],
    ['Text', { min_length: 2, max_length: 2 }, 'ab', null],
    ['Text', { max_length: 3 }, '💶💶', 'max_length'],
    ['Text', { pattern: '[a-z]+' }, 'abc', null],
    ['Text', { pattern: 'a|b' }, 'ax', 'pattern'],
    ['Text', { pattern: '(' }, 'x', null],
    ['Text', { pattern: '\\p{L}' }, 'é', null],
    ['Text', { required: true }, ' ', 'required'],
    ['Password', { required: true }, ' ', null],
    ['Date', { required: true }, '', 'required'],
    ['Date', { min_length: 2, pattern: 'x' }, '', null],
    ['Boolean', { required: true }, '', null]
  ] as [string, object, string, Fault | null][])
    t.equal(faultOf(fieldOf(type, validation), value), fault, `${type} ${JSON.stringify(validation)} ${value}`)
})
