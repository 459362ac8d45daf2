// JSON Web Tokens of every kind, right and wrong, for the properties of the token tests.
import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { base64url, SECRET } from '../helpers.ts'

/** Half a second after a full second, so that times on both sides of every limit occur. */
export const TIME = 1_800_000_000_500
export const SECOND = 1_800_000_000

export const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

export const sign = (input: string, secret: string | Buffer = SECRET, hash = 'sha256') =>
  `${input}.${createHmac(hash, secret).update(input).digest('base64url')}`
export const token = (header: string, payload: string, secret?: string | Buffer, hash?: string) =>
  sign(`${base64url(header)}.${base64url(payload)}`, secret, hash)

export const HEADER = '{"alg":"HS256","typ":"JWT"}'
export const PAYLOAD = `{"sub":"ada","display_name":"Ada Lovelace","iat":${SECOND - 60},"exp":${SECOND + 60}}`
export const VALID = token(HEADER, PAYLOAD)

export const anyText = fc.string({ unit: 'binary', maxLength: 200 })
export const base64Text = fc
  .base64String({ maxLength: 120 })
  .map(text => text.replaceAll('+', '-').replaceAll('/', '_'))
export const dotted = fc
  .array(fc.oneof(base64Text, fc.constantFrom(...VALID.split('.'))), { maxLength: 6 })
  .map(segments => segments.join('.'))

/** JSON text, not values: JSON.stringify cannot write 1e400 or two members with the same name. */
const number = fc.oneof(
  fc.integer({ min: -3, max: 3 }).map(step => String(SECOND + step)),
  fc.double().map(value => JSON.stringify(value)),
  fc.bigInt().map(String),
  fc.constantFrom(
    '0',
    '-0',
    '-1',
    '1e300',
    '-1e300',
    '1e400',
    '-1e400',
    '1e308',
    '18e8',
    '1.8e+9',
    '8640000000001'
  ),
  fc.constantFrom(
    `${SECOND}.0`,
    `${SECOND}.5`,
    `${SECOND}.4`,
    `${SECOND + 1}.5`,
    `${SECOND}.00000001`,
    '2147483648'
  )
)
export const json = fc.oneof(
  number,
  fc.json(),
  number.map(text => `"${text}"`),
  fc.constantFrom(
    'null',
    'true',
    'false',
    '""',
    '[]',
    '{}',
    '"HS256"',
    '["HS256"]',
    '"none"',
    '"JWT"',
    '"jwt"',
    '["JWT"]'
  )
)
type Member = [name: string, json: string]
const member = (names: string[]) =>
  fc.tuple(fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...names) }, fc.string()), json)

/** One member: mostly right, sometimes any JSON, missing, or there twice. */
function mostly(name: string, right: fc.Arbitrary<string>): fc.Arbitrary<Member[]> {
  const one = (value: fc.Arbitrary<string>) => value.map((text): Member[] => [[name, text]])
  return fc.oneof(
    { weight: 16, arbitrary: one(right) },
    { weight: 1, arbitrary: one(json) },
    { weight: 1, arbitrary: fc.constant<Member[]>([]) },
    {
      weight: 1,
      arbitrary: fc.tuple(json, right).map(([a, b]): Member[] => [
        [name, a],
        [name, b]
      ])
    },
    {
      weight: 1,
      arbitrary: fc.tuple(right, json).map(([a, b]): Member[] => [
        [name, a],
        [name, b]
      ])
    }
  )
}

const objectText = (...groups: fc.Arbitrary<Member[]>[]) =>
  fc.tuple(...groups).map(
    members =>
      `{${members
        .flat()
        .map(([name, text]) => `${JSON.stringify(name)}:${text}`)
        .join()}}`
  )
const further = (...names: string[]) =>
  fc.oneof(
    { weight: 2, arbitrary: fc.constant<Member[]>([]) },
    { weight: 1, arbitrary: fc.array(member(names), { maxLength: 3 }) }
  )

export const anyHeader = objectText(
  further('alg', 'typ', 'crit', '__proto__'),
  mostly('alg', fc.constant('"HS256"')),
  fc.oneof(mostly('typ', fc.constant('"JWT"')), fc.constant<Member[]>([])),
  further(
    'crit',
    'b64',
    'zip',
    'enc',
    'kid',
    'jku',
    'jwk',
    'cty',
    'Alg',
    '__proto__',
    'constructor',
    'toString'
  )
)
export const anyClaims = objectText(
  further('sub', 'exp', 'nbf', '__proto__'),
  mostly(
    'sub',
    fc.string({ unit: 'grapheme', minLength: 1 }).map(text => JSON.stringify(text))
  ),
  mostly(
    'display_name',
    fc.string({ unit: 'binary' }).map(text => JSON.stringify(text))
  ),
  mostly('iat', fc.integer({ min: -SECOND, max: SECOND }).map(String)),
  mostly('exp', fc.integer({ min: SECOND + 1, max: SECOND * 3 }).map(String)),
  fc.oneof(fc.constant<Member[]>([]), mostly('nbf', fc.integer({ max: SECOND }).map(String))),
  further('nbf', 'aud', 'iss', 'Sub', 'crit', '__proto__', 'constructor', 'valueOf')
)

/** A change of a text with dots. `at` and `to` are positions, taken modulo its length. */
type Change = (text: string, at: number, to: number, character: string) => string
const place = (text: string, at: number) => at % (text.length + 1)
const segments =
  (change: (all: string[], at: number, to: number) => string[]): Change =>
  (text, at, to) => {
    const all = text.split('.')
    return change(all, at % all.length, to % all.length).join('.')
  }
const splice = (text: string, at: number, remove: number, insert = '') =>
  text.slice(0, place(text, at)) + insert + text.slice(place(text, at) + remove)
const CHANGES: Record<string, Change> = {
  'flip a bit': (text, at, to) =>
    splice(text, at, 1, String.fromCharCode((text.charCodeAt(place(text, at)) || 0) ^ (1 << (to % 8)))),
  replace: (text, at, _, character) => splice(text, at, 1, character),
  insert: (text, at, _, character) => splice(text, at, 0, character),
  delete: (text, at) => splice(text, at, 1),
  truncate: (text, at) => text.slice(0, place(text, at)),
  behead: (text, at) => text.slice(place(text, at)),
  repeat: (text, at) => splice(text, at, 0, text),
  'change the case': (text, at) => {
    const character = text[place(text, at)] ?? ''
    const other = character === character.toLowerCase() ? character.toUpperCase() : character.toLowerCase()
    return splice(text, at, 1, other)
  },
  'upper case': text => text.toUpperCase(),
  'swap segments': segments((all, at, to) => all.with(at, all[to] as string).with(to, all[at] as string)),
  'drop a segment': segments((all, at) => all.toSpliced(at, 1)),
  'double a segment': segments((all, at, to) => all.toSpliced(at, 0, all[to] as string)),
  'empty a segment': segments((all, at) => all.with(at, ''))
}
const change = fc.record({
  name: fc.constantFrom(...Object.keys(CHANGES)),
  at: fc.nat(1000),
  to: fc.nat(1000),
  character: fc.oneof(
    fc.constantFrom(...'AQgw_-.=+/ \t\n"{}:,%\0é'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 })
  )
})
export const changes = fc.array(change, { maxLength: 3 })
export const changed = (text: string, list: (typeof change extends fc.Arbitrary<infer C> ? C : never)[]) =>
  list.reduce(
    (result, { name, at, to, character }) => (CHANGES[name] as Change)(result, at, to, character),
    text
  )
