import assert from 'node:assert/strict'
import { isUtf8 } from 'node:buffer'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import t from 'tap'
import {
  anyJson,
  anyText,
  assertAuthResponse,
  expected,
  JSON_TYPE,
  LIMIT,
  password,
  RIGHT,
  request,
  setUp,
  written
} from './logins.ts'
import { holds } from './runs.ts'
import { exchange, parseResponse } from './socket.ts'

const words = (text: string) => fc.constantFrom(...text.split(' '))
const anyBytes = (constraints: fc.IntArrayConstraints) => fc.uint8Array(constraints).map(bytes => Buffer.from(bytes))

t.test('any bytes, any text and any JSON as a body get an AuthResponse with the expected status', async t => {
  const { judge } = await setUp(t)
  const body = fc.oneof<fc.Arbitrary<string | Buffer>[]>(
    anyBytes({ maxLength: 400 }),
    anyText,
    fc.json(),
    written(anyJson)
  )
  await holds(t, 6, [body], judge)
})

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
    .record({
      pair: fc.constantFrom(['[', ']'], ['{"a":', '}'], ['[{"__proto__":', '}]'], ['[[],', ']']),
      depth: fc.nat(8200),
      more: fc.integer({ min: -1, max: 1 })
    })
    .map(({ pair: [open = '', close = ''], depth, more }) => {
      return `${open.repeat(depth)}1${close.repeat(Math.max(0, depth + more))}`
    })
  const long = fc
    .tuple(fc.integer({ min: LIMIT - 100, max: LIMIT + 100 }), fc.constantFrom('x', ' ', 'é', '9'))
    .map(([length, filler]) => {
      const quote = filler === '9' ? '' : '"'
      const room = length - Buffer.byteLength(before + quote + quote + after)
      return quote + filler.repeat(room / Buffer.byteLength(filler)) + quote
    })
  const number = fc.oneof(
    words('1e999999 -1e999999 1E-999999 -0 01 .5 NaN 0x1 1_0'),
    fc.constantFrom('9'.repeat(9000), '0.'.padEnd(9000, '1'))
  )
  const body = fc.oneof(
    fc.oneof(nested, long, number).map(value => before + value + after),
    nested.map(value => `{"fields":${value}}`),
    number.map(value => `{"fields":{"username":"a","password":${value}}}`)
  )
  await holds(t, 1, [body], judge)
  meets(200, 400, 413)
})

t.test('any bytes in a password arrive unchanged or are refused', async t => {
  const { judge, meets } = await setUp(t)
  const bytes = fc.oneof(
    anyBytes({ minLength: 1, maxLength: 6 }),
    anyBytes({ min: 0x80, minLength: 1, maxLength: 4 }),
    password.map(text => Buffer.from(text))
  )
  const [before, after] = ['{"fields":{"username":"a","password":"', '"}}'].map(text => Buffer.from(text))
  await holds(t, 3, [fc.array(bytes, { minLength: 1, maxLength: 3 })], parts =>
    judge(Buffer.concat([before as Buffer, ...parts, after as Buffer]))
  )
  meets(200, 400)
})

t.test('invalid UTF-8, NUL and lone surrogates in any field or key never reach checkCredentials', async t => {
  const { post } = await setUp(t)
  const hex =
    '80 bf c080 c0af c1bf c2 e08080 e09fbf e282 eda080 edbfbf eda0bdedb880 f0808080 f09fa6 f4908080 f5808080 fe ff 00'
  const escapes = '\\u0000 \\ud800 \\uDBFF \\udc00 \\udfff \\ude00\\ud83d \\ud83d\\ud83d\\ude00 \\ud83dx'
  const bad = fc.oneof(
    words(hex).map(text => Buffer.from(text, 'hex')),
    words(escapes).map(text => Buffer.from(text)),
    anyBytes({ minLength: 1, maxLength: 4, min: 0x80 }).filter(bytes => !isUtf8(bytes))
  )
  const ascii = fc.string({ unit: fc.constantFrom(...'ab z9'), maxLength: 5 })
  await holds(t, 3, [bad, words('username password company key'), ascii, ascii], async (...args) => {
    const [bad, place, before, after] = args
    const fields = { username: 'x', password: 'x', company: 'x' }
    const json = JSON.stringify({
      fields:
        place === 'key' ? { ...fields, [`${before}@${after}`]: 'x' } : { ...fields, [place]: `${before}@${after}` }
    })
    const [start = '', end = ''] = json.split('@')
    const { response, fields: received } = await post(Buffer.concat([Buffer.from(start), bad, Buffer.from(end)]))
    assert.deepEqual([response.statusCode, received], [400, undefined])
  })
})

t.test('a byte order mark before the body gets 400, and one inside a password is kept', async t => {
  const { post } = await setUp(t)
  const mark = words('efbbbf fffe feff 0000feff fffe0000 efbbbfefbbbf 2b2f76382d')
  const encoding = fc.constantFrom<BufferEncoding>('utf8', 'utf16le')
  await holds(t, 1, [mark, encoding, password], async (mark, encoding, password) => {
    const jsonOf = (password: string) => JSON.stringify({ fields: { username: 'a', password } })
    const marked = Buffer.concat([Buffer.from(mark, 'hex'), Buffer.from(jsonOf(password), encoding)])
    const { response, fields } = await post(marked)
    assert.deepEqual([response.statusCode, fields], [400, undefined])
    const inside = `\ufeff${password}\ufeff`
    assert.equal((await post(jsonOf(inside))).fields?.password, inside)
  })
})

t.test('only application/json, with any parameters, reaches checkCredentials', async t => {
  const { post, meets } = await setUp(t)
  const parameter = fc.oneof(
    words('charset=utf-8 charset=UTF-16 charset=iso-8859-1 charset="utf-8 charset= boundary=x q=0 application/json'),
    fc.string()
  )
  const essence = fc.oneof(
    fc.mixedCase(fc.constant(JSON_TYPE)),
    fc.constantFrom(
      JSON_TYPE,
      `${JSON_TYPE} `,
      ` ${JSON_TYPE}`,
      'application/json/x',
      'application/json,text/plain',
      ''
    ),
    words('text/json text/plain application/x-www-form-urlencoded multipart/form-data application/problem+json */*'),
    fc.string({ unit: 'binary' })
  )
  const separator = fc.constantFrom(';', '; ', ' ; ', ', ')
  await holds(t, 2, [essence, fc.array(parameter, { maxLength: 2 }), separator], async (...args) => {
    const [essence, parameters, separator] = args
    const type = [essence, ...parameters].join(separator)
    const { response, fields } = await post(RIGHT, { 'content-type': type })
    const isJson = type.split(';')[0]?.trim().toLowerCase() === JSON_TYPE
    assert.deepEqual([response.statusCode, fields !== undefined], isJson ? [200, true] : [415, false])
  })
  meets(200, 415)
})

t.test('a compressed body is not decompressed with any Content-Encoding', async t => {
  const { judge } = await setUp(t)
  const encoding = fc.constantFrom('gzip', 'deflate', 'br', 'zstd', 'identity', 'x', '')
  const body = fc.constantFrom(RIGHT, gzipSync(RIGHT), deflateSync(RIGHT), brotliCompressSync(RIGHT))
  await holds(t, 0.3, [encoding, body], (encoding, body) =>
    judge(body, { 'content-type': JSON_TYPE, 'content-encoding': encoding })
  )
})

t.test('a wrong Content-Length gets 400 or 413 and does not reach checkCredentials', async t => {
  const { post } = await setUp(t)
  const length = fc.oneof(fc.nat(200), fc.integer(), fc.maxSafeNat(), fc.constantFrom(LIMIT, LIMIT + 1))
  await holds(t, 1, [length], async length => {
    const headers = { 'content-type': JSON_TYPE, 'content-length': String(length) }
    const { response, fields } = await post(RIGHT, headers)
    const status = length > LIMIT ? 413 : length === RIGHT.length ? 200 : 400
    assert.deepEqual([response.statusCode, fields !== undefined], [status, status === 200])
  })
})

t.test('other headers do not change the result of a login', async t => {
  const { post } = await setUp(t)
  const header = fc.tuple(
    words(
      'authorization accept accept-charset cookie x-forwarded-for x-http-method-override origin content-language ' +
        'content-md5 if-none-match range transfer-coding te trailer prefer host'
    ),
    fc.oneof(fc.string(), fc.constantFrom('Bearer x', '*', 'GET', 'bytes=0-1', 'utf-16', '127.0.0.1'))
  )
  await holds(t, 1, [fc.array(header, { maxLength: 4 })], async headers => {
    const { response } = await post(RIGHT, { ...Object.fromEntries(headers), 'content-type': JSON_TYPE })
    assert.equal(response.statusCode, 200)
  })
})

/** Cuts bytes at the given positions. */
const cut = (body: Buffer, places: number[]) => {
  const ends = [...new Set(places.map(place => place % (body.length + 1)))].sort((a, b) => a - b)
  return [0, ...ends]
    .map((start, index) => body.subarray(start, ends[index] ?? body.length))
    .filter(piece => piece.length > 0)
}
/** Frames each piece as a chunk. */
const chunked = (pieces: Buffer[]) =>
  Buffer.concat([
    ...pieces.flatMap(piece => [Buffer.from(`${piece.length.toString(16)};x=y\r\n`), piece, Buffer.from('\r\n')]),
    Buffer.from('0\r\n\r\n')
  ])
const HEAD = 'POST /auth/login HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n'

t.test('a body in any chunks and packets gets the expected status over a socket', async t => {
  const { app, received, statuses, meets } = await setUp(t)
  await app.listen()
  const places = fc.array(fc.nat(2000), { maxLength: 6 })
  const input = fc.record({
    body: fc.oneof(fc.constant(RIGHT), written(request)).map(text => Buffer.from(text)),
    chunks: fc.option(places),
    expectation: fc.constantFrom('', 'Expect: 100-continue\r\n', 'expect: 100-CONTINUE\r\n'),
    packets: places
  })
  await holds(t, 0.2, [input], async ({ body, chunks, expectation, packets }) => {
    received.length = 0
    const framing = chunks ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`
    const head = Buffer.from(`${HEAD}${expectation}${framing}\r\n\r\n`)
    const sent = Buffer.concat([head, chunks ? chunked(cut(body, chunks)) : body])
    const response = parseResponse(await exchange(app, cut(sent, packets)))
    assertAuthResponse(response, received[0])
    const verdict = expected(body)
    statuses.add(response.statusCode)
    assert.equal(response.statusCode, verdict.status)
    assert.deepEqual(received[0] && { ...received[0] }, verdict.fields && { ...verdict.fields })
  })
  meets(200, 400)
})

t.test('a truncated or wrongly framed body over a socket does not reach checkCredentials', async t => {
  const { app, received } = await setUp(t)
  await app.listen()
  const hex = (length: number) => length.toString(16)
  const { length } = RIGHT
  const more = fc.integer({ min: 1, max: 99 })
  const less = fc.nat(length - 1)
  const framing = fc.oneof(
    more.map(more => `Content-Length: ${length + more}\r\n\r\n${RIGHT}`),
    less.map(less => `Content-Length: ${length}\r\n\r\n${RIGHT.slice(0, less)}`),
    more.map(more => `Transfer-Encoding: chunked\r\n\r\n${hex(length + more)}\r\n${RIGHT}`),
    less.map(less => `Transfer-Encoding: chunked\r\n\r\n${hex(less)}\r\n${RIGHT}\r\n0\r\n\r\n`),
    // Chunks without an end, and with invalid sizes.
    fc
      .constantFrom(`${hex(length)}\r\n${RIGHT}\r\n`, `zz\r\n${RIGHT}\r\n0\r\n\r\n`, `-1\r\n${RIGHT}\r\n0\r\n\r\n`)
      .map(chunks => `Transfer-Encoding: chunked\r\n\r\n${chunks}`),
    fc
      .constantFrom(
        `Transfer-Encoding: chunked\r\nContent-Length: ${length}`,
        'Transfer-Encoding: xchunked',
        `Content-Length: ${length}\r\nContent-Length: 1`,
        ...['-1', `+${length}`, '0x38', '9'.repeat(30), LIMIT + 1].map(value => `Content-Length: ${value}`)
      )
      .map(headers => `${headers}\r\n\r\n${RIGHT}`),
    fc.constantFrom('Content-Length: 0\r\n\r\n', '\r\n')
  )
  await holds(t, 0.2, [framing], async framing => {
    received.length = 0
    const response = await exchange(app, [HEAD + framing], { end: true })
    assert.deepEqual(received, [])
    // A request that Node's HTTP parser refuses reaches no route; Fastify itself responds.
    if (response !== '') assert.match(response, /^HTTP\/1\.1 (400|413) /)
    assert.doesNotMatch(response, /"success":true/)
    const next = await app.inject({ method: 'POST', url: '/auth/login', payload: JSON.parse(RIGHT) })
    assert.equal(next.json().success, true)
  })
})
