// Servers that try to crash or delay the kit, or to inject commands for a terminal or a CI into its report.
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer as createHttps } from 'node:https'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { buildSync } from 'esbuild'
import t, { type Test } from 'tap'
import { inert } from '../../report/quote.ts'
import { Secrets } from '../../report/secrets.ts'
import { NoResponseError } from '../../server/http.ts'
import { explainUnreachable, RetryingClient } from '../../server/retrying-client.ts'

/** Listens until the test ends, and returns the port. */
async function listen(t: Test, server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', socket => sockets.add(socket.on('error', () => {})))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return (server.address() as AddressInfo).port
}

/** Starts a server that calls `handle` for all data that it receives. */
async function serve(t: Test, handle: (socket: Socket, request: string) => void): Promise<URL> {
  const server = createServer(socket => socket.on('data', data => handle(socket, data.toString('latin1'))))
  return new URL(`http://127.0.0.1:${await listen(t, server)}`)
}

const get = { method: 'GET', path: '/', headers: [] as [string, string][] }

const OK = 'HTTP/1.1 200 OK\r\n'

const client = (url: URL, deadline?: number, onPause?: (seconds: number) => void) =>
  new RetryingClient(url, 60, { ...(deadline !== undefined && { deadline }), ...(onPause && { onPause }) })

t.test('after the deadline no request is sent, and an unfinished request is not judged', async t => {
  let requests = 0
  const url = await serve(t, socket => {
    if (requests++ === 0) socket.end(`${OK}Content-Length: 0\r\n\r\n`)
  })
  const over = { message: 'the run reached its time limit' }
  const sending = client(url, performance.now() + 1000)
  await sending.send(get, false, false)
  await t.rejects(sending.send(get, false, false), over, 'the deadline interrupts it')
  await t.rejects(sending.send(get, false, false), over)
  await t.rejects(sending.sendOnOneConnection([get], true), over)
  t.equal(requests, 2)
  t.equal(sending.isServerGone, false)
})

t.test('a login makes one pause that the server demands, of any length before the deadline', async t => {
  const busy = (seconds: number) =>
    `HTTP/1.1 429 Busy\r\nRetry-After: ${seconds}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`
  const url = await serve(t, socket => socket.end(busy(1)))
  const pauses: number[] = []
  const login = client(url, undefined, seconds => pauses.push(seconds))
  await t.rejects(login.send(get, true, false), /limits requests/)
  t.strictSame(pauses, [1])
  const long = await serve(t, socket => socket.end(busy(60)))
  const soon = client(long, performance.now() + 30_000, seconds => pauses.push(seconds))
  await t.rejects(soon.send(get, true, false), /for 60 s more/)
  await t.rejects(client(long).send(get, false, false), /for 60 s more/, 'other requests wait at most 30 s in total')
  t.strictSame(pauses, [1])
  const atOnce = client(await serve(t, socket => socket.end(busy(0))))
  await t.rejects(atOnce.send(get, false, false), /for 0 s more/)
})

/** The key and the certificate are for this test only. */
const pem = (what: string, text: string) => `-----BEGIN ${what}-----\n${text}\n-----END ${what}-----\n`
const key = pem(
  'PRIVATE KEY',
  'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgbybTXNqH1Hkb2WinYrswlfNt8ogCjDQcKWxa3qvBK4ShRANCAARzMD7Kb0tVwbeabgGduLUgbTcJ9+o3F51b3xWw59079E0JHk52hj1d2suu8DIwzPYNsHBjkywjUCE8+iNfGERF'
)
const cert = pem(
  'CERTIFICATE',
  'MIIBbzCCARWgAwIBAgIUTNob5JmqnZDQirDXrqXIjRkq6l4wCgYIKoZIzj0EAwIwDDEKMAgGA1UEAwwBeDAgFw0yNjExMjUyMDM4NDlaGA8yMTI2MTEwMTIwMzg0OVowDDEKMAgGA1UEAwwBeDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABHMwPspvS1XBt5puAZ24tSBtNwn36jcXnVvfFbDn3Tv0TQkeTnaGPV3ay67wMjDM9g2wcGOTLCNQITz6I18YREWjUzBRMB0GA1UdDgQWBBRD8889ZD44enB131u/XC6dcZebJjAfBgNVHSMEGDAWgBRD8889ZD44enB131u/XC6dcZebJjAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0gAMEUCIQDvt9CMbPcKfpWAzj6aNB+IyeAclyAp/hROTD5L9gaIkQIgZ3e+nyDrXlS7BbQeOXlievjmuQ/1/WV1mbxpMa3zt5I='
)

t.test('the error for an unreachable server explains the reason and the remedy', async t => {
  const tls = await listen(t, createHttps({ key, cert }))
  const plain = await serve(t, socket => socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n'))
  const silent = await serve(t, () => {})
  const unreachable: [string, RegExp, number?][] = [
    [
      'http://127.0.0.1:1',
      /^127\.0\.0\.1:1 cannot be reached: nothing listens there \(ECONNREFUSED\)\. Start the server/
    ],
    ['http://no-such-host.invalid', /^no-such-host\.invalid cannot be reached: no address is known/],
    [`https://127.0.0.1:${tls}`, /the certificate of 127\S+ cannot be verified: .*NODE_EXTRA_CA_CERTS/],
    [`https://${plain.host}/api`, /does not speak HTTPS: use http: in the URL/],
    [`http://127.0.0.1:${tls}/api`, /no response that can be read: .* or use https: in the URL\.$/],
    [silent.href, /accepts connections, but does not respond: no response within 0.3 s\. Check the log/, 0.3],
    [`https://${silent.host}`, /accepts connections, but does not respond/, 0.3],
    [
      (await serve(t, socket => socket.end('220 ready\r\n'))).href,
      /no response that can be read: the response is not HTTP\. Check/
    ],
    [(await serve(t, socket => socket.destroy())).href, /no response that can be read: socket hang up\. Check the log/]
  ]
  for (const [url, message, timeout = 60] of unreachable)
    await t.rejects(new RetryingClient(new URL(url), timeout).send(get, false, false), {
      name: 'CannotRunError',
      message
    })
  const says = (code: string, reason: NoResponseError['reason'], url = 'https://host.invalid') =>
    explainUnreachable(new URL(url), new NoResponseError('the message', reason, code), 1)
  t.match(await says('CERT_HAS_EXPIRED', 'silent'), /has expired: renew it\.$/)
  t.match(await says('ERR_TLS_CERT_ALTNAME_INVALID', 'silent'), /is for another name/)
  t.match(await says('ECONNRESET', 'unreachable', 'https://[::1]:1'), /^\[::1\]:1 cannot be reached: the message/)
  t.match(await says('ECONNRESET', 'unreachable', 'http://localhost:1'), /^localhost:1 cannot be reached: the message/)
  t.match(await says('EHOSTUNREACH', 'unreachable'), /^host\.invalid cannot be reached: the message\. Correct the URL/)
})

t.test('a server that fails only on its first request is judged', async t => {
  let requests = 0
  const url = await serve(t, socket => {
    if (requests++ === 0) socket.destroy()
    else socket.end(`${OK}Content-Length: 0\r\n\r\n`)
  })
  const sending = client(url)
  await t.rejects(sending.send(get, false, false), { reason: 'silent' } as never)
  t.match(await sending.send(get, false, false), { status: 200 })
})

t.test('text of a server becomes one line, without commands for a terminal or a CI', async t => {
  t.equal(
    inert('a\r\n\tb \u001b[2J\u0085 \u202e \ud800 \u2028 \ue000 ü 😀'),
    'a\\r\\n\\tb \\x1b[2J\\x85 \\u{202e} \\u{d800} \\u{2028} \\u{e000} ü 😀'
  )
  t.equal(inert('##[error] x ##vso[a] ##teamcity[b ###[c]'), '#\\x23[error] x #\\x23vso[a] #\\x23teamcity[b ##\\x23[c]')
  t.equal(inert('  ::error::x ::y'), '  \\x3a:error::x ::y', 'a command of GitHub is at the beginning of a line')
  t.equal(inert('# ## [x] a::b'), '# ## [x] a::b')
})

t.test('long secrets are masked in long texts, before the text is cut', async t => {
  const letters = 'abcdefghijklmnopqrstuvwxyz012345'
  const token = Array.from({ length: 40_000 }, (_, index) => letters[(index * index + index) % 31]).join('')
  const secrets = new Secrets()
  secrets.add(token, '<token>')
  for (let at = 0; at < 300; at++) secrets.add(`${token.slice(0, at * 100)}!${token.slice(at * 100 + 1)}`, '<changed>')
  t.equal(secrets.mask(`x ${token} `.repeat(26)), 'x <token> '.repeat(26))
  t.equal(secrets.mask(`${token.slice(0, 500)}!${token.slice(501)}`), '<changed>')
  t.equal(secrets.mask(`${'x'.repeat(490)}${token.repeat(26)}`, 500), `${'x'.repeat(490)}<token><to`)
  const shown = `${'\\u0078'.repeat(2700)}${token.repeat(26)}`
  t.equal(secrets.mask(shown, 2720), `${'x'.repeat(2700)}<token><token><token`, 'also at the end of the first block')
  const same = new Secrets()
  same.add('a'.repeat(40_000), '<token>')
  t.equal(same.mask('a'.repeat(2 ** 20), 10), '<token><to')
})

t.test('a token in a response to the login is masked, wherever it is', async t => {
  const token = 'k3JxAb9_Zq-7Yt5RwE2mUo'
  const headers = {
    'set-cookie': 'sid=short-cookie; Path=/somewhere; Max-Age=31536000, b=; other',
    location: `/start?session=${token}L`,
    authorization: 'Bearer bearer-12345'
  }
  const ofText = (text: string, headers = {}) => {
    const secrets = new Secrets()
    secrets.learn({ headers, text })
    return secrets
  }
  const ofHeaders = ofText('', headers)
  for (const secret of ['short-cookie', `${token}L`, 'bearer-12345'])
    t.match(ofHeaders.mask(secret), /^<(token|cookie)>$/)
  for (const text of ['/somewhere', '31536000']) t.equal(ofHeaders.mask(text), text, 'attributes are not secrets')
  for (const text of [
    `{"success":true,"token":"${token}",`,
    `{"data":{"access_token":"${token}"}}`,
    `{"nothing":["${token}"]}`,
    `<script>const jwt = '${token}'</script>`,
    token
  ])
    t.equal(ofText(text).mask(token), '<token>', text)
  t.equal(ofText('only-letters').mask('only-letters'), '<token>')
  t.equal(ofText('{"sid": "opaque-1"}').mask('opaque-1'), '<token>')
  t.equal(ofText(`{"id":"${'0123456789abcdef'.repeat(2)}"}`).mask('0123456789abcdef'.repeat(2)), '<token>')
  const screen =
    '{"title":"Session: Overview of 2024","action":"/auth/token/refresh-2024-again","id":"order_number_2024_id"}'
  t.equal(ofText(screen).mask(screen), screen, 'words, paths and names are not secrets')
  const many = 'word-word '.repeat(10_000)
  t.equal(ofText(`${many}${token}`).mask(token), token, 'a response with too many words is not searched to its end')
})

t.test('texts with many near matches of a pattern do not slow down the kit', async t => {
  const secrets = new Secrets()
  for (const text of ['a', 'token', 'eyJ', '\\u0041', '"\\', 'aA1', '##', ':: ', '=;, '].map(part =>
    part.repeat(2 ** 20 / part.length)
  )) {
    secrets.learn({ headers: { 'set-cookie': text.slice(0, 16_000) }, text })
    t.ok(inert(secrets.mask(text)).length > 0)
  }
})

t.test('on an older Node the command prints one line, and loads no other file', async t => {
  const folder = t.testdir()
  const outfile = join(folder, 'cli.mjs')
  buildSync({ entryPoints: [join(import.meta.dirname, '../../cli.ts')], outfile, format: 'esm' })
  t.notMatch(readFileSync(outfile, 'utf8'), /^import /m, 'an older Node cannot load a static import')
  for (const [version, status] of [
    ['16.20.2', 2],
    ['18.20.8', 2],
    ['20.18.3', 2],
    // Fails at the import, because the imported file is missing.
    ['20.19.0', 1]
  ] as const) {
    const pretend = `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'${version}'})`
    const ran = spawnSync('env', ['-u', 'NODE_OPTIONS', process.execPath, '--import', pretend, outfile], {
      encoding: 'utf8'
    })
    t.equal(ran.status, status, version)
    if (status === 2) t.match(ran.stderr, /^screen-auth-conformance needs Node 20\.19 or later, this is v[\d.]+\.\n$/)
  }
})
