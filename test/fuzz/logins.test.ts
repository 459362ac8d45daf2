// Valid and invalid login requests, and a prediction of the response to each: a second implementation of the rules.
import assert from 'node:assert/strict'
import { isUtf8 } from 'node:buffer'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { ADA, host, MENU, PASSWORD } from '../helpers.ts'
import { holds, MANY } from './runs.ts'

const RIGHT = JSON.stringify({ fields: { username: ADA.username, password: PASSWORD } })

/** A host whose `checkCredentials` records its argument. */
async function setUp(t: Test) {
  const received: Record<string, string>[] = []
  const app = await host(t, {
    throttle: false,
    checkCredentials: (fields: Record<string, string>) => {
      received.push(fields)
      return fields.username === ADA.username && fields.password === PASSWORD ? ADA : null
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
    assertAuthResponse(response, fields)
    statuses.add(response.statusCode)
    const verdict = expected(Buffer.from(payload as string))
    assert.equal(response.statusCode, verdict.status)
    assert.deepEqual(fields && { ...fields }, verdict.fields && { ...verdict.fields })
    assert.deepEqual(others, [])
  }

  /** Checks that logins were accepted and refused: a property without a 200 proves little. A short run may lack one. */
  function meetsBoth() {
    if (MANY) t.strictSame([...statuses].sort(), [200, 400])
  }
  return { judge, meetsBoth }
}

interface LoginResponse {
  statusCode: number
  headers: Record<string, unknown>
  body: string
}

/** Asserts that a response is an AuthResponse, and a success only for the right credentials. */
function assertAuthResponse(
  { statusCode, headers, body }: LoginResponse,
  fields: Record<string, string> | undefined
): void {
  assert.equal(headers['content-type'], 'application/json; charset=utf-8')
  assert.equal(headers['cache-control'], 'no-store')
  const { success, token, error, screen, ...more } = JSON.parse(body)
  assert.deepEqual(Object.keys(JSON.parse(body)).sort(), ['error', 'screen', 'success', 'token'])
  assert.deepEqual(more, {})
  if (fields?.username === ADA.username && fields.password === PASSWORD) {
    assert.deepEqual([statusCode, success, error], [200, true, null])
    assert.match(token, /^[\w-]+\.[\w-]+\.[\w-]{43}$/)
    assert.deepEqual(screen, { ...MENU, user_display_name: ADA.displayName })
  } else {
    assert.ok([200, 400].includes(statusCode), `status ${statusCode}`)
    assert.deepEqual([success, token, screen], [false, null, null])
    assert.ok(typeof error === 'string' && error !== '')
  }
}

/** Predicts the status of a JSON body, and the fields that reach `checkCredentials`. */
function expected(body: Buffer): { status: number; fields?: Record<string, string> } {
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
const text = fc
  .oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
    fc.string({ minLength: 1 })
  )
  .map(value => value.replaceAll('\0', '\u2400'))
const odd = fc.oneof(
  fc.constantFrom(
    ...'\u0301 \u00e9 e\u0301 \u212b \u200b \u202e \ufdfa \uffff 🦊 \u{10ffff} İ ß \x7f \x01 %00 &#0; " \\ \\u0000'.split(
      ' '
    )
  ),
  fc.constantFrom(' ', '\t', '\r\n', '\u00a0', '\ufeff', '\u0085', '\u2028')
)
const password = fc.oneof(
  text,
  fc.array(fc.oneof(odd, text), { minLength: 1, maxLength: 6 }).map(parts => parts.join(''))
)

const name = fc.oneof(
  fc.constantFrom(
    '',
    'pass\nword',
    ...'username password fields __proto__ constructor prototype toString hasOwnProperty company length then error Username'.split(
      ' '
    )
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
/** Any JSON, often with contract names. Uses entries, because `__proto__` in an object literal sets the prototype. */
const { tree: anyJson } = fc.letrec<{ tree: unknown; object: unknown }>(tie => ({
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
const request = fc
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
  const { judge, meetsBoth } = await setUp(t)
  await holds(t, 9, [written(request)], judge)
  meetsBoth()
})

t.test('a valid login whose bytes are changed gets the expected status', async t => {
  const { judge, meetsBoth } = await setUp(t)
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
  meetsBoth()
})
