// Valid and invalid login requests, and a prediction of the response to each: a second implementation of the rules.
import assert from 'node:assert/strict'
import { isUtf8 } from 'node:buffer'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { publishedFiles } from '../../schemas/build/publish.ts'
import { ADA, host, PASSWORD } from '../helpers.ts'
import { holds, MANY } from './runs.ts'

const RIGHT = JSON.stringify({ fields: { username: ADA.username, password: PASSWORD } })
const LIMIT = 16_384

const isAuthResponse = new Ajv2020().compile(JSON.parse(publishedFiles()['json/AuthResponse.json'] as string))
const isRight = ({ username, password }: Record<string, string>) => username === ADA.username && password === PASSWORD

/** A host whose `checkCredentials` records its argument. */
async function setUp(t: Test) {
  const received: Record<string, string>[] = []
  const app = await host(t, {
    throttle: false,
    checkCredentials: (fields: Record<string, string>) => {
      received.push(fields)
      return isRight(fields) ? ADA : null
    }
  })
  await app.ready()
  const statuses = new Set<number>()

  /** Posts JSON, and compares the response and the argument of `checkCredentials` with the prediction. */
  async function judge(payload: string | Buffer) {
    received.length = 0
    const headers = { 'content-type': 'application/json' }
    const response = await app.inject({ method: 'POST', url: '/auth/login', headers, payload })
    const [fields, ...others] = received
    const json: Record<string, unknown> = response.json()
    assert.ok(isAuthResponse(json) && Object.keys(json).length === 4 && json.error !== '', response.body)
    assert.equal(json.success, fields !== undefined && isRight(fields))
    assert.equal(response.headers['content-type'], 'application/json; charset=utf-8')
    assert.equal(response.headers['cache-control'], 'no-store')
    statuses.add(response.statusCode)
    const verdict = expected(Buffer.from(payload as string))
    assert.equal(response.statusCode, verdict.status)
    assert.deepEqual(fields && { ...fields }, verdict.fields && { ...verdict.fields })
    assert.deepEqual(others, [])
  }

  /** Checks that all these statuses occurred: a property without a 200 proves little. A short run may have fewer. */
  function meets(...expected: number[]) {
    if (MANY) t.strictSame([...statuses].sort(), expected)
  }
  return { judge, meets }
}

/** Predicts the status of a JSON body, and the fields that reach `checkCredentials`. */
function expected(body: Buffer): { status: number; fields?: Record<string, string> } {
  if (body.length > LIMIT) return { status: 413 }
  if (!isUtf8(body)) return { status: 400 }
  let value: unknown
  try {
    // Buffer keeps a byte order mark, and JSON rejects it.
    value = JSON.parse(body.toString())
  } catch {
    return { status: 400 }
  }
  if (countValues(body.toString()) > MOST_VALUES) return { status: 400 }
  if (isPoisoned(value) || !isObject(value) || !isObject(value.fields)) return { status: 400 }
  const entries = Object.entries(value.fields)
  const isText = (text: unknown) => typeof text === 'string' && !/\0|\p{Surrogate}/u.test(text)
  if (!entries.flat().every(isText)) return { status: 400 }
  const fields = Object.fromEntries(entries) as Record<string, string>
  return fields.username && fields.password ? { status: 200, fields } : { status: 200 }
}

/** The maximum number of strings, brackets and commas in a login. */
const MOST_VALUES = 150

function countValues(json: string): number {
  let [count, isInString] = [0, false]
  for (let i = 0; i < json.length; i++) {
    if (isInString && json[i] === '\\') i++
    else if (json[i] === '"') {
      isInString = !isInString
      if (isInString) count++
    } else if (!isInString && '[{,'.includes(json[i] as string)) count++
  }
  return count
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether an unsafe merge of a value would change a prototype. */
function isPoisoned(root: unknown): boolean {
  const rest = [root]
  while (rest.length > 0) {
    const value = rest.pop()
    if (typeof value !== 'object' || value === null) continue
    if (Object.hasOwn(value, '__proto__')) return true
    const own = Object.hasOwn(value, 'constructor') ? value.constructor : null
    if (typeof own === 'object' && own !== null && Object.hasOwn(own, 'prototype')) return true
    rest.push(...Object.values(value))
  }
  return false
}

const anyText = fc.string({ unit: 'binary', maxLength: 60 })
/** Text that a login accepts: well-formed, and without NUL. */
const text = fc.oneof(anyText, fc.string({ unit: 'grapheme' })).map(value => value.replaceAll('\0', '\u2400'))
const odd = fc.constantFrom(
  ...'\u0301 \u00e9 e\u0301 \u212b \u200b \ufdfa \uffff 🦊 \u{10ffff} İ ß \x7f \x01 %00 &#0; " \\ \\u0000'.split(' '),
  ...[' ', '\t', '\r\n', '\u00a0', '\ufeff', '\u0085', '\u2028']
)
const password = fc.array(fc.oneof(odd, text), { maxLength: 6 }).map(parts => parts.join(''))

const NAMES = 'username password fields __proto__ constructor prototype toString length then error Username'
const name = fc.oneof(fc.constantFrom('', 'pass\nword', ...NAMES.split(' ')), anyText)
const values = [
  anyText,
  fc.constantFrom(ADA.username, PASSWORD, '', '\0', '\ud800', null, true, 0, -0, 1e308),
  fc.constantFrom(JSON.parse('{"__proto__":{}}'), { constructor: { prototype: {} } }, { constructor: null })
]
/** Any JSON, often with names of the contract. */
const anyJson = fc.anything({ key: name, values, maxDepth: 3, maxKeys: 5 })
const anyFields = (value: fc.Arbitrary<unknown>) => fc.dictionary(name, value, { maxKeys: 4 })
const mostly = <Value>(usual: fc.Arbitrary<Value>, other: fc.Arbitrary<unknown> = anyJson) =>
  fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: other })
/** An AuthRequest, sometimes with a fault. */
const request = fc
  .tuple(
    anyFields(mostly(text)),
    mostly(fc.oneof(fc.constant(ADA.username), password)),
    mostly(fc.oneof(fc.constant(PASSWORD), password)),
    mostly(fc.constant({}), anyFields(anyJson))
  )
  .map(([more, username, password, rest]) => ({ ...Object(rest), fields: { ...more, username, password } }))

const escaped = (text: string) => `\\u${text.charCodeAt(0).toString(16).padStart(4, '0')}`
/** Any JSON value as JSON text, plain or with all letters escaped and with white space. */
const written = (value: fc.Arbitrary<unknown>) =>
  fc.tuple(value, fc.boolean()).map(([value, isPlain]) => {
    if (isPlain) return JSON.stringify(value)
    return JSON.stringify(value, null, '\t').replace(/"(?:\\.|[^"\\])*"/g, text =>
      text.replace(/\\.(?:[\da-f]{4})?|[a-z]/g, part => (part.length === 1 ? escaped(part) : part))
    )
  })

const anyBytes = (constraints: fc.IntArrayConstraints) => fc.uint8Array(constraints).map(bytes => Buffer.from(bytes))

t.test('checkCredentials receives the fields of a valid AuthRequest, and is not called otherwise', async t => {
  const { judge, meets } = await setUp(t)
  await holds(t, 9, [written(request)], judge)
  meets(200, 400)
})

t.test('a valid login whose bytes are changed gets the expected status', async t => {
  const { judge, meets } = await setUp(t)
  const insert = fc.oneof(
    anyBytes({ maxLength: 3 }),
    fc.constantFrom(...'{}[]":,\\ 0ux').map(text => Buffer.from(text))
  )
  const change = fc.record({ at: fc.nat(RIGHT.length), remove: fc.nat(2), insert })
  await holds(t, 3, [fc.array(change, { maxLength: 3 })], changes => {
    let body = Buffer.from(RIGHT)
    for (const { at, remove, insert } of changes)
      body = Buffer.concat([body.subarray(0, at), insert, body.subarray(at + remove)])
    return judge(body)
  })
  meets(200, 400)
})

t.test('JSON of any depth, any length and with any number gets the expected status', async t => {
  const { judge, meets } = await setUp(t)
  const [before, after] = ['{"fields":{"username":"a","password":"b"},"x":', '}']
  const nested = fc
    .tuple(
      fc.constantFrom(['[', ']'], ['{"a":', '}'], ['[{"__proto__":', '}]'], ['[[],', ']']),
      fc.nat(8200),
      fc.integer({ min: -1, max: 1 })
    )
    .map(([[open = '', close = ''], depth, more]) => `${open.repeat(depth)}1${close.repeat(Math.max(0, depth + more))}`)
  const long = fc
    .tuple(fc.integer({ min: LIMIT - 100, max: LIMIT + 100 }), fc.constantFrom('x', ' ', 'é'))
    .map(([length, filler]) => {
      const room = length - Buffer.byteLength(`${before}""${after}`)
      return `"${filler.repeat(room / Buffer.byteLength(filler))}"`
    })
  const number = fc.constantFrom(
    ...'1e999999 -1e999999 1E-999999 -0 01 .5 NaN 0x1 1_0'.split(' '),
    ...['9'.repeat(9000), '0.'.padEnd(9000, '1')]
  )
  const body = fc.oneof(
    fc.oneof(nested, long, number).map(value => before + value + after),
    nested.map(value => `{"fields":${value}}`),
    number.map(value => `{"fields":{"username":"a","password":${value}}}`)
  )
  await holds(t, 1, [body], judge)
  meets(200, 400, 413)
})
