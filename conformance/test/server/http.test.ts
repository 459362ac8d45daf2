// The HTTP client of the kit: responses that are truncated, endless, compressed or no HTTP.
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { type HttpRequest, send, sendOnOneConnection } from '../../server/http.ts'

type Answer = string | Buffer | ((socket: Socket) => void)

/** Starts a server that sends the next answer whenever it receives data, and records the data. */
async function serve(t: Test, ...answers: Answer[]) {
  const received = { text: '' }
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    const left = [...answers]
    sockets.add(socket.on('error', () => {}))
    socket.on('data', data => {
      received.text += data
      const next = left.shift() ?? ''
      if (typeof next === 'function') next(socket)
      else socket.write(next)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return { url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`), received }
}

const get = (method = 'GET'): HttpRequest => ({ method, path: '/', headers: [] })
const ending = (text: string | Buffer) => (socket: Socket) => void socket.end(text)

/** Sends one request. Returns the response, or the message of the error. */
const answerTo = async (t: Test, answer: Answer, timeout = 60) =>
  send((await serve(t, answer)).url, get(), timeout).catch(({ message }) => message)

/** Sends two requests on one connection. */
const converse = async (t: Test, ...answers: Answer[]) =>
  sendOnOneConnection((await serve(t, ...answers)).url, [get(), get()], false, 60)

const START = 'HTTP/1.1 200 OK\r\n'
const CHUNKED = `${START}Transfer-Encoding: chunked\r\n\r\n`
const LENGTH = (length: string) => `${START}Content-Length: ${length}\r\n\r\n`
const OK = `${LENGTH('2')}{}`
const compressed = (coding: string, body: Buffer) =>
  Buffer.concat([Buffer.from(`${START}Content-Encoding: ${coding}\r\nContent-Length: ${body.length}\r\n\r\n`), body])
const ZEROS = Buffer.alloc(2 ** 21)
const NO_HTTP = 'the response is not HTTP'
const TOO_LONG = 'the response is longer than 1 MiB'
const CUT = 'socket hang up'

/** What a server sends before it ends the connection, and the response or the error. */
const ANSWERS: [sent: string | Buffer, expected: unknown][] = [
  ['hello\r\n', NO_HTTP],
  [`${CHUNKED}-5\r\nhello\r\n0\r\n\r\n`, NO_HTTP],
  [`${CHUNKED}zzz\r\nhello\r\n0\r\n\r\n`, NO_HTTP],
  [`${LENGTH('-5')}{"a":1}`, NO_HTTP],
  [`${START}Content-Length: 1\r\n${LENGTH('7').slice(START.length)}{"a":1}`, NO_HTTP],
  ['HTTP/1.1 100 Continue\r\n\r\n'.repeat(1000), NO_HTTP],
  [`${START}${'a: b\r\n'.repeat(10_000)}\r\n`, 'the response has more than 2000 headers'],
  [`${LENGTH(String(2 ** 20 + 1))}${'x'.repeat(2 ** 20 + 1)}`, TOO_LONG],
  ['x'.repeat(2 ** 21 + 1), TOO_LONG],
  [compressed('gzip', gzipSync(ZEROS)), TOO_LONG],
  [compressed('br', brotliCompressSync(ZEROS)), TOO_LONG],
  [compressed('gzip', Buffer.from('no gzip')), 'incorrect header check'],
  ['', CUT],
  ['<html>', CUT],
  ['HTTP/1.1 200', CUT],
  [`${START}Content-`, CUT],
  [`${LENGTH('99999999999')}{}`, CUT],
  [CHUNKED, CUT],
  [`${CHUNKED}9\r\n{`, CUT],
  [`${CHUNKED}ffffffffffffffff\r\nhello`, CUT],
  [OK.repeat(2), { status: 200, body: {}, version: '1.1' }],
  [`HTTP/1.1 100 Continue\r\n\r\n${OK}`, { status: 200, body: {} }],
  [`${CHUNKED}1;x=y\r\n{\r\n1\r\n}\r\n0\r\nTrailer: 1\r\n\r\n`, { status: 200, body: {} }],
  ['HTTP/1.1 204 No Content\r\nA: 1\r\nA: 2\r\n\r\n', { status: 204, text: '', headers: { a: '1, 2' } }],
  ['HTTP/1.0 200 OK\r\n\r\n{}', { status: 200, body: {}, version: '1.0' }],
  ['HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n', { status: 101 }],
  [compressed('gzip', gzipSync('{}')), { body: {} }],
  [compressed('deflate', deflateSync('{}')), { body: {} }],
  [compressed('br', brotliCompressSync('{}')), { body: {} }],
  ...['__proto__', 'constructor', 'toString'].map((name): [string, object] => [
    `${START}${name}: 1\r\n${name}: 2\r\nContent-Length: 0\r\n\r\n`,
    { headers: Object.fromEntries([[name.toLowerCase(), '1, 2']]) }
  ])
]

t.test('each response is read, or is an error that says why not', async t => {
  for (const [sent, expected] of ANSWERS) t.match(await answerTo(t, ending(sent)), expected, String(sent).slice(0, 60))
})

t.test('a response that arrives in single bytes is assembled', async t => {
  const answer = (socket: Socket) => {
    socket.setNoDelay()
    for (const byte of `${LENGTH('3000')}${'x'.repeat(3000)}`) socket.write(byte)
  }
  t.match(await answerTo(t, answer), { text: 'x'.repeat(3000) })
})

t.test('a response without end, no response, and a TLS handshake without end time out', async t => {
  const endless = (socket: Socket) => {
    const timer = setInterval(() => socket.write('x'), 20)
    socket.on('close', () => clearInterval(timer))
    socket.write(`${START}\r\n`)
  }
  for (const answer of [endless, '']) t.equal(await answerTo(t, answer, 0.3), 'no response within 0.3 s')
  const { host } = (await serve(t)).url
  const error = { message: 'no response within 0.3 s', reason: 'silent', code: 'ETIMEDOUT' }
  await t.rejects(send(new URL(`https://${host}`), get(), 0.3), error as never)
})

t.test('JSON that is nested deeper than 200 is not parsed, and brackets in a string do not count', async t => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
  for (const [text, isJson] of [
    [nested(200), true],
    [nested(201), false],
    [nested(500_000), false],
    ['['.repeat(2 ** 20), false],
    [`[${'[],{},'.repeat(1000)}[]]`.replaceAll('{}', '{"a":{}}'), true],
    [JSON.stringify(`\\"${'['.repeat(300)}`), true]
  ] as const)
    t.equal('body' in (await answerTo(t, ending(LENGTH(String(text.length)) + text))), isJson, text.slice(0, 20))
})

t.test('on one connection, responses follow each other until the server closes it', async t => {
  const { url } = await serve(t, `${OK}${LENGTH('9')}`)
  t.match(await sendOnOneConnection(url, [get(), get('HEAD')], true, 60), [{ body: {} }, { status: 200, text: '' }])
  t.match(await converse(t, OK, OK), { length: 2 })
  for (const end of [ending(`${LENGTH('9')}{`), (socket: Socket) => void socket.resetAndDestroy()])
    t.match(await converse(t, OK, end), { length: 1 }, 'a truncated response is omitted')
  const closing = OK.replace('\r\n', '\r\nConnection: close\r\n')
  t.match(await converse(t, closing, OK), { length: 1 }, 'no further request is sent')
})

t.test('a server that cannot be reached is an error', async t => {
  for (const host of ['127.0.0.1:1', 'no-such-host.invalid'])
    for (const url of [`http://${host}`, `https://${host}`])
      await t.rejects(send(new URL(url), get(), 60), { reason: 'unreachable' } as never)
})

t.test('a header that HTTP cannot carry is not sent, and a body may be sent in chunks', async t => {
  const { url, received } = await serve(t, OK)
  const unsendable: HttpRequest = { ...get(), headers: [['Authorization', 'Bearer 漢']] }
  await t.rejects(send(url, unsendable, 60), { reason: 'unsendable' } as never)
  await send(url, { ...get('POST'), body: 'abcd', chunked: true }, 60)
  t.match(received.text, /\r\n2\r\nab\r\n2\r\ncd\r\n0\r\n\r\n$/)
})
