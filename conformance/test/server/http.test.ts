// The HTTP client of the kit: responses that are truncated, endless or no HTTP, pauses, and servers that do not respond.
import dns from 'node:dns'
import { once } from 'node:events'
import { createServer as createHttps } from 'node:https'
import type { Socket } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { type HttpRequest, send } from '../../server/http.ts'
import { RetryingClient } from '../../server/retrying-client.ts'
import { serve } from './check.ts'
import { listenOn } from './minimal-server.ts'

type Reply = string | ((socket: Socket) => void)

const serverSending = (t: Test, ...replies: Reply[]) =>
  serve(t, socket => {
    const next = replies.shift() ?? ''
    if (typeof next === 'function') next(socket)
    else socket.write(next)
  })

const get = (method = 'GET'): HttpRequest => ({ method, path: '/', headers: [] })
const ending = (text: string) => (socket: Socket) => void socket.end(text)

const responseTo = async (t: Test, reply: Reply, timeout = 60) =>
  send(await serverSending(t, reply), [get()], timeout).then(
    ([response]) => response as object,
    ({ message }) => message
  )

const converse = async (t: Test, ...replies: Reply[]) => send(await serverSending(t, ...replies), [get(), get()], 60)

const START = 'HTTP/1.1 200 OK\r\n'
const CHUNKED = `${START}Transfer-Encoding: chunked\r\n\r\n`
const LENGTH = (length: string) => `${START}Content-Length: ${length}\r\n\r\n`
const OK = `${LENGTH('2')}{}`
const NO_HTTP = 'the response is not HTTP'
const CUT = 'socket hang up'

/** What a server sends before it ends the connection, and the response or the error. */
const RESPONSES: [sent: string, expected: unknown][] = [
  ['hello\r\n', NO_HTTP],
  [`${CHUNKED}zzz\r\nhello\r\n0\r\n\r\n`, NO_HTTP],
  [`${LENGTH('-5')}{"a":1}`, NO_HTTP],
  ['x'.repeat(2 ** 21 + 1), 'the response is longer than 2 MiB'],
  ['', CUT],
  [`${START}Content-`, CUT],
  [`${LENGTH('9')}{}`, CUT],
  [CHUNKED, CUT],
  [`${CHUNKED}9\r\n{`, CUT],
  [`HTTP/1.1 100 Continue\r\n\r\n${OK.repeat(2)}`, { status: 200, body: {}, version: '1.1' }],
  [`${CHUNKED}1;x=y\r\n{\r\n1\r\n}\r\n0\r\nTrailer: 1\r\n\r\n`, { status: 200, body: {} }],
  ['HTTP/1.1 204 No Content\r\n__proto__: 1\r\n__proto__: 2\r\n\r\n', { status: 204, text: '' }],
  ['HTTP/1.0 200 OK\r\nA: 1\r\na: 2\r\n\r\n{}', { headers: { a: '1, 2' }, body: {}, version: '1.0' }],
  ['HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n', { status: 101 }]
]

t.test('a compressed response is decompressed, up to 2 MiB', async t => {
  for (const [coding, compress] of Object.entries({ gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync })) {
    const reply = (text: string | Buffer) => (socket: Socket) => {
      const body = compress(text)
      socket.end(Buffer.concat([Buffer.from(`${START}Content-Encoding: ${coding}\r\n\r\n`), body]))
    }
    t.match(await responseTo(t, reply('{}')), { body: {} }, coding)
    t.match(await responseTo(t, reply(Buffer.alloc(2 ** 21 + 1))), /larger than/, coding)
  }
})

t.test('each response is read, or is an error that says why not', async t => {
  for (const [sent, expected] of RESPONSES) t.match(await responseTo(t, ending(sent)), expected, sent.slice(0, 60))
})

t.test('a response without end times out', async t => {
  const endless = (socket: Socket) => {
    const timer = setInterval(() => socket.write('x'), 20)
    void once(socket, 'close').then(() => clearInterval(timer))
    socket.write(`${START}\r\n`)
  }
  t.equal(await responseTo(t, endless, 0.3), 'no response within 0.3 s')
})

t.test('on one connection, responses follow each other until the server closes it', async t => {
  const url = await serverSending(t, `${OK}${LENGTH('9')}`)
  t.match(await send(url, [get(), get('HEAD')], 60, true), [{ body: {} }, { status: 200, text: '' }])
  t.match(await converse(t, OK, OK), { length: 2 })
  for (const end of [ending(`${LENGTH('9')}{`), (socket: Socket) => void socket.resetAndDestroy()])
    t.match(await converse(t, OK, end), { length: 1 }, 'a truncated response is omitted')
  const closing = OK.replace('\r\n', '\r\nConnection: close\r\n')
  t.match(await converse(t, closing, OK), { length: 1 }, 'no further request is sent')
})

t.test('JSON that is nested deeper than 200 is not parsed, and brackets in a string do not count', async t => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
  for (const [text, isJson] of [
    [nested(200), true],
    [nested(201), false],
    [nested(500_000), false],
    [`${'{"a":'.repeat(201)}1${'}'.repeat(201)}`, false],
    ['['.repeat(2 ** 20), false],
    [`[${'[],{},'.repeat(1000)}[]]`.replaceAll('{}', '{"a":{}}'), true],
    [JSON.stringify(`\\"${'['.repeat(300)}`), true]
  ] as const)
    t.equal('body' in (await responseTo(t, ending(LENGTH(String(text.length)) + text))), isJson, text.slice(0, 20))
})

t.test('after the deadline no request is sent, and an unfinished request is not judged', async t => {
  let requests = 0
  const url = await serve(t, socket => {
    if (requests++ === 0) socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
  })
  const over = { message: 'the run reached its time limit' }
  const sending = new RetryingClient({ url, timeout: 60, onPause() {} }, performance.now() + 1000)
  await sending.send([get()])
  await t.rejects(sending.send([get()]), over, 'the deadline interrupts it')
  await t.rejects(sending.send([get()]), over)
  t.equal(requests, 2)
  t.equal(sending.isServerGone, false)
})

t.test('a login makes one pause that the server demands, of any length before the deadline', async t => {
  const pauses: number[] = []
  const onPause = (seconds: number) => pauses.push(seconds)
  const client = async (after: number, deadline = 1e9) => {
    const busy = `HTTP/1.1 429 Busy\r\nRetry-After: ${after}\r\nContent-Length: 0\r\n\r\n`
    const url = await serve(t, socket => socket.end(busy))
    return new RetryingClient({ url, timeout: 60, onPause }, performance.now() + deadline)
  }
  await t.rejects((await client(1)).send([get()], { isLogin: true }), /limits requests/)
  t.strictSame(pauses, [1])
  await t.rejects((await client(60, 30_000)).send([get()], { isLogin: true }), /for 60 s more/)
  await t.rejects((await client(60)).send([get()]), /for 60 s more/, 'other requests wait 30 s in total')
  t.strictSame(pauses, [1])
})

/** The key and the certificate are for this test only. */
const [key = '', cert = ''] = Object.entries({
  'PRIVATE KEY':
    'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgbybTXNqH1Hkb2WinYrswlfNt8ogCjDQcKWxa3qvBK4ShRANCAARzMD7Kb0tVwbeabgGduLUgbTcJ9+o3F51b3xWw59079E0JHk52hj1d2suu8DIwzPYNsHBjkywjUCE8+iNfGERF',
  CERTIFICATE:
    'MIIBbzCCARWgAwIBAgIUTNob5JmqnZDQirDXrqXIjRkq6l4wCgYIKoZIzj0EAwIwDDEKMAgGA1UEAwwBeDAgFw0yNjExMjUyMDM4NDlaGA8yMTI2MTEwMTIwMzg0OVowDDEKMAgGA1UEAwwBeDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABHMwPspvS1XBt5puAZ24tSBtNwn36jcXnVvfFbDn3Tv0TQkeTnaGPV3ay67wMjDM9g2wcGOTLCNQITz6I18YREWjUzBRMB0GA1UdDgQWBBRD8889ZD44enB131u/XC6dcZebJjAfBgNVHSMEGDAWgBRD8889ZD44enB131u/XC6dcZebJjAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0gAMEUCIQDvt9CMbPcKfpWAzj6aNB+IyeAclyAp/hROTD5L9gaIkQIgZ3e+nyDrXlS7BbQeOXlievjmuQ/1/WV1mbxpMa3zt5I='
}).map(([what, text]) => `-----BEGIN ${what}-----\n${text}\n-----END ${what}-----\n`)

t.test('the error for an unreachable server explains the reason and the remedy', async t => {
  const tls = await listenOn(t, createHttps({ key, cert }))
  const plain = await serve(t, socket => socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n'))
  const silent = await serve(t, () => {})
  const addresses = ['127.0.0.1', '::1'].map(address => ({ address, family: address === '::1' ? 6 : 4 }))
  const { lookup } = dns
  t.teardown(() => Object.assign(dns, { lookup }))
  dns.lookup = ((host: string, ...rest: [object, (error: null, found: object) => void]) =>
    host === 'two.invalid' ? rest[1](null, addresses) : lookup(host, ...(rest as [never, never]))) as never
  const unreachable: [string, RegExp, number?][] = [
    ['http://two.invalid:1', /^two\.invalid:1 cannot be reached: .*ECONNREFUSED/],
    ['http://127.0.0.1:1', /^127\.0\.0\.1:1 cannot be reached: .*ECONNREFUSED.*\. Correct the URL/],
    ['http://no-such-host.invalid', /^no-such-host\.invalid cannot be reached: .*(ENOTFOUND|EAI_)/],
    ['https://no-such-host.invalid', /^no-such-host\.invalid cannot be reached: /],
    ['http://[::1]:1', /^\[::1\]:1 cannot be reached: /],
    [`https://127.0.0.1:${tls}`, /the certificate of 127\S+ cannot be verified: .*NODE_EXTRA_CA_CERTS/],
    [`https://${plain.host}`, /no response that can be read: .* or use http: in the URL\.$/],
    [`http://127.0.0.1:${tls}`, /no response that can be read: .* or use https: in the URL\.$/],
    [`https://${silent.host}`, /accepts connections, but does not respond: no response within 0.3 s\. Check the/, 0.3]
  ]
  for (const [url, message, timeout = 60] of unreachable) {
    const client = new RetryingClient({ url: new URL(url), timeout, onPause() {} }, 1e9)
    await t.rejects(client.send([get()]), { name: 'CannotRunError', message }, url)
  }
})
