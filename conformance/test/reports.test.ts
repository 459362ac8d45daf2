// The cases of a run, the causes, the verdict and the report as text.
import t from 'tap'
import { html } from '../report/html.ts'
import { junit } from '../report/junit.ts'
import { countLeftOut, demandCases, isSelected, type Result, type Selection } from '../report/report.ts'
import { resultLine, summary } from '../report/text.ts'
import { all, CARD, FORGED, failures, fault, HEAD, LIFETIME, MENU, reportOn, SCHEME } from './sample-report.ts'
import { check, failed, skipped } from './server/check.ts'
import { json } from './server/minimal-server.ts'

const core = { hardening: false, advice: false }

t.test('a server is checked with the core by default, and --only, --exclude and two profiles select cases', async t => {
  const cases = [...all, { ...FORGED, also: ['5.1'] }]
  const selections: [selection: Selection, ids: string, leftOut: number][] = [
    [core, 'form-layout menu-head token', 0],
    [{ ...core, hardening: true }, 'form-layout menu-head token forged', 0],
    [{ ...core, advice: true }, 'form-layout menu-head challenge form-head token', 0],
    [{ ...core, exclude: ['token', 'forged'] }, 'form-layout menu-head', 1],
    [{ ...core, only: ['5'], exclude: ['token'] }, 'form-head forged', 4],
    [{ ...core, only: ['5.1'] }, 'forged', 5],
    [{ ...core, only: ['4', 'challenge'] }, 'menu-head challenge', 4],
    [{ ...core, only: ['2.6.1'] }, 'form-layout', 5]
  ]
  for (const [selection, ids, leftOut] of selections) {
    const selected = cases.filter(test => isSelected(test, selection)).map(({ id }) => id)
    t.strictSame([selected.join(' '), countLeftOut(cases, selection)], [ids, leftOut])
  }
  t.throws(() => demandCases({ only: ['5.'] }, cases), { message: /^there is no case and no clause '5\.' for --only$/ })
})

t.test('the line of a result has a count and the observation', async t => {
  t.equal(resultLine(HEAD, 7, 120), '  7/120 OK      OBSERVED 5.2: HEAD (form-head) → 200 | a')
  t.equal(resultLine(CARD, 7, 9), '7/9 OK      MUST     2.6.1: Card (form-layout)')
})

t.test('the report has the profiles, the verdict, each failure in short, and remarks', async t => {
  const notJudged = ['key', 'path'].map(what => ({ what, why: `give --${what}` }))
  t.equal(
    summary(reportOn([...all, LIFETIME], {}, { hints: ['Look there.'], notJudged, failedLogins: 12 })),
    `Profile: core, hardening, advice.
The server http://host/ does not conform: 2 ok, 1 failed, 1 warning, 2 skipped, in 1.2 s, with 12 logins that must fail.
Note: Look there.

FAILED menu-head: 4 rule 1: A "401" <x>
  sent:     curl -i 'http://host/menu/main'
  expected: status must be 401; the body must be JSON
  actual:   status 403: <b>]]>\`\`\` & \\x00\\u{d800}

Not judged: key: give --key
Not judged: path: give --path
WARNING challenge: The scheme
Observed: HEAD: 200 | a`
  )
  const few = summary(reportOn([CARD], core))
  t.match(few, 'Profile: core. --hardening adds word lists, odd headers and forged tokens; --advice adds what')
  t.match(summary(reportOn([CARD], {}, { side: 'client' })), /^The client /)
})

t.test('a report has at most 40 lines of at most 200 characters', async t => {
  const many = Array.from({ length: 150 }, (_, index) => ({ ...MENU, id: `case-${index}` }))
  const long = many.map(one => ({ ...one, failures: failures.map(one => ({ ...one, came: 'x'.repeat(5000) })) }))
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

// test/server/broken-servers.ts has the causes.
t.test('failures with the same cause are one paragraph, and the largest cause comes first', async t => {
  const lost = { path: '/lost', status: 404 }
  const read = { hasBody: true, status: 415 }
  const mixed = fault('mixed', lost, read)
  const results = [MENU, fault('a', read), fault('b', read), mixed, ...Array(9).fill(fault('lost', lost))]
  const paragraph = `
9 failed cases have one cause: unknown routes get their response (404) before the guard runs.
  Run the guard before the router.
  cases:    lost
  sent:     curl of lost
  actual:   status
2 failed cases have one cause: the server reads the body `
  const page = summary(reportOn(results))
  t.match(page, paragraph)
  t.match(page, /\n {2}cases: {4}a, b\n(.*\n){2}FAILED menu-head: (.*\n){4}FAILED mixed: /)
  const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
  t.match(summary(reportOn(ids.map(id => fault(id, lost)))), /cases: {4}a, b, c, d, e, f, and 2 more\n/)
  t.match(
    summary(reportOn([fault('a', lost)])),
    /FAILED a: .*\n {2}cause: {4}unknown routes get .* Run the guard before the router\.\n {2}sent: /
  )
})

t.test('no report has a control character, or a command of a CI', async t => {
  const came = 'status 403: a\n::error::x\n##[command] ##teamcity[\u001b[2J\u2028\u202e'
  const failures = [{ sent: '', expected: [came], came }]
  const faults = ['a', 'b'].map(id => fault(id, { subject: 'first request', status: 302, location: came }))
  const results = [{ ...MENU, title: came, failures }, ...faults, { ...HEAD, note: came }]
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
  'a failed SHOULD': [[[SCHEME, HEAD]], [true, true], ' conforms: 1 ok, 0 failed'],
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

t.test('a case that cannot be judged is skipped, not passed, with the reason', async t => {
  for (const [accept, note] of [
    [() => json(200, []), 'it needs a screen'],
    [() => json(500, 'crash'), 'it needs a token, but the login returned no token']
  ] as const) {
    const report = await check(t, { accept }, { only: ['login-is-json', 'login-display-name', 'token-admits'] })
    t.match(failed(report), [{ id: 'login-is-json' }])
    t.ok(skipped(report).some(result => result.note === note))
  }
})

t.test('a case that is selected by id but cannot be checked is an error, unless another one is judged', async t => {
  const cannot: [string, RegExp][] = [
    ['jwt-alg-none', /^nothing could be checked: the token is not a JWT/],
    ['protected-with-token', /^nothing could be checked: give --protected/],
    ['open-menu', /^nothing could be checked: the case is for the other mode/]
  ]
  for (const [id, message] of cannot) await t.rejects(check(t, {}, { only: [id] }), { name: 'CannotRunError', message })
  t.match(skipped(await check(t, {}, { only: ['jwt-alg-none', 'form-layout'] })), [{ id: 'jwt-alg-none' }])
})
