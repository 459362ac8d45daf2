// Login requests of every kind, right and wrong, for the properties of the login tests.
import fc from 'fast-check'
import { ADA, PASSWORD } from '../helpers.ts'
import { isObject } from './login-judge.ts'

export const anyText = fc.string({ unit: 'binary', maxLength: 60 })
/** Text that a login may hold: well-formed, and without NUL. */
const text = fc
  .oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
    fc.string({ minLength: 1 })
  )
  .map(value => value.replaceAll('\0', '\u2400'))
const odd = fc.constantFrom(
  '\u0301',
  '\u00e9',
  'e\u0301',
  '\u212b',
  '\ufeff',
  '\u200b',
  '\u202e',
  ' ',
  '\t',
  '\r\n',
  '\u00a0',
  '\ufdfa',
  '\uffff',
  '🦊',
  '\u{10ffff}',
  'İ',
  'ß',
  '\u0085',
  '\u2028',
  '"',
  '\\',
  '\x7f',
  '\x01',
  '%00',
  '&#0;',
  '\\u0000'
)
export const password = fc.oneof(
  text,
  fc.array(fc.oneof(odd, text), { minLength: 1, maxLength: 6 }).map(parts => parts.join(''))
)

/** One of the many ways to write a value as JSON: escapes, white space, slashes. Seed 0 is the plain one. */
export function spelled(value: unknown, seed: number): string {
  let state = seed
  const dice = (sides: number) => {
    if (seed === 0) return 1
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 16) % sides
  }
  const space = () => (dice(4) === 0 ? (' \t\r\n'[dice(4)] as string) : '')
  const escaped = (unit: string) => {
    const hex = unit.charCodeAt(0).toString(16).padStart(4, '0')
    return `\\u${dice(2) === 0 ? hex.toUpperCase() : hex}`
  }
  const string = (plain: string) =>
    // By UTF-16 code units, so that only one half of a surrogate pair may be escaped.
    `"${JSON.stringify(plain)
      .slice(1, -1)
      .replace(/\\.(?:[\da-f]{4})?|[\ud800-\udbff][\udc00-\udfff]|./gsu, part =>
        dice(3) !== 0
          ? part
          : part.startsWith('\\')
            ? part
            : part === '/' && dice(2) === 0
              ? '\\/'
              : part.split('').map(escaped).join('')
      )}"`
  const write = (part: unknown): string => {
    if (typeof part === 'string') return string(part)
    if (Array.isArray(part)) return `[${part.map(item => space() + write(item) + space()).join()}]`
    if (!isObject(part)) return JSON.stringify(part)
    const members = Object.entries(part).map(
      ([name, item]) => `${space()}${string(name)}${space()}:${space()}${write(item)}${space()}`
    )
    return `{${members.join()}}`
  }
  return space() + write(value) + space()
}

const name = fc.oneof(
  fc.constantFrom(
    'username',
    'password',
    'fields',
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'company',
    '',
    'length',
    'then',
    'error',
    'Username',
    'pass\nword'
  ),
  anyText
)
const poison = [
  JSON.parse('{"__proto__":{}}'),
  { constructor: { prototype: {} } },
  { constructor: { prototyp: 1 } },
  { constructor: null }
]
const leaf = fc.oneof(
  anyText,
  fc.constantFrom(ADA.username, PASSWORD, '', '\0', '\ud800', null, true, 0, -0, 1e308, [], {}, ...poison)
)
/** Any JSON, often with names and values of the contract. From entries: `__proto__` in an object literal sets the prototype. */
export const { tree: anyJson } = fc.letrec<{ tree: unknown; object: unknown }>(tie => ({
  tree: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    leaf,
    fc.array(tie('tree'), { maxLength: 4 }),
    tie('object'),
    fc.jsonValue()
  ),
  object: fc.array(fc.tuple(name, tie('tree')), { maxLength: 5 }).map(entries => Object.fromEntries(entries))
}))
const fieldsOf = (value: fc.Arbitrary<unknown>) =>
  fc.array(fc.tuple(name, value), { maxLength: 4 }).map(entries => Object.fromEntries(entries))
/** An AuthRequest, sometimes with a fault. */
export const request = fc
  .tuple(
    fieldsOf(fc.oneof({ weight: 9, arbitrary: text }, { weight: 1, arbitrary: anyJson })),
    fc.oneof(
      { weight: 6, arbitrary: password },
      { weight: 2, arbitrary: fc.constant(ADA.username) },
      { weight: 1, arbitrary: anyJson }
    ),
    fc.oneof(
      { weight: 6, arbitrary: password },
      { weight: 4, arbitrary: fc.constant(PASSWORD) },
      { weight: 1, arbitrary: anyJson }
    ),
    fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: fieldsOf(anyJson) })
  )
  .map(([more, username, password, rest]) => ({ ...rest, fields: { ...more, username, password } }))
export const seed = fc.oneof(fc.constant(0), fc.nat())
