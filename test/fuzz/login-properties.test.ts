import assert from 'node:assert/strict'
import { isUtf8 } from 'node:buffer'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { ADA, host, MENU, PASSWORD } from '../helpers.ts'
import { holds, MANY } from './runs.ts'
import { exchange, parseAnswer } from './socket.ts'

const JSON_TYPE = 'application/json'
const RIGHT = JSON.stringify({ fields: { username: ADA.username, password: PASSWORD } })
const LIMIT = 16_384

/** A host whose checker notes what it is given. */
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

  /** Posts a body, and answers what the checker got: undefined when it was not called. */
  async function post(
    payload: string | Buffer,
    headers: Record<string, string> = { 'content-type': JSON_TYPE }
  ) {
    received.length = 0
    const answer = await app.inject({ method: 'POST', url: '/auth/login', headers, payload })
    assertAuthResponse(answer, received[0])
    statuses.add(answer.statusCode)
    assert.ok(received.length <= 1)
    return { answer, fields: received[0] }
  }

  /** Posts JSON, and compares with what the design says of it. */
  async function judge(payload: string | Buffer, headers?: Record<string, string>) {
    const { answer, fields } = await post(payload, headers)
    const verdict = expected(Buffer.from(payload as string))
    assert.equal(answer.statusCode, verdict.status)
    assert.deepEqual(fields && { ...fields }, verdict.fields && { ...verdict.fields })
  }
  return { app, received, statuses, post, judge }
}

interface Answer {
  statusCode: number
  headers: Record<string, unknown>
  body: string
}

/** W2: whatever came in, the answer is an AuthResponse, and no success but for the right credentials. */
function assertAuthResponse(
  { statusCode, headers, body }: Answer,
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
    assert.ok([200, 400, 413, 415].includes(statusCode), `status ${statusCode}`)
    assert.deepEqual([success, token, screen], [false, null, null])
    assert.ok(typeof error === 'string' && error !== '')
  }
}

/** What the design says of a body that is sent as JSON: the status, and what reaches the checker. */
function expected(body: Buffer): { status: number; fields?: Record<string, string> } {
  if (body.length > LIMIT) return { status: 413 }
  if (!isUtf8(body)) return { status: 400 }
  let value: unknown
  try {
    // Buffer keeps a byte order mark, and JSON refuses it.
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

/** Strings, brackets and commas that a login may have. */
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

/** Whether a careless merge of this would reach a prototype. */
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
const password = fc.oneof(
  text,
  fc.array(fc.oneof(odd, text), { minLength: 1, maxLength: 6 }).map(parts => parts.join(''))
)

/** JSON of a value in one of its many spellings: escapes, white space, slashes. Seed 0 is the plain one. */
function spelled(value: unknown, seed: number): string {
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
    // Unit by unit, so that a pair may be half escaped.
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
/** Any JSON, with names and values that mean something here. Entries, because an object literal takes no __proto__. */
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
/** Nearly an AuthRequest: often one, sometimes with a fault. */
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
const seed = fc.oneof(fc.constant(0), fc.nat())

t.test('any bytes are answered as the design says, and reach no checker', async t => {
  const { judge } = await setUp(t)
  const bytes = fc.uint8Array({ maxLength: 400 }).map(all => Buffer.from(all))
  await holds(
    t,
    fc.asyncProperty(bytes, body => judge(body)),
    2
  )
})

t.test('any text and any JSON is answered as the design says', async t => {
  const { judge } = await setUp(t)
  await holds(
    t,
    fc.asyncProperty(fc.oneof(anyText, fc.json()), body => judge(body)),
    2
  )
  await holds(
    t,
    fc.asyncProperty(anyJson, seed, (value, seed) => judge(spelled(value, seed))),
    2
  )
})

t.test(
  'what is nearly an AuthRequest is answered as the design says, and the checker gets what was meant',
  async t => {
    const { judge, statuses } = await setUp(t)
    await holds(
      t,
      fc.asyncProperty(request, seed, (value, seed) => judge(spelled(value, seed))),
      5
    )
    if (MANY) t.strictSame([...statuses].sort(), [200, 400])
  }
)

t.test('a right login whose bytes are changed is answered as the design says', async t => {
  const { judge, statuses } = await setUp(t)
  const change = fc.record({
    at: fc.nat(RIGHT.length),
    remove: fc.nat(2),
    insert: fc.oneof(
      fc.uint8Array({ maxLength: 3 }),
      fc.constantFrom(...'{}[]":,\\ 0ux').map(text => Buffer.from(text))
    )
  })
  await holds(
    t,
    fc.asyncProperty(fc.array(change, { maxLength: 3 }), changes => {
      let body = Buffer.from(RIGHT)
      for (const { at, remove, insert } of changes)
        body = Buffer.concat([body.subarray(0, at), insert, body.subarray(at + remove)])
      return judge(body)
    }),
    3
  )
  if (MANY) t.strictSame([...statuses].sort(), [200, 400])
})

t.test('JSON of any depth and any length is answered as the design says', async t => {
  const { judge, statuses } = await setUp(t)
  const [before, after] = ['{"fields":{"username":"a","password":"b"},"x":', '}']
  const open = fc.constantFrom(
    ['[', ']'],
    ['{"a":', '}'],
    ['[{"__proto__":', '}]'],
    ['{"constructor":', '}'],
    ['[[],', ']']
  )
  await holds(
    t,
    fc.asyncProperty(
      open,
      fc.nat(8200),
      fc.integer({ min: -1, max: 1 }),
      fc.boolean(),
      ([open, close], depth, more, inFields) => {
        const nested = `${(open as string).repeat(depth)}1${(close as string).repeat(Math.max(0, depth + more))}`
        return judge(inFields ? `{"fields":${nested}}` : before + nested + after)
      }
    ),
    0.3
  )
  await holds(
    t,
    fc.asyncProperty(
      fc.integer({ min: LIMIT - 100, max: LIMIT + 100 }),
      fc.constantFrom('x', ' ', 'é', '9'),
      (length, filler) => {
        const padding = Buffer.alloc(length - before.length - after.length - (filler === '9' ? 0 : 2), filler)
        return judge(
          Buffer.concat([
            Buffer.from(before + (filler === '9' ? '' : '"')),
            padding,
            Buffer.from((filler === '9' ? '' : '"') + after)
          ])
        )
      }
    ),
    0.3
  )
  await holds(
    t,
    fc.asyncProperty(
      fc.constantFrom(
        '1e999999',
        '-1e999999',
        '1E-999999',
        '9'.repeat(9000),
        '0.'.padEnd(9000, '1'),
        '-0',
        '01',
        '.5',
        'NaN',
        '0x1',
        '1_0'
      ),
      fc.boolean(),
      (number, inField) =>
        judge(inField ? `{"fields":{"username":"a","password":${number}}}` : before + number + after)
    ),
    0.3
  )
  if (MANY) t.strictSame([...statuses].sort(), [200, 400, 413])
})

t.test('only application/json, with whatever parameters, reaches the checker', async t => {
  const { post, statuses } = await setUp(t)
  const parameter = fc.oneof(
    fc.constantFrom(
      'charset=utf-8',
      'charset=UTF-16',
      'charset=iso-8859-1',
      'charset="utf-8',
      'charset=',
      'boundary=x',
      'q=0',
      'version=1',
      '',
      'charset=utf-8; charset=utf-7',
      'application/json'
    ),
    fc.string()
  )
  const essence = fc.oneof(
    fc.mixedCase(fc.constant(JSON_TYPE)),
    fc.constantFrom(
      JSON_TYPE,
      `${JSON_TYPE} `,
      ` ${JSON_TYPE}`,
      'text/json',
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'application/jsonp',
      'application/problem+json',
      'application/json5',
      'application/json/x',
      'application/json,text/plain',
      '*/*',
      'application/*',
      ''
    ),
    fc.string({ unit: 'binary' })
  )
  await holds(
    t,
    fc.asyncProperty(
      essence,
      fc.array(parameter, { maxLength: 2 }),
      fc.constantFrom(';', '; ', ' ; ', ', '),
      async (essence, parameters, separator) => {
        const type = [essence, ...parameters].join(separator)
        const { answer, fields } = await post(RIGHT, { 'content-type': type })
        const isJson = type.split(';')[0]?.trim().toLowerCase() === JSON_TYPE
        assert.deepEqual([answer.statusCode, fields !== undefined], isJson ? [200, true] : [415, false])
      }
    ),
    2
  )
  if (MANY) t.strictSame([...statuses].sort(), [200, 415])
})

t.test('a compressed body is no JSON, whatever Content-Encoding says', async t => {
  const { judge } = await setUp(t)
  const encoding = fc.constantFrom('gzip', 'deflate', 'br', 'zstd', 'identity', 'x', '')
  const compress = fc.constantFrom(gzipSync, deflateSync, brotliCompressSync, (text: string) =>
    Buffer.from(text)
  )
  await holds(
    t,
    fc.asyncProperty(encoding, compress, (encoding, compress) =>
      judge(compress(RIGHT), { 'content-type': JSON_TYPE, 'content-encoding': encoding })
    ),
    0.3
  )
})

t.test('a Content-Length that lies is a 400 or a 413, and reaches no checker', async t => {
  const { post } = await setUp(t)
  const length = fc.oneof(
    fc.integer({ min: 0, max: 200 }),
    fc.integer(),
    fc.maxSafeNat(),
    fc.constantFrom(LIMIT, LIMIT + 1)
  )
  await holds(
    t,
    fc.asyncProperty(length, async length => {
      const { answer, fields } = await post(RIGHT, {
        'content-type': JSON_TYPE,
        'content-length': String(length)
      })
      const status = length > LIMIT ? 413 : length === RIGHT.length ? 200 : 400
      assert.deepEqual([answer.statusCode, fields !== undefined], [status, status === 200])
    })
  )
})

t.test('any other headers change nothing', async t => {
  const { post } = await setUp(t)
  const header = fc.tuple(
    fc.constantFrom(
      'authorization',
      'accept',
      'accept-charset',
      'cookie',
      'x-forwarded-for',
      'x-http-method-override',
      'origin',
      'content-language',
      'content-md5',
      'if-none-match',
      'range',
      'transfer-coding',
      'te',
      'trailer',
      'prefer',
      'host'
    ),
    fc.oneof(fc.string(), fc.constantFrom('Bearer x', '*', 'GET', 'bytes=0-1', 'utf-16', '127.0.0.1'))
  )
  await holds(
    t,
    fc.asyncProperty(fc.array(header, { maxLength: 4 }), async headers => {
      const { answer } = await post(RIGHT, { ...Object.fromEntries(headers), 'content-type': JSON_TYPE })
      assert.equal(answer.statusCode, 200)
    })
  )
})

t.test('any well-formed username and password reach the checker byte for byte', async t => {
  const { post } = await setUp(t)
  await holds(
    t,
    fc.asyncProperty(password, password, seed, async (username, password, seed) => {
      const { fields } = await post(spelled({ fields: { username, password } }, seed))
      assert.deepEqual(Buffer.from(fields?.password ?? ''), Buffer.from(password))
      assert.deepEqual(Buffer.from(fields?.username ?? ''), Buffer.from(username))
    }),
    4
  )
})

t.test(
  'two passwords that differ in anything stay different, also in normalisation, case and white space',
  async t => {
    const { post } = await setUp(t)
    const twin = fc.constantFrom<(text: string) => string>(
      text => text.normalize('NFC'),
      text => text.normalize('NFD'),
      text => text.normalize('NFKC'),
      text => text.trim(),
      text => ` ${text}`,
      text => `${text}\n`,
      text => `\ufeff${text}`,
      text => `${text}\u200b`,
      text => text.toLowerCase(),
      text => text.toUpperCase(),
      text => encodeURIComponent(text),
      text => JSON.stringify(text),
      text => text.slice(0, -1),
      text => text.slice(0, 72),
      text => text.replace(/[^\x20-\x7e]/g, '?'),
      text => text.replace(/[^\x20-\x7e]/gu, '\ufffd')
    )
    await holds(
      t,
      fc.asyncProperty(password, twin, seed, seed, async (one, twin, seed, otherSeed) => {
        const other = twin(one)
        fc.pre(other.isWellFormed() && other !== '')
        const send = async (password: string, seed: number) =>
          (await post(spelled({ fields: { username: 'a', password } }, seed))).fields?.password
        assert.equal((await send(one, seed)) === (await send(other, otherSeed)), one === other)
      }),
      2
    )
  }
)

t.test('any bytes between the quotes of a password arrive as they are, or are refused', async t => {
  const { post, statuses } = await setUp(t)
  const [before, after] = ['{"fields":{"username":"a","password":"', '"}}'].map(text =>
    Buffer.from(text)
  ) as [Buffer, Buffer]
  const bytes = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 6 }),
    fc.uint8Array({ min: 0x80, minLength: 1, maxLength: 4 }),
    password.map(text => Buffer.from(text))
  )
  await holds(
    t,
    fc.asyncProperty(fc.array(bytes, { minLength: 1, maxLength: 3 }), async parts => {
      const sent = Buffer.concat(parts)
      // A quote, a backslash and the control characters are for JSON to judge.
      fc.pre(!sent.some(byte => byte < 0x20 || byte === 0x22 || byte === 0x5c))
      const { answer, fields } = await post(Buffer.concat([before, sent, after]))
      assert.equal(answer.statusCode, isUtf8(sent) ? 200 : 400)
      assert.deepEqual(fields && Buffer.from(fields.password as string), isUtf8(sent) ? sent : undefined)
    }),
    3
  )
  if (MANY) t.strictSame([...statuses].sort(), [200, 400])
})

t.test(
  'invalid UTF-8, NUL and half a character, in any field and in any key, are 400 before the checker',
  async t => {
    const { post } = await setUp(t)
    const bad = fc.oneof(
      fc
        .constantFrom(
          '80',
          'bf',
          'c0 80',
          'c0 af',
          'c1 bf',
          'c2',
          'e0 80 80',
          'e0 9f bf',
          'e2 82',
          'ed a0 80',
          'ed bf bf',
          'ed a0 bd ed b8 80',
          'f0 80 80 80',
          'f0 9f a6',
          'f4 90 80 80',
          'f5 80 80 80',
          'f8 88 80 80 80',
          'fe',
          'ff',
          '00'
        )
        .map(hex => Buffer.from(hex.replaceAll(' ', ''), 'hex')),
      fc
        .constantFrom(
          '\\u0000',
          '\\ud800',
          '\\uDBFF',
          '\\udc00',
          '\\udfff',
          '\\ude00\\ud83d',
          '\\ud83d\\ud83d\\ude00',
          '\\ud83dx'
        )
        .map(text => Buffer.from(text)),
      fc
        .uint8Array({ minLength: 1, maxLength: 4, min: 0x80 })
        .filter(bytes => !isUtf8(bytes))
        .map(bytes => Buffer.from(bytes))
    )
    const where = fc.constantFrom('username', 'password', 'company', 'a key')
    const ascii = fc.string({ unit: fc.constantFrom(...'ab z9'), maxLength: 5 })
    await holds(
      t,
      fc.asyncProperty(bad, where, ascii, ascii, async (bad, where, before, after) => {
        const value = (place: string) =>
          Buffer.concat([
            Buffer.from(`"${before}`),
            place === where ? bad : Buffer.from('x'),
            Buffer.from(`${after}"`)
          ])
        const member = (place: string) => [Buffer.from(`,"${place}":`), value(place)]
        const body = [
          Buffer.from('{"fields":{'),
          value('a key'),
          Buffer.from(':"x"'),
          ...['username', 'password', 'company'].flatMap(member),
          Buffer.from('}}')
        ]
        const { answer, fields } = await post(Buffer.concat(body))
        assert.deepEqual([answer.statusCode, fields], [400, undefined])
      }),
      3
    )
  }
)

t.test(
  'a byte order mark before the body is 400, in any encoding; inside a password it is a character',
  async t => {
    const { post } = await setUp(t)
    const mark = fc.constantFrom(
      'efbbbf',
      'fffe',
      'feff',
      '0000feff',
      'fffe0000',
      'efbbbfefbbbf',
      '2b2f76382d'
    )
    const encoding = fc.constantFrom<BufferEncoding>('utf8', 'utf16le')
    await holds(
      t,
      fc.asyncProperty(mark, encoding, password, async (mark, encoding, password) => {
        const json = JSON.stringify({ fields: { username: 'a', password } })
        const { answer, fields } = await post(
          Buffer.concat([Buffer.from(mark, 'hex'), Buffer.from(json, encoding)])
        )
        assert.deepEqual([answer.statusCode, fields], [400, undefined])
        const inside = `\ufeff${password}\ufeff`
        assert.equal(
          (await post(JSON.stringify({ fields: { username: 'a', password: inside } }))).fields?.password,
          inside
        )
      })
    )
  }
)

/** Cuts bytes at some places. */
const cut = (body: Buffer, places: number[]) => {
  const ends = [...new Set(places.map(place => place % (body.length + 1)))].sort((a, b) => a - b)
  return [0, ...ends]
    .map((start, index) => body.subarray(start, ends[index] ?? body.length))
    .filter(piece => piece.length > 0)
}
const HEAD = 'POST /auth/login HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n'

t.test('over a socket, a body in any chunks and packets is answered as the design says', async t => {
  const { app, received, statuses } = await setUp(t)
  await app.listen()
  const value = fc.tuple(request, seed).map(([value, seed]) => spelled(value, seed))
  const body = fc.oneof(fc.constant(RIGHT), value).map(text => Buffer.from(text))
  const expectation = fc.constantFrom('', 'Expect: 100-continue\r\n', 'expect: 100-CONTINUE\r\n')
  const places = fc.array(fc.nat(2000), { maxLength: 6 })
  await holds(
    t,
    fc.asyncProperty(
      body,
      fc.boolean(),
      expectation,
      places,
      places,
      async (body, isChunked, expectation, chunks, packets) => {
        received.length = 0
        const framed = isChunked
          ? [
              ...cut(body, chunks).flatMap(piece => [
                Buffer.from(`${piece.length.toString(16)};x=y\r\n`),
                piece,
                Buffer.from('\r\n')
              ]),
              Buffer.from('0\r\n\r\n')
            ]
          : [body]
        const head = `${HEAD}${expectation}${isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`}\r\n\r\n`
        const answer = parseAnswer(
          await exchange(app, cut(Buffer.concat([Buffer.from(head), ...framed]), packets))
        )
        assertAuthResponse(answer, received[0])
        const verdict = expected(body)
        statuses.add(answer.statusCode)
        assert.equal(answer.statusCode, verdict.status)
        assert.deepEqual(received[0] && { ...received[0] }, verdict.fields && { ...verdict.fields })
      }
    ),
    0.2
  )
  if (MANY) t.strictSame([...statuses].sort(), [200, 400])
})

t.test(
  'over a socket, a truncated or wrongly framed body reaches no checker, and the server goes on',
  async t => {
    const { app, received } = await setUp(t)
    await app.listen()
    const framing = fc.oneof(
      fc.integer({ min: 1, max: 99 }).map(more => `Content-Length: ${RIGHT.length + more}\r\n\r\n${RIGHT}`),
      fc.nat(RIGHT.length - 1).map(less => `Content-Length: ${RIGHT.length}\r\n\r\n${RIGHT.slice(0, less)}`),
      fc
        .integer({ min: 1, max: 99 })
        .map(more => `Transfer-Encoding: chunked\r\n\r\n${(RIGHT.length + more).toString(16)}\r\n${RIGHT}`),
      fc
        .nat(RIGHT.length - 1)
        .map(less => `Transfer-Encoding: chunked\r\n\r\n${less.toString(16)}\r\n${RIGHT}\r\n0\r\n\r\n`),
      fc.constantFrom(
        `Transfer-Encoding: chunked\r\n\r\n${RIGHT.length.toString(16)}\r\n${RIGHT}\r\n`,
        `Transfer-Encoding: chunked\r\n\r\nzz\r\n${RIGHT}\r\n0\r\n\r\n`,
        `Transfer-Encoding: chunked\r\n\r\n-1\r\n${RIGHT}\r\n0\r\n\r\n`,
        `Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n${RIGHT}`,
        `Transfer-Encoding: chunked\r\nContent-Length: ${RIGHT.length}\r\n\r\n${RIGHT}`,
        `Transfer-Encoding: xchunked\r\n\r\n${RIGHT}`,
        `Content-Length: ${RIGHT.length}\r\nContent-Length: 1\r\n\r\n${RIGHT}`,
        `Content-Length: -1\r\n\r\n${RIGHT}`,
        `Content-Length: +${RIGHT.length}\r\n\r\n${RIGHT}`,
        `Content-Length: 0x38\r\n\r\n${RIGHT}`,
        `Content-Length: ${'9'.repeat(30)}\r\n\r\n${RIGHT}`,
        `Content-Length: ${LIMIT + 1}\r\n\r\n${RIGHT}`,
        'Content-Length: 0\r\n\r\n',
        '\r\n'
      )
    )
    await holds(
      t,
      fc.asyncProperty(framing, async framing => {
        received.length = 0
        const answer = await exchange(app, [HEAD + framing], { end: true })
        assert.deepEqual(received, [])
        // What Node's HTTP parser refuses gets to no route, and is answered by Fastify alone.
        if (answer !== '') assert.match(answer, /^HTTP\/1\.1 (400|413) /)
        assert.doesNotMatch(answer, /"success":true/)
        assert.equal(
          (await app.inject({ method: 'POST', url: '/auth/login', payload: JSON.parse(RIGHT) })).json()
            .success,
          true
        )
      }),
      0.2
    )
  }
)
