// The cases of a run, the causes, the verdict and the report as text.
import t from 'tap'
import { type CheckServerOptions, checkServer, type Report } from '../index.ts'
import { explain } from '../report/causes.ts'
import { html } from '../report/html.ts'
import { junit } from '../report/junit.ts'
import {
  countLeftOut,
  demandCases,
  type Facts,
  type Failure,
  isSelected,
  OptionError,
  type Result,
  type Selection
} from '../report/report.ts'
import { resultLine, summary } from '../report/text.ts'
import {
  all,
  CARD,
  FORGED,
  failures,
  HEAD,
  LIFETIME,
  MENU,
  plain,
  reportOn,
  result,
  SCHEME,
  TOKEN
} from './sample-report.ts'
import { check, credentials, failed, skipped } from './server/check.ts'
import { conforming, json, listen, type Parts } from './server/minimal-server.ts'

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
  [/a 401 has a menu/, ...two({ status: 401 })],
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
  [
    /stays logged in/,
    fault('a', { subject: 'connection', ...menu }),
    fault('b', { subject: 'connection', status: 403 })
  ],
  [/another spelling/, ...two({ subject: 'spelling', ...menu })],
  [/reads the body .* responds with 415/, ...two({ method: 'POST', hasBody: true, status: 415 })],
  [/^PUT \/auth\/login needs no token \(405\)/, ...two({ ...form, method: 'PUT', status: 405 })],
  [/^PUT, HEAD: the response comes before/, fault('a', { method: 'PUT', status: 405 }), fault('b', { method: 'HEAD' })],
  [
    /a header or a query/,
    fault('a', { subject: 'header', method: 'PUT' }),
    fault('b', { subject: 'spelling', status: 500 })
  ],
  [/refuses GET \/auth\/login \(403\)/, ...two({ ...form, status: 403 })],
  [/in the no-auth mode/, fault('a', { subject: 'no-auth', location: '/' }), fault('b', { subject: 'no-auth' })],
  [/refuses a token that it has issued \(403\)/, ...two({ ...valid, status: 403 })],
  [/wrong or incomplete/, ...two({ ...login, isAccepted: true })],
  [/rejected login is not/, ...two(login)],
  [/of another user than that of the token/, fault('a', { ...second, ...menu }), fault('b', { ...login, ...second })],
  [
    /same token/,
    fault('a', { ...login, subject: 'second user', isAccepted: true }),
    fault('b', { ...second, ...menu })
  ],
  [/closes the connection of GET \/menu\/main/, ...two({ status: 0 })],
  [/more paths .* example \/auth\/x/, fault('a', { path: '/auth/x' }), fault('b', { path: '/login', method: 'PUT' })],
  [/^GET \/menu\/main is served/, ...two({})],
  [
    /^missing: display_name, error/,
    fault('a', { ...login, subject: 'login', missing: 'display_name' }),
    fault('b', { ...login, subject: 'login', missing: 'error' }),
    fault('c', { missing: 'display_name', token: 'valid' })
  ]
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
    /FAILED c: .*\n {2}cause: {4}unknown routes get .* Run the guard before the router\.\n {2}sent: /
  )
})

t.test('no report has a control character, or a command of a CI', async t => {
  const came = 'status 403: a\n::error::x\n##[command] ##teamcity[\u001b[2J\u2028\u202e'
  const own = [{ sent: '', expected: [came], came, facts: { ...plain, location: came } }]
  const results = [
    { ...MENU, title: came, failures: own },
    { ...HEAD, note: came }
  ]
  const report = reportOn(results, {}, { hints: [came] })
  for (const text of [JSON.stringify(report), junit(report), html(report), summary(report), summary(report, true)])
    t.notMatch(text, /^\s*::|##\w*\[|[^\P{C}\n]|\p{Zl}/mu)
  t.notMatch(resultLine({ ...HEAD, title: came, note: came }, 1, 1), /[\n\u2028]/)
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
    `name="${PASSED}" time="0"><failure message="${PASSED}"/>`
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
    '\n\nNot judged: expiry: give --secret or --key\nNot judged: menu-head; challenge: excluded',
    'Not judged: menu-head; challenge: excluded\nconforms in the 1 of 3 cases that were run'
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

const resultOf = ({ results }: Report, id: string) => results.find(result => result.id === id)

t.test('a case that cannot be judged is skipped, not passed, with the reason', async t => {
  const noForm = await check(t, { form: () => json(200, ['no form']) })
  t.match(failed(noForm), [{ id: 'form-is-json' }])
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
    [{ only: ['jwt-expired'] }, /^nothing could be checked: give --secret/],
    [{ only: ['protected-with-token'] }, /^nothing could be checked: give --protected/],
    [{ only: ['open-menu'] }, /^nothing could be checked: the case is for the other mode/]
  ]
  for (const [options, message] of cannot)
    await t.rejects(checkServer(url, { ...credentials, ...options }), { name: 'CannotRunError', message })
  const some = await check(t, {}, { secret: 'x', only: ['jwt-alg-none', 'jwt-expired', 'form-layout'] })
  t.match(skipped(some), [{ id: 'jwt-alg-none', note: 'the token is not a JWT' }, { id: 'jwt-expired' }])
})
