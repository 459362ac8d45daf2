// Values as a person reads them.

import t from 'tap'
import { format, isTrue } from '../index.ts'

const shown = (type: string, value: string, locale: string | string[] = 'de') =>
  format({ type }, value, locale).replace(/[\u00a0\u202f]/g, ' ')

t.test('numbers, dates and times are written in the locale of the person', async t => {
  for (const [type, value, text] of [
    ['Integer', '1250', '1.250'],
    ['Decimal', '1250.50', '1.250,50'],
    ['Decimal', '-0.123456789012345678901', '-0,12345678901234567890'],
    ['Decimal', '123456789012345678.25', '123.456.789.012.345.678,25'],
    ['Date', '2026-12-31', '31.12.2026'],
    ['Time', '14:30', '14:30'],
    ['DateRange', '2026-12-20/2027-01-06', '20.12.2026 – 06.01.2027']
  ] as const)
    t.equal(shown(type, value), text)
  t.equal(shown('Time', '14:30', ['en-US', 'de']), '2:30 PM')
  t.match(shown('Date', '2026-12-31T14:30Z'), /^31\.12\.2026, \d\d:\d\d$|^01\.01\.2027/)
  for (const [type, value] of [
    ['Integer', '7000'],
    ['Date', '2026-12-31']
  ] as const)
    t.equal(format({ type }, value, ''), format({ type }, value), 'as on the platform')
})

t.test('a value that is invalid for its type stays unchanged', async t => {
  for (const [type, ...values] of [
    ['Integer', '', '1,5', 'many'],
    ['Date', '', 'soon', '2026-13-31', '31.12.2026'],
    ['Time', 'noon', '25:00', '14:30Z'],
    ['DateRange', 'soon'],
    ['Text', '1250', '2026-12-31'],
    ['Boolean', 'true'],
    ['Option', 'x']
  ] as const)
    for (const value of values) t.equal(shown(type, value), value)
})

t.test('a Boolean and an Option have the texts of the server', async t => {
  const bool = { type: 'Boolean', trueLabel: 'Yes', falseLabel: 'No' }
  for (const value of ['true', 'YES', '1']) t.strictSame([isTrue(value), format(bool, value)], [true, 'Yes'])
  for (const value of ['false', '0', 'maybe']) t.strictSame([isTrue(value), format(bool, value)], [false, 'No'])
  t.equal(format(bool, ''), '')
  t.equal(format({ type: 'Option', options: [{ label: 'High', value: 'h' }] }, 'h'), 'High')
})

t.test('a list of 5,000 rows is formatted in less than 500 ms', async t => {
  const start = performance.now()
  for (let n = 0; n < 5_000; n += 1) {
    format({ type: 'Date' }, '2026-12-31', 'de')
    format({ type: 'Decimal' }, `${n}.50`, 'de')
  }
  t.ok(performance.now() - start < 500)
})
