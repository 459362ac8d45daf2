// The content of a report in each format, and that it contains no secret.
import t from 'tap'
import { type CheckServerOptions, checkServer, type Level, type Report, type Status } from '../index.ts'
import { explain } from '../report/causes.ts'
import { junit } from '../report/junit.ts'
import {
  countLeftOut,
  demandCases,
  type Facts,
  type Failure,
  inert,
  isSelected,
  makeReport,
  markKnown,
  OptionError,
  type Result,
  type Selection
} from '../report/report.ts'
import { Secrets } from '../report/secrets.ts'
import { resultLine, summary } from '../report/text.ts'
import { check, credentials, failed, skipped } from './server/check.ts'
import { conforming, json, listen, type Parts, response, USERNAME } from './server/minimal-server.ts'

const failures = [
  {
    sent: "curl -i 'http://host/menu/main'",
    expected: ['status must be 401', 'the body must be JSON'],
    came: 'status 403: <b>]]>``` & \u0000\uD800'
  }
]

function result(id: string, clause: string, level: Level, title: string, status: Status, more = {}): Result {
  return { id, clause, level, title, status, ...more }
}

const CARD = result('form-layout', '2.6.1', 'MUST', 'Card', 'ok')
const MENU = result('menu-head', '4 rule 1', 'MUST', 'A "401" <x>', 'failed', { failures })
const SCHEME = result('challenge', '7 missing token', 'SHOULD', 'The scheme', 'warning', { failures })
const HEAD = result('form-head', '5.2', 'OBSERVED', 'HEAD', 'ok', { note: '200 | a' })
const TOKEN = result('token', '5.2', 'MUST', 'Token', 'skipped', { note: 'no <token>' })
const FORGED = result('forged', '5.3.2', 'MUST', 'Forged', 'ok', { hardening: true })
const LIFETIME = result('lifetime', '5.3.2', 'OBSERVED', 'Ends', 'skipped', { note: 'it needs a lifetime' })
const all = [CARD, MENU, SCHEME, HEAD, TOKEN]

/** Returns the report on results, with the known failures of the selection marked. */
function reportOn(results: Result[], selection: Selection = {}, more: Partial<Report> = {}): Report {
  const about = { side: 'server' as const, target: 'http://host/', version: '1.2.3', duration: 1234, hints: [] }
  const marked = results.map(result => markKnown(result, selection))
  return makeReport({ ...about, ...more }, marked, selection)
}

t.test('a server is checked with the core by default, and two profiles can be added', async t => {
  const run = (selection: Selection) =>
    [...all, FORGED]
      .filter(test => isSelected(test, selection))
      .map(({ id }) => id)
      .join(' ')
  t.equal(run({ hardening: false, advice: false }), 'form-layout menu-head token')
  t.equal(run({ hardening: true, advice: false }), 'form-layout menu-head token forged')
  t.equal(run({ hardening: false, advice: true }), 'form-layout menu-head challenge form-head token')
  t.equal(run({}), 'form-layout menu-head challenge form-head token forged', 'all profiles for a client')
})

t.test('--only selects ids and clauses of any profile, and --exclude removes cases from them', async t => {
  const cases = [...all, { ...FORGED, also: ['5.1'] }]
  const run = (...only: string[]) =>
    cases.filter(test => isSelected(test, { only, advice: false, exclude: ['token'] })).map(({ id }) => id)
  t.strictSame(run('5.2'), ['form-head'])
  t.strictSame(run('5'), ['form-head', 'forged'])
  t.strictSame(run('5.1'), ['forged'])
  t.strictSame(run('4', 'challenge'), ['menu-head', 'challenge'])
  t.strictSame(run('2.6.1'), ['form-layout'])
  const core = { hardening: false, advice: false }
  t.equal(countLeftOut(cases, { ...core, exclude: ['token', 'forged'] }), 1, 'a profile leaves nothing out')
  t.equal(countLeftOut(cases, { ...core, only: ['5.2'] }), 4)
  t.throws(
    () => demandCases({ only: ['5.'] }, cases),
    new OptionError("there is no case and no clause '5.' for --only")
  )
})

t.test('the line of a result has a count and the observation', async t => {
  t.equal(resultLine(HEAD, 7, 120), '  7/120 OK      OBSERVED 5.2: HEAD (form-head) → 200 | a')
  t.equal(resultLine(CARD, 7, 9), '7/9 OK      MUST     2.6.1: Card (form-layout)')
})

t.test('the report has the profiles, the verdict, each failure in short, and remarks', async t => {
  const notJudged = [
    { what: 'expiry', why: 'give --key' },
    { what: 'routes', why: 'give --protected' }
  ]
  const page = summary(reportOn([...all, LIFETIME], {}, { hints: ['Look there.'], notJudged, failedLogins: 12 }))
  t.equal(
    page,
    `Profile: core, hardening, advice.
The server http://host/ does not conform: 2 ok, 1 failed, 1 warning, 2 skipped, in 1.2 s, with 12 logins that must fail.
Note: Look there.

FAILED menu-head: 4 rule 1: A "401" <x>
  sent:     curl -i 'http://host/menu/main'
  expected: status must be 401; the body must be JSON
  actual:   status 403: <b>]]>\`\`\` & \\x00\\u{d800}

Not judged: expiry: give --key
Not judged: routes: give --protected
WARNING challenge: The scheme
Observed: HEAD: 200 | a`.replaceAll('\\`', '`')
  )
  const few = summary(reportOn([CARD], { hardening: false, advice: false }))
  t.match(few, 'Profile: core. --hardening adds word lists, odd headers and forged tokens; --advice adds what')
  t.match(
    summary(reportOn([CARD], { only: ['2.6'] })),
    /^Only the cases of --only were run\.\n.* conforms: 1 ok, 0 failed, in/
  )
  t.match(summary(reportOn([CARD], {}, { side: 'client' })), /^The client /)
})

t.test('a report has at most 40 lines of at most 200 characters', async t => {
  const many = Array.from({ length: 150 }, (_, index) => ({ ...MENU, id: `case-${index}` }))
  const [failure] = failures
  const long = many.map(one => ({ ...one, failures: [{ ...failure, came: 'x'.repeat(5000) } as Failure] }))
  const notes = {
    target: `http://${'x'.repeat(3000)}`,
    hints: Array(30).fill(`${'a long note '.repeat(50)}${'y'.repeat(300)}`)
  }
  for (const results of [many, long, [...long, ...Array(40).fill(SCHEME)]])
    for (const more of [{}, notes]) {
      const lines = summary(reportOn(results, {}, more)).split('\n')
      t.ok(lines.length < 40, String(lines.length))
      t.ok(lines.every(line => line.length <= 200))
      t.match(lines.join('\n'), /\n\d+ more failed: --verbose shows all/)
    }
  t.match(summary(reportOn([CARD], {}, notes)), /\n\d+ more lines: --verbose shows all$/)
})

t.test('--verbose shows each failure in full', async t => {
  const text = summary(reportOn([{ ...MENU, failures: Array(5).fill(failures[0]) }, SCHEME, CARD]), true)
  t.equal(text.split('sent:').length, 7)
  t.match(
    text,
    'FAILED menu-head: A "401" <x>\n  contract: 4 rule 1 (MUST): The client first requests `GET /menu/main`.'
  )
  t.match(text, /\n\nProfile: .*\nThe server .* does not conform: 1 ok, 1 failed, 1 warning/)
})

const plain: Facts = {
  subject: 'guard',
  method: 'GET',
  path: '/menu/main',
  isOwnRoute: false,
  token: 'none',
  hasBody: false,
  status: 200,
  isScreen: false,
  isForm: false,
  isAccepted: false
}

function fault(id: string, ...facts: Partial<Facts>[]): Result {
  const own = facts.map(some => ({ sent: `curl of ${id}`, expected: [], came: 'status', facts: { ...plain, ...some } }))
  return result(id, '', 'MUST', '', 'failed', { failures: own })
}

const two = (facts: Partial<Facts>) => ['a', 'b'].map(id => fault(id, facts))

const menu = { isScreen: true }
const lost = { path: '/lost', status: 404 }
const form = { path: '/auth/login', isForm: true }
const login: Partial<Facts> = { subject: 'rejection', path: '/auth/login', method: 'POST', hasBody: true }
const first = { subject: 'first request' } as const
const bad = { token: 'invalid' } as const
const elsewhere = { subject: 'elsewhere' } as const
const expired = { subject: 'expiry', ...bad } as const
const valid = { token: 'valid' } as const
const second = { subject: 'second user', ...valid } as const

/** The text of each cause, and the cases that it explains. The first case is the example. */
const CAUSES: [RegExp, ...Result[]][] = [
  [
    /the route \/own of --protected/,
    fault('a', { path: '/own', isOwnRoute: true }),
    fault('b', { path: '/own', isOwnRoute: true, ...bad })
  ],
  [/^GET \/menu\/main is served without a token/, fault('a', { ...first, ...menu }), fault('b', { ...lost, ...bad })],
  [/with 403, not with 401/, fault('a', { ...first, status: 403 }), fault('b', { ...bad, status: 403 })],
  [
    /with 302 and Location: \/in, not/,
    fault('a', { ...first, status: 302, location: '/in' }),
    fault('b', { ...lost, status: 302 })
  ],
  [
    /with 200 and the login form, not/,
    fault('a', { ...first, ...menu, isForm: true }),
    fault('b', { ...menu, isForm: true })
  ],
  [/missing token gets 401, but an invalid token gets 403/, ...two({ ...bad, status: 403 })],
  [
    /unknown routes .*\(404\)/,
    fault('a', lost),
    fault('b', lost, { method: 'OPTIONS' }),
    fault('c', { ...lost, ...expired })
  ],
  [
    /expired token/,
    fault('a', { ...expired, ...menu }),
    fault('b', { ...expired, ...lost }),
    fault('c', { ...expired, ...valid })
  ],
  [/accepts a token that it has not issued/, fault('a', { ...bad, ...menu }), fault('b', { ...bad, ...lost })],
  [/outside of Authorization/, fault('a', { ...menu, ...elsewhere }), fault('b', { ...lost, ...elsewhere, ...bad })],
  [/reads the body .* responds with 415/, ...two({ method: 'POST', hasBody: true, status: 415 })],
  [/^PUT gets its response \(405\)/, ...two({ method: 'PUT', status: 405 })],
  [/refuses the login form \(403\)/, ...two({ ...form, status: 403 })],
  [/refuses a token that it has issued \(403\)/, ...two({ ...valid, status: 403 })],
  [/wrong or incomplete/, ...two({ ...login, isAccepted: true })],
  [/rejected login is not/, ...two(login)],
  [/mixes up its users/, ...two({ ...second, ...menu })],
  [/^display_name is missing/, ...two({ ...login, subject: 'login', missing: 'display_name' })]
]

t.test('failures with the same cause are one paragraph', async t => {
  const other = fault('claims', { ...login, subject: 'login' })
  for (const [what, ...results] of CAUSES) {
    const { causes, others } = explain([other, ...results, MENU])
    t.match(causes, [{ what, results, example: results[0]?.failures?.[0] }])
    t.equal(causes.length, 1, String(what))
    t.strictSame(others, [other, MENU])
  }
  const many = Array.from({ length: 9 }, (_, index) => fault(`lost-${index}`, lost))
  t.match(
    summary(reportOn([MENU, ...many])),
    `

9 failed cases have one cause: unknown routes get their response (404) before the guard runs.
  Run the guard before the router.
  cases:    lost-0, lost-1, lost-2, lost-3, lost-4, lost-5, and 3 more
  sent:     curl of lost-0
  actual:   status
FAILED menu-head: 4 rule 1`
  )
})

t.test('the largest cause comes first, and a single failure also says how to fix it', async t => {
  const results = [...two({ status: 415, hasBody: true }), ...['c', 'd', 'e'].map(id => fault(id, lost))]
  t.match(
    summary(reportOn(results)),
    /3 failed cases .*\n.*\n {2}cases: {4}c, d, e\n(.*\n){2}2 failed cases have one cause/
  )
  t.strictSame(explain([fault('c', lost, login)]).causes, [], 'a cause explains all failures of a case')
  t.match(
    summary(reportOn([fault('c', lost)])),
    /FAILED c: .*\n {2}fix: {6}Run the guard before the router\.\n {2}sent: /
  )
})

t.test('no report has a control character, a command of a CI, or a special character of XML', async t => {
  const came = 'status 403: a\n::error::x\n##[command] ##teamcity[\u001b[2J\u2028\u202e'
  const own = [{ sent: '', expected: [came], came, facts: { ...plain, location: came } }]
  const results = [
    { ...MENU, title: came, failures: own },
    { ...HEAD, note: came }
  ]
  const report = reportOn(results, {}, { hints: [came] })
  for (const text of [JSON.stringify(report), junit(report), summary(report), summary(report, true)])
    t.notMatch(text, /^\s*::|##\w*\[|[^\P{C}\n]|\p{Zl}/mu)
  t.notMatch(resultLine({ ...HEAD, title: came, note: came }, 1, 1), /[\n\u2028]/)
  const xml = junit(reportOn(all))
  for (const part of [
    '<testsuite name="screen-auth-conformance http://host/" tests="5" failures="1" errors="0" skipped="1" time="1.234">',
    '<testcase classname="contract 2.6.1 MUST" name="form-layout: Card"></testcase>',
    '<failure type="MUST" message="A &#34;401&#34; &#60;x&#62;">',
    '&#60;b&#62;]]&#62;``` &#38; \\x00\\u{d800}</failure>',
    '<system-out>200 | a</system-out>',
    '<system-out>The scheme\n',
    '<skipped message="no &#60;token&#62;"/>'
  ])
    t.ok(xml.includes(part), part)
})

const PASSED = 'form-layout no longer fails: remove it from --expect-failures'
const UNJUDGED = { leftOut: 2, notJudged: [{ what: 'expiry', why: 'give --secret or --key' }] }

/** By what a run met: the arguments of `reportOn`, `conforms` and `asExpected`, and texts of the page or the JUnit XML. */
const VERDICTS: Record<string, [Parameters<typeof reportOn>, [conforms: boolean, asExpected: boolean], ...string[]]> = {
  'a failed MUST': [[all], [false, false], 'does not conform: 2 ok, 1 failed, 1 warning, 1 skipped, in'],
  'a failed SHOULD': [[[SCHEME, HEAD, TOKEN]], [true, true], ' conforms: 1 ok, 0 failed'],
  'an obstacle': [
    [[CARD], {}, { obstacle: 'time is over' }],
    [false, false],
    'could not be judged: time is over: 1 ok',
    'tests="2" failures="0" errors="1"',
    '<error message="time is over"/>'
  ],
  'a failure and an obstacle': [[[MENU], {}, { obstacle: 'gone' }], [false, false], 'does not conform: gone: 0 ok'],
  'known failures': [
    [all, { expectFailures: ['menu-head', 'challenge'] }],
    [false, true],
    '\nKnown: menu-head; challenge\n',
    'does not conform: it has 1 known failure, and no other failures: 2 ok, 0 failed, 1 skipped, 2 known, in',
    'tests="5" failures="0" errors="0" skipped="3"',
    '<skipped message="known failure"/><system-out>sent: curl -i'
  ],
  'an expected failure that passes': [
    [[CARD], { expectFailures: ['form-layout', 'form-layout'] }],
    [true, false],
    `\nFailed: ${PASSED}`,
    'conforms; but --expect-failures is wrong: 1 ok',
    `tests="2" failures="1"`,
    `name="${PASSED}"><failure message="${PASSED}"/>`
  ],
  'expected failures that were not judged': [
    [all, { expectFailures: ['token', 'menu-head', 'open-menu'] }],
    [false, false],
    'token was skipped (no <token>): remove it from --expect-failures, or let the kit judge it',
    'open-menu was not run: remove it from --expect-failures, or let the kit run it'
  ],
  'cases left out': [
    [[CARD], { exclude: ['menu-head', 'challenge'] }, UNJUDGED],
    [true, true],
    'The server http://host/ conforms in the 1 of 3 cases that were run',
    '\n\nNot judged: expiry: give --secret or --key\nNot judged: menu-head, challenge: excluded',
    'Not judged: menu-head, challenge: excluded\nconforms in the 1 of 3 cases that were run'
  ]
}

for (const [name, [args, [conforms, asExpected], ...texts]] of Object.entries(VERDICTS))
  t.test(`the verdict after ${name}`, async t => {
    const report = reportOn(...args)
    t.match(report, { conforms, asExpected })
    for (const text of texts) t.match(summary(report) + junit(report), text)
  })

t.test('a known failure is marked in its line and in full', async t => {
  const known = reportOn(all, { expectFailures: ['menu-head'] })
  t.equal(resultLine(known.results[1] as Result, 2, 5).slice(0, 11), '2/5 KNOWN  ')
  t.match(summary(known, true), /^KNOWN menu-head: A .*\n {2}contract: /)
})

/** Encodings of a secret in the body or the headers of a response. */
const hex = (text: string) => Buffer.from(text).toString('hex')
const base64 = (text: string) => Buffer.from(text).toString('base64')
const units = (text: string, make: (code: number) => string) =>
  text.replace(/./gs, character => make(character.charCodeAt(0)))
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
  text =>
    text
      .replace('&', '&amp;')
      .replace('<', '&lt;')
      .replace('"', '&QUOT;')
      .replace('/', '&sol;')
      .replace('é', '&eacute;'),
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

const resultOf = ({ results }: Report, id: string) => results.find(result => result.id === id)

t.test('a case that cannot be judged is skipped, not passed, with the reason', async t => {
  const noForm = await check(t, { form: () => json(200, ['no form']) })
  t.match(failed(noForm), [{ id: 'form-is-json' }, { id: 'form-with-valid-token' }])
  t.equal(resultOf(noForm, 'form-username-type')?.status, 'skipped')
  for (const [accept, note] of [
    [() => json(200, []), 'it needs a screen'],
    [() => json(500, 'crash'), 'it needs a token, but the login returned no token']
  ] as const) {
    const report = await check(t, { accept }, { only: ['login-is-json', 'login-display-name', 'token-admits'] })
    t.match(resultOf(report, 'login-is-json'), { status: 'failed' })
    t.ok(skipped(report).some(result => result.note === note))
  }
  const raw: Parts['raw'] = ({ method }, _, response) => method === 'HEAD' && response.destroy().destroyed
  const { results } = await check(t, { raw }, { only: ['form-head'] })
  t.match(results, [{ id: 'form-head', status: 'ok', note: 'socket hang up' }])
})

t.test('a case that is selected by id but cannot be checked is an error', async t => {
  const url = await listen(t, 'jwt', conforming('jwt'))
  const cannot: [CheckServerOptions, RegExp][] = [
    [{ only: ['jwt-expired'] }, /^nothing could be checked: it needs the key that signs the tokens: --secret or --key/],
    [{ only: ['protected-with-token'] }, /^nothing could be checked: it needs a further route: --protected/],
    [{ only: ['open-menu'] }, /^nothing could be checked: the case is for the other mode/]
  ]
  for (const [options, message] of cannot)
    await t.rejects(checkServer(url, { ...credentials, ...options }), { name: 'CannotRunError', message })
  const some = await check(t, {}, { secret: 'x', only: ['jwt-alg-none', 'jwt-expired', 'form-layout'] })
  t.match(skipped(some), [{ id: 'jwt-alg-none', note: 'the token is not a JWT' }, { id: 'jwt-expired' }])
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
  t.match(text, /<token, first half>/)
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
