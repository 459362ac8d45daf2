// What a report says, in each of its forms, and that it holds no secret.
import t from 'tap'
import { type CheckServerOptions, checkServer, type Level, type Report, type Status } from '../index.ts'
import { junit } from '../report/junit.ts'
import { makeReport, markKnown, type Result, type Selection } from '../report/report.ts'
import { Secrets } from '../report/secrets.ts'
import { resultLine, summary } from '../report/text.ts'
import { serverCases } from '../server/cases/index.ts'
import { body, opens, response } from './server/broken-parts.ts'
import { check, checkListener, credentials, failed, skipped } from './server/check.ts'
import { conforming, json, listen, PASSWORD, USERNAME } from './server/minimal-server.ts'

const failures = [
  {
    sent: "curl -i 'http://host/menu/main'",
    expected: ['status must be 401', 'the body must be JSON'],
    came: 'status 403\n\n<b>]]>``` & \u0000\uD800'
  }
]

function result(id: string, clause: string, level: Level, title: string, status: Status, more = {}): Result {
  return { id, clause, level, title, status, ...more }
}

const CARD = result('form-layout', '2.6.1', 'MUST', 'Card', 'ok')
const MENU = result('menu-head', '4 rule 1', 'MUST', 'A "401" <x>', 'failed', { failures })
const SCHEME = result('challenge', '4 rule 1', 'SHOULD', 'The scheme', 'warning', { failures })
const HEAD = result('form-head', '5.2', 'OBSERVED', 'HEAD', 'ok', { note: '200 | a' })
const TOKEN = result('token', '5.2', 'MUST', 'Token', 'skipped', { note: 'no <token>' })
const all = [CARD, MENU, SCHEME, HEAD, TOKEN]

/** The report on results, of which some failures may be known. */
function reportOn(results: Result[], selection: Selection = {}, more: Partial<Report> = {}): Report {
  const about = { side: 'server' as const, target: 'http://host/', version: '1.2.3', duration: 1234, hints: [] }
  const marked = results.map(result => markKnown(result, selection))
  return makeReport({ ...about, ...more }, marked, selection)
}

t.test('a report conforms when no MUST has failed', async t => {
  t.match(reportOn(all), { conforms: false, counts: { ok: 2, failed: 1, warning: 1, skipped: 1, known: 0 } })
  t.equal(reportOn([SCHEME, HEAD, TOKEN]).conforms, true)
})

t.test('the line of a result has a count, and what was observed', async t => {
  t.equal(resultLine(HEAD, 7, 120), '  7/120 OK      OBSERVED 5.2: HEAD (form-head) → 200 | a')
  t.equal(resultLine(CARD, 7, 9), '7/9 OK      MUST     2.6.1: Card (form-layout)')
})

t.test('the summary has each failure at length, a table by clause and the verdict', async t => {
  const text = summary(reportOn(all, {}, { hints: ['Look there.'] }))
  for (const part of [
    'FAILED menu-head: A "401" <x>',
    'contract: 4 rule 1 (MUST): The client first requests `GET /menu/main`.',
    "sent:     curl -i 'http://host/menu/main'",
    'expected: status must be 401\n            the body must be JSON',
    'came:     status 403',
    'WARNING challenge',
    'clause    ok  failed  warning  skipped',
    '2.6.1      1       ·        ·        ·',
    '4 rule 1   ·       1        1        ·',
    '5.2        1       ·        ·        1',
    'Note: Look there.',
    'The server http://host/ does not conform: 2 ok, 1 failed, 1 warnings, 1 skipped, in 1.2 s.'
  ])
    t.ok(text.includes(part), part)
  t.match(summary(reportOn([CARD])), /^clause {2}ok.* conforms: 1 ok, 0 failed/s)
})

t.test('a report without failures does not conform when there was an obstacle', async t => {
  const stopped = reportOn([CARD], {}, { obstacle: 'it is gone' })
  t.equal(stopped.conforms, false)
  t.match(summary(stopped), 'does not conform: it is gone: 1 ok')
})

t.test('of many failures of one case the first three are shown', async t => {
  const text = summary(reportOn([{ ...MENU, failures: Array(5).fill(failures[0]) }]))
  t.equal(text.split('sent:').length, 4)
  t.match(text, /and 2 more like these/)
})

t.test('JUnit XML holds every character that a server sends', async t => {
  const xml = junit(reportOn(all))
  for (const part of [
    '<testsuite name="screen-auth-conformance http://host/" tests="5" failures="1" skipped="1" time="1.234">',
    '<testcase classname="contract 2.6.1 MUST" name="form-layout: Card"></testcase>',
    '<failure type="MUST" message="A &#34;401&#34; &#60;x&#62;">',
    '&#60;b&#62;]]&#62;``` &#38; \uFFFD\uFFFD</failure>',
    '<system-out>200 | a</system-out>',
    '<system-out>The scheme\n',
    '<skipped message="no &#60;token&#62;"/>'
  ])
    t.ok(xml.includes(part), part)
})

t.test('with known failures a side does not conform, and nothing else is wrong', async t => {
  const known = reportOn(all, { expectFailures: ['menu-head', 'challenge'] })
  t.match(known, { conforms: false, asExpected: true, counts: { ok: 2, failed: 0, known: 2, warning: 0 } })
  t.equal(reportOn(all).asExpected, false)
  t.equal(resultLine(known.results[1] as Result, 2, 5).slice(0, 11), '2/5 KNOWN  ')
  const text = summary(known)
  t.match(text, 'clause    ok  failed  warning  skipped  known')
  t.match(text, '\n\nKNOWN menu-head: A "401" <x>\nKNOWN challenge: The scheme\n\n')
  t.match(
    text,
    'does not conform: it has 1 known failure, and no others: 2 ok, 0 failed, 0 warnings, 1 skipped, 2 known, in'
  )
  const xml = junit(known)
  t.match(xml, 'tests="5" failures="0" skipped="3"')
  t.match(xml, '<skipped message="known failure"/><system-out>curl -i')
  const two = reportOn([MENU, MENU], { expectFailures: ['menu-head'] })
  t.match(summary(two), 'it has 2 known failures, and no others:')
})

t.test('a known SHOULD alone does not keep a side from conforming', async t => {
  const one = reportOn([SCHEME], { expectFailures: ['challenge'] })
  t.match(one, { conforms: true, asExpected: true })
  t.match(summary(one), 'The server http://host/ conforms: 0 ok')
})

t.test('an expected failure that does not fail is a failure of the run', async t => {
  const wrong = reportOn([CARD], { expectFailures: ['form-layout'] })
  const sentence = 'form-layout no longer fails: take it out of --expect-failures'
  t.match(wrong, { conforms: true, asExpected: false, wrongExpectations: [sentence] })
  t.match(summary(wrong), `\nFailed: ${sentence}\n`)
  t.match(summary(wrong), 'conforms; but --expect-failures is wrong: 1 ok')
  t.match(junit(wrong), 'tests="2" failures="1"')
  t.match(junit(wrong), `name="${sentence}"><failure message="${sentence}"/>`)
})

t.test('so is one that was skipped, or not judged at all', async t => {
  const { asExpected, wrongExpectations } = reportOn(all, {
    expectFailures: ['token', 'menu-head', 'open-menu']
  })
  t.equal(asExpected, false)
  t.strictSame(wrongExpectations, [
    'token was skipped (no <token>): take it out of --expect-failures, or let it be judged',
    'open-menu was not judged: take it out of --expect-failures'
  ])
})

t.test('of the results of an expected failure one must fail', async t => {
  const { asExpected } = reportOn([{ ...MENU, status: 'ok' }, MENU], { expectFailures: ['menu-head'] })
  t.equal(asExpected, true)
})

t.test('a run of some cases says so wherever it says "conforms", and names what was not judged', async t => {
  const partial = reportOn(
    [CARD],
    { exclude: ['menu-head', 'challenge'] },
    { leftOut: 2, notJudged: [{ what: 'expiry', give: '--secret or --key' }] }
  )
  const words = 'conforms in the 1 of 3 cases that were run'
  const remarks = 'Not judged: menu-head, challenge: excluded\nNot judged: expiry: give --secret or --key\n'
  t.match(summary(partial), `\n\n${remarks}\nThe server http://host/ ${words}`)
  t.match(junit(partial), `<system-out>${remarks}${words}`)
})

t.test('secrets of eight characters are masked in every encoding, and control characters escaped', async t => {
  const secret = 'a"b c/é1'
  const short = 'é "/+&='
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  const secrets = new Secrets()
  const words = { [secret]: '<secret>', [short]: '<short>', '12345678': '<half>', '1234567890': '<whole>' }
  for (const [one, word] of Object.entries(words)) secrets.add(one, word)
  const escaped = '\\u0061\\u0022\\u0062\\u0020\\u0063\\u002f\\u00E9\\u0031'
  const spellings = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), base64(secret), escaped]
  for (const text of spellings) t.equal(secrets.mask(`-${text}-`), '-<secret>-', text)
  for (const text of [short, encodeURIComponent(short), base64(short)]) t.equal(secrets.mask(text), text)
  t.equal(secrets.mask('1234567890 12345678'), '<whole> <half>', 'of two the longer one')
  for (const some of [secrets, new Secrets()])
    t.equal(some.mask('\u001b[2J\n\t\u0007'), '\\x1b[2J\n\t\\x07', 'these do not reach a terminal')
})

const resultOf = ({ results }: Report, id: string) => results.find(result => result.id === id)

t.test('the report on a server has each case, and observes what the contract leaves open', async t => {
  const told: string[] = []
  const report = await check(t, {}, { onResult: ({ id }) => told.push(id) })
  t.match(report, { side: 'server', target: /^http:/, version: /^\d/, conforms: true, hints: [] })
  t.type(report.duration, 'number')
  t.equal(report.counts.ok + report.counts.warning, report.results.length)
  t.strictSame(
    told,
    report.results.map(({ id }) => id)
  )
  t.match(resultOf(report, 'rejection-status'), { level: 'OBSERVED', status: 'ok', note: '422' })
  t.match(resultOf(report, 'menu-is-login-screen'), { note: 'yes' })
  t.match(resultOf(report, 'challenge'), { level: 'SHOULD', status: 'warning' })
})

t.test('further routes are checked below the base URL', async t => {
  const parts = conforming('opaque', '/base')
  const url = await listen(t, 'opaque', {
    ...parts,
    ...opens(({ path }) => path === '/base/open')(parts),
    other: ({ path }) =>
      path === '/base/named' || path === '/base/nameless'
        ? json(200, {
            layout: 'Card',
            user_display_name: path === '/base/named' ? 'Grace Hopper' : undefined
          })
        : json(404, {})
  })
  const report = await checkServer(url, {
    ...credentials,
    protected: ['/named', '/nameless', '/open'],
    only: serverCases.filter(({ needs }) => needs?.includes('protected')).map(({ id }) => id)
  })
  const routes = failed(report).map(({ title }) => title.slice(title.lastIndexOf(':')))
  t.strictSame([...new Set(routes)], [': /base/nameless', ': /base/open'])
})

t.test('a case that is given by name and cannot be checked is no success', async t => {
  const url = await listen(t, 'jwt', conforming('jwt'))
  const cannot: [CheckServerOptions, RegExp][] = [
    [{ only: ['jwt-expired'] }, /^nothing could be checked: it needs the key that signs the tokens: --secret or --key/],
    [{ only: ['protected-with-token'] }, /^nothing could be checked: it needs a further route: --protected/],
    [{ only: ['open-menu'] }, /^nothing could be checked: the case is for the other mode/]
  ]
  for (const [options, message] of cannot)
    await t.rejects(checkServer(url, { ...credentials, ...options }), { name: 'CannotRunError', message })
  const some = await check(t, {}, { secret: 'x', only: ['jwt-alg-none', 'jwt-expired', 'form-layout'] })
  t.match(skipped(some), [{ id: 'jwt-alg-none', note: 'the token is no JWT' }, { id: 'jwt-expired' }])
})

t.test('a case without a response to check is skipped, not passed', async t => {
  const noForm = await check(t, { form: () => json(200, ['no form']) })
  t.strictSame(
    failed(noForm).map(({ id }) => id),
    ['form-is-json', 'form-with-valid-token']
  )
  t.equal(resultOf(noForm, 'form-username-type')?.status, 'skipped')
  const only = ['login-answers', 'login-display-name']
  const noLogin = await check(t, { accept: () => json(200, []) }, { only })
  t.match(resultOf(noLogin, 'login-display-name'), { status: 'skipped', note: 'there was nothing to check' })
})

t.test('without a token the cases that need one are skipped, and the login fails', async t => {
  const only = ['login-answers', 'token-admits', 'changed-token']
  const report = await check(t, { accept: () => json(500, 'crash') }, { only })
  t.match(resultOf(report, 'login-answers'), { status: 'failed' })
  for (const id of only.slice(1))
    t.match(resultOf(report, id), { status: 'skipped', note: 'it needs a token, and the login gave none' })
})

t.test('an observation without a response says why there is none', async t => {
  const { results } = await checkListener(t, (_, response) => void response.destroy(), { only: ['form-head'] })
  t.match(results, [{ id: 'form-head', status: 'ok', note: 'socket hang up' }])
})

t.test('no secret is in a report, even when the server repeats every request', async t => {
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

t.test('half a token at the end of a shown body is masked too', async t => {
  const issued: string[] = []
  const report = await check(
    t,
    parts => ({
      issue(name) {
        const token = parts.issue(name)
        issued.push(token)
        return token
      },
      invalid: () => json(403, `${'x'.repeat(490)}${issued.join('')}`)
    }),
    { only: ['invalid-token', 'changed-token'] }
  )
  const text = JSON.stringify(report)
  t.match(text, /x{490}/)
  for (const token of issued) t.notOk(text.includes(token.slice(0, 8)))
})

t.test('a part of a password at the end of a shown observation is masked too', async t => {
  const title = `${'x'.repeat(495)}${PASSWORD}`
  const report = await check(t, body('form')({ title }), { only: ['form-app-name'] })
  t.match(report.results, [{ note: /^'x{495}<pas/ }])
})

t.test('cookies of the login are secrets, and sent back as a client would; so are tokens given in error', async t => {
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
