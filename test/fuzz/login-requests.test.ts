import assert from 'node:assert/strict'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import t from 'tap'
import {
  assertAuthResponse,
  expected,
  JSON_TYPE,
  LIMIT,
  RIGHT,
  request,
  seed,
  setUp,
  spelled
} from './logins.ts'
import { holds, MANY } from './runs.ts'
import { exchange, parseResponse } from './socket.ts'

t.test('only application/json, with any parameters, reaches checkCredentials', async t => {
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
        const { response, fields } = await post(RIGHT, { 'content-type': type })
        const isJson = type.split(';')[0]?.trim().toLowerCase() === JSON_TYPE
        assert.deepEqual([response.statusCode, fields !== undefined], isJson ? [200, true] : [415, false])
      }
    ),
    2
  )
  if (MANY) t.strictSame([...statuses].sort(), [200, 415])
})

t.test('a compressed body is not decompressed, whatever its Content-Encoding is', async t => {
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

t.test('a wrong Content-Length is a 400 or a 413 and does not reach checkCredentials', async t => {
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
      const { response, fields } = await post(RIGHT, {
        'content-type': JSON_TYPE,
        'content-length': String(length)
      })
      const status = length > LIMIT ? 413 : length === RIGHT.length ? 200 : 400
      assert.deepEqual([response.statusCode, fields !== undefined], [status, status === 200])
    })
  )
})

t.test('other headers do not change the result of a login', async t => {
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
      const { response } = await post(RIGHT, { ...Object.fromEntries(headers), 'content-type': JSON_TYPE })
      assert.equal(response.statusCode, 200)
    })
  )
})

/** Cuts bytes at the given positions. */
const cut = (body: Buffer, places: number[]) => {
  const ends = [...new Set(places.map(place => place % (body.length + 1)))].sort((a, b) => a - b)
  return [0, ...ends]
    .map((start, index) => body.subarray(start, ends[index] ?? body.length))
    .filter(piece => piece.length > 0)
}
const HEAD = 'POST /auth/login HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n'

t.test('over a socket, a body in any chunks and packets gets the expected status', async t => {
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
        const response = parseResponse(
          await exchange(app, cut(Buffer.concat([Buffer.from(head), ...framed]), packets))
        )
        assertAuthResponse(response, received[0])
        const verdict = expected(body)
        statuses.add(response.statusCode)
        assert.equal(response.statusCode, verdict.status)
        assert.deepEqual(received[0] && { ...received[0] }, verdict.fields && { ...verdict.fields })
      }
    ),
    0.2
  )
  if (MANY) t.strictSame([...statuses].sort(), [200, 400])
})

t.test('over a socket, a truncated or wrongly framed body does not reach checkCredentials', async t => {
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
      const response = await exchange(app, [HEAD + framing], { end: true })
      assert.deepEqual(received, [])
      // What Node's HTTP parser refuses reaches no route: Fastify itself responds.
      if (response !== '') assert.match(response, /^HTTP\/1\.1 (400|413) /)
      assert.doesNotMatch(response, /"success":true/)
      assert.equal(
        (await app.inject({ method: 'POST', url: '/auth/login', payload: JSON.parse(RIGHT) })).json().success,
        true
      )
    }),
    0.2
  )
})
