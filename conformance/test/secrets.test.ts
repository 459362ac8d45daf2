// No report contains a secret.
import t from 'tap'
import { inert } from '../report/report.ts'
import { Secrets } from '../report/secrets.ts'
import { check } from './server/check.ts'
import { json, response, USERNAME } from './server/minimal-server.ts'

const hex = (text: string) => Buffer.from(text).toString('hex')
const base64 = (text: string) => Buffer.from(text).toString('base64')
const units = (text: string, make: (code: number) => string) =>
  text.replace(/./gs, character => make(character.charCodeAt(0)))
const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '"': '&QUOT;', '/': '&sol;', é: '&eacute;' }
const ENCODINGS: ((text: string) => string)[] = [
  text => text,
  text => text.toUpperCase(),
  text => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/'),
  text => units(text, code => `\\u${code.toString(16).padStart(4, '0')}`),
  text => units(text, code => `\\u{${code.toString(16)}}`),
  text => hex(text).replace(/../g, '\\x$&'),
  encodeURIComponent,
  text => encodeURIComponent(text).toLowerCase(),
  text => new URLSearchParams([['', text]]).toString().slice(1),
  hex,
  text => hex(text).toUpperCase().replace(/..\B/g, '$&, 0x'),
  text => Buffer.from(text).join(', '),
  text => units(text, code => `%u${code.toString(16).padStart(4, '0')}`),
  text => base64(text).replace(/^.{12}/, '$&\r\n'),
  text => text.split('').join('\0'),
  text => Buffer.from(`ada:${text}`).toString('base64url'),
  text => units(text, code => `&#${code};`),
  text => units(text, code => `&#X${code.toString(16)};`),
  text => text.replace(/[&<"/é]/g, one => ENTITIES[one] ?? ''),
  text => Buffer.from(text).toString('latin1')
]

t.test('a secret of eight characters is masked in every encoding, and in two, but shorter ones are not', async t => {
  const secret = 'a"b c/é<&%41+'
  const short = 'é "/+&='
  const secrets = new Secrets()
  const words = { [secret]: '<secret>', [short]: '<short>', '12345678': '<half>', '1234567890': '<whole>' }
  for (const [one, word] of Object.entries(words)) secrets.add(one, word)
  secrets.learn({ headers: {}, text: 'Unauthorized' })
  t.equal(secrets.mask('Unauthorized'), 'Unauthorized')
  for (const encode of ENCODINGS) {
    t.equal(secrets.mask(`"${encode(secret)}"`), '"<secret>"', String(encode))
    t.match(secrets.mask(encodeURIComponent(encode(secret))), /<secret>/, String(encode))
    t.notMatch(secrets.mask(encode(short)), '<short>')
  }
  const others = `a%41 \\u00e9 &eacute; ${hex('a harmless text')} &#99999999; &nothing; \\ud800`
  t.equal(secrets.mask(others), others, 'everything else stays as it is')
  t.equal(secrets.mask('1234567890 12345678'), '<whole> <half>', 'the longer one of two')
  const long = 'f'.repeat(64)
  secrets.add(`${long}xyz`, '<longer>')
  secrets.add(long, '<long>')
  t.equal(secrets.mask(`"${long}xyz" "${long}"`), '"<longer>" "<long>"')
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

t.test('a report contains no secret, even if the server repeats every request', async t => {
  const password = 'it\'s "secret"+/='
  const report = await check(
    t,
    parts => ({
      checks: (username, given) => username === USERNAME && given === password,
      missing: ({ headers, body, query }) => json(403, { headers, body, query }),
      invalid: (token, { headers, body }) => json(403, { token, headers, body }),
      reject: fields => json(500, { fields, of: parts.reject(fields).body }),
      accept: (token, screen) => json(200, { ...(parts.accept(token, screen).body as object), error: token })
    }),
    { password, secret: 'the-secret-of-the-server' }
  )
  t.equal(report.conforms, false)
  const text = JSON.stringify(report)
  t.notMatch(text, /it's|secret\\"|the-secret-of/)
  t.match(text, /<password>/)
  t.match(text, /<token>/)
  t.match(text, String.raw`{\"token\":\"<token, first half>`)
})

t.test('cookies and tokens are masked, even those of a rejected login, and cookies are sent back', async t => {
  const seen: (string | undefined)[] = []
  const headers = { 'set-cookie': 'sid=0123456789abcdef; Expires=Wed, 21 Oct 2026 07:28:00 GMT; HttpOnly' }
  const report = await check(t, parts => ({
    ...response('accept')(one => ({ ...one, headers }))(parts),
    missing: ({ headers }) => {
      seen.push(headers.cookie)
      return headers.cookie ? { status: 200, body: headers.cookie } : { status: 401 }
    },
    reject: () => json(200, { success: true, token: 'given-in-error' })
  }))
  t.notMatch(JSON.stringify(report), /0123456789abcdef|given-in-error/)
  t.ok(seen.includes('sid=0123456789abcdef'))
  t.notOk(seen.some(cookie => cookie?.includes('Expires')))
})
