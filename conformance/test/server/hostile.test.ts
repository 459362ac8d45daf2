import dns from 'node:dns'
import { createServer as createHttps } from 'node:https'
import t from 'tap'
import { inert } from '../../report/report.ts'
import { Secrets } from '../../report/secrets.ts'
import { RetryingClient } from '../../server/retrying-client.ts'
import { serve } from './check.ts'
import { listenOn } from './minimal-server.ts'

const get = { method: 'GET', path: '/', headers: [] as [string, string][] }

t.test('after the deadline no request is sent, and an unfinished request is not judged', async t => {
  let requests = 0
  const url = await serve(t, socket => {
    if (requests++ === 0) socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
  })
  const over = { message: 'the run reached its time limit' }
  const sending = new RetryingClient(url, 60, performance.now() + 1000, () => {})
  await sending.send(get, false, false)
  await t.rejects(sending.send(get, false, false), over, 'the deadline interrupts it')
  await t.rejects(sending.send(get, false, false), over)
  t.equal(requests, 2)
  t.equal(sending.isServerGone, false)
})

t.test('a login makes one pause that the server demands, of any length before the deadline', async t => {
  const pauses: number[] = []
  const client = async (after: number, deadline = 1e9) => {
    const busy = `HTTP/1.1 429 Busy\r\nRetry-After: ${after}\r\nContent-Length: 0\r\n\r\n`
    const url = await serve(t, socket => socket.end(busy))
    return new RetryingClient(url, 60, performance.now() + deadline, seconds => pauses.push(seconds))
  }
  await t.rejects((await client(1)).send(get, true, false), /limits requests/)
  t.strictSame(pauses, [1])
  await t.rejects((await client(60, 30_000)).send(get, true, false), /for 60 s more/)
  await t.rejects((await client(60)).send(get, false, false), /for 60 s more/, 'other requests wait 30 s in total')
  t.strictSame(pauses, [1])
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
  const tls = await listenOn(t, createHttps({ key, cert }))
  const plain = await serve(t, socket => socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n'))
  const silent = await serve(t, () => {})
  const addresses = ['127.0.0.1', '::1'].map(address => ({ address, family: address === '::1' ? 6 : 4 }))
  const { lookup } = dns
  t.teardown(() => {
    dns.lookup = lookup
  })
  dns.lookup = ((host: string, ...rest: [object, (error: null, found: object) => void]) =>
    host === 'two.invalid' ? rest[1](null, addresses) : lookup(host, ...(rest as [never, never]))) as never
  const unreachable: [string, RegExp, number?][] = [
    ['http://two.invalid:1', /^two\.invalid:1 cannot be reached: .*ECONNREFUSED/],
    ['http://127.0.0.1:1', /^127\.0\.0\.1:1 cannot be reached: .*ECONNREFUSED.*\. Correct the URL/],
    ['https://no-such-host.invalid', /^no-such-host\.invalid cannot be reached: .*(ENOTFOUND|EAI_)/],
    ['http://[::1]:1', /^\[::1\]:1 cannot be reached: /],
    [`https://127.0.0.1:${tls}`, /the certificate of 127\S+ cannot be verified: .*NODE_EXTRA_CA_CERTS/],
    [`https://${plain.host}`, /no response that can be read: .* or use http: in the URL\.$/],
    [`http://127.0.0.1:${tls}`, /no response that can be read: .* or use https: in the URL\.$/],
    [`https://${silent.host}`, /accepts connections, but does not respond: no response within 0.3 s\. Check the/, 0.3]
  ]
  for (const [url, message, timeout = 60] of unreachable) {
    const client = new RetryingClient(new URL(url), timeout, 1e9, () => {})
    await t.rejects(client.send(get, false, false), { name: 'CannotRunError', message }, url)
  }
})

t.test('a long secret is masked before the text is cut', async t => {
  const token = 'abcdefghij0123456789'.repeat(2000)
  const secrets = new Secrets()
  secrets.add(token, '<token>')
  t.equal(secrets.mask(`x ${token} `.repeat(26)), 'x <token>')
  t.equal(secrets.mask(`${'x'.repeat(495)}${token.repeat(2)}`, 500), `${'x'.repeat(495)}<toke`)
  secrets.add('cobol-60', '<password>')
  for (const spell of [(text: string) => text, (text: string) => text.replace(/./g, one => `&#${one.charCodeAt(0)};`)])
    t.match(secrets.mask(`${'x'.repeat(490)}${spell('cobol-60')} ${'y'.repeat(9 * 2 ** 20)}`, 500), /x<password>?$/)
})

t.test('a token in a response to the login is masked, wherever it is', async t => {
  const token = 'k3JxAb9_Zq-7Yt5RwE2mUo'
  const hex = '0123456789abcdef'.repeat(2)
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
  for (const [text, secret] of [
    [`{"nothing":["${token}"]}`, token],
    [`<script>const jwt = '${token}'</script>`, token],
    ['only-letters', 'only-letters'],
    ['{"sid": "opaque-1"}', 'opaque-1'],
    [`{"id":"${hex}"}`, hex]
  ] as const)
    t.equal(ofText(text).mask(secret), '<token>', text)
  const screen =
    '{"title":"Session: Overview of 2024","action":"/auth/token/refresh-2024-again","id":"order_number_2024_id"}'
  t.equal(ofText(screen).mask(screen), screen, 'words, paths and names are not secrets')
  const many = 'word-word '.repeat(10_000)
  t.equal(ofText(`${many}${token}`).mask(token), token, 'a response with too many words is not searched to its end')
})

t.test('texts with many near matches of a pattern do not slow down the kit', async t => {
  const secrets = new Secrets()
  for (const part of ['a', 'token', 'eyJ', '\\u0041', '"\\', 'aA1', '##', ':: ', '=;, ']) {
    const text = part.repeat(2 ** 20 / part.length)
    secrets.learn({ headers: { 'set-cookie': text.slice(0, 16_000) }, text })
    t.ok(inert(secrets.mask(text)).length > 0)
  }
})
