// Checks of a value before it is sent.

import t from 'tap'
import { type Fault, faultOf, fieldsOf, readScreen } from '../index.ts'

/** A field as the client reads it. */
const fieldOf = (type: string, validation: object = {}) =>
  fieldsOf(readScreen({ layout: 'Card', sections: [{ fields: [{ id: 'a', type, validation }] }] }) as never)[0] as never

t.test('a value must be valid for its type', async t => {
  for (const [type, right, wrong] of [
    ['Integer', ['0', '-12', '007', ' 1 '], ['1.5', '1,000', 'x', '-', '1 1']],
    ['Decimal', ['1', '-1.5', '1,5', '1.250,00', '1 250', '1’250.5', ',5'], ['x', '-', '1e5', '.', '1-2']],
    ['Date', ['2026-12-31', '2028-02-29'], ['2026-02-29', '2026-02-31', '2026-13-01', '31-12-2026', 'soon']],
    ['Time', ['00:00', '23:59', '14:30:15'], ['24:00', '7:00', '14:60', '14:30Z']],
    [
      'DateRange',
      ['2026-12-20/2027-01-06', '2026-12-20/2026-12-20'],
      ['2027-01-06/2026-12-20', '2026-12-20', '/', '2026-12-20/', '2026-12-20/2026-12-21/2026-12-22']
    ],
    ['Email', ['a@b', 'ada@example.org'], ['ada', '@b', 'a@', 'a@b@c', 'a b@c']],
    ['URL', ['https://example.org/x', 'HTTP://x'], ['example.org', 'ftp://x', 'https://', 'javascript:1']],
    ['Text', ['x', ' '], []],
    ['Boolean', ['false', 'x'], []],
    ['constructor', ['x'], []]
  ] as const) {
    for (const value of right) t.equal(faultOf(fieldOf(type), value), null, `${type} ${value}`)
    for (const value of wrong) t.equal(faultOf(fieldOf(type), value), 'type', `${type} ${value}`)
  }
})

t.test('a value must be within the limits of its field', async t => {
  for (const [type, validation, value, fault] of [
    ['Integer', { min: 1, max: 9 }, '0', 'min'],
    ['Integer', { min: 1, max: 9 }, '10', 'max'],
    ['Integer', { min: 1, max: 9 }, '9', null],
    ['Decimal', { max: 9 }, '9.5', 'max'],
    ['Decimal', { max: 9 }, '9,5', null],
    ['Text', { min: 5 }, '1', null],
    ['Text', { min_length: 2, max_length: 3 }, 'a', 'min_length'],
    ['Text', { min_length: 2, max_length: 3 }, 'abcd', 'max_length'],
    ['Text', { max_length: 3 }, '💶💶', 'max_length'],
    ['Text', { pattern: '[a-z]+' }, 'abc', null],
    ['Text', { pattern: 'a|b' }, 'ax', 'pattern'],
    ['Text', { pattern: '(' }, 'x', null]
  ] as [string, object, string, Fault | null][])
    t.equal(faultOf(fieldOf(type, validation), value), fault, `${type} ${JSON.stringify(validation)} ${value}`)
})

t.test('an empty value is invalid only in a required field', async t => {
  t.equal(faultOf(fieldOf('Date', { required: true }), ''), 'required')
  t.equal(faultOf(fieldOf('Date', { min_length: 2, pattern: 'x' }), ''), null)
  t.equal(faultOf(fieldOf('Boolean', { required: true }), ''), null)
})
