import t from 'tap'
import { junit } from '../report/junit.ts'
import { makeReport, type Result } from '../report/report.ts'
import { markKnown } from '../report/selection.ts'
import { resultLine, summary } from '../report/text.ts'

const failures = [
  {
    sent: "curl -i 'http://host/menu/main'",
    expected: ['status must be 401', 'the body must be JSON'],
    came: 'status 403\n\n<b>]]>``` & \u0000\uD800'
  }
]
const results: Result[] = [
  { id: 'form-layout', clause: '2.6.1', level: 'MUST', title: 'Card', status: 'ok' },
  { id: 'menu-head', clause: '4 rule 1', level: 'MUST', title: 'A "401" <x>', status: 'failed', failures },
  { id: 'challenge', clause: '4 rule 1', level: 'SHOULD', title: 'The scheme', status: 'warning', failures },
  { id: 'form-head', clause: '5.2', level: 'OBSERVED', title: 'HEAD', status: 'ok', note: '200 | a' },
  { id: 'token', clause: '5.2', level: 'MUST', title: 'Token', status: 'skipped', note: 'no <token>' }
]
const about = {
  side: 'server' as const,
  target: 'http://host/',
  version: '1.2.3',
  duration: 1234,
  notJudged: []
}
const report = makeReport({ ...about, hints: ['Look there.'] }, results)
const good = makeReport({ ...about, hints: [] }, results.slice(0, 1))

/** The same when the MUST and the SHOULD that fail are known. */
const expected = ['menu-head', 'challenge']
const marked = results.map(result => markKnown(result, { expectFailures: expected }))
const known = makeReport({ ...about, hints: [] }, marked, { expectFailures: expected })

/** Another in which a case that has not failed was expected to. */
const wrong = makeReport({ ...about, hints: [] }, results.slice(0, 1), { expectFailures: ['form-layout'] })

/** Another that says what was not part of it. */
const partial = makeReport(
  { ...about, hints: [], leftOut: 2, notJudged: [{ what: 'expiry', give: '--secret or --key' }] },
  results.slice(0, 1),
  { exclude: ['menu-head', 'challenge'] }
)

t.test('a report conforms when no MUST has failed', async t => {
  t.match(report, { conforms: false, counts: { ok: 2, failed: 1, warning: 1, skipped: 1 } })
  t.equal(makeReport({ ...about, hints: [] }, results.slice(2)).conforms, true)
})

t.test('the line of a result has a count, and what was observed', async t => {
  t.equal(
    resultLine(results[3] as Result, 7, 120),
    '  7/120 OK      OBSERVED 5.2: HEAD (form-head) → 200 | a'
  )
  t.equal(resultLine(results[0] as Result, 7, 9), '7/9 OK      MUST     2.6.1: Card (form-layout)')
})

t.test('the summary has each failure at length, a table by clause and the verdict', async t => {
  const text = summary(report)
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
  ]) {
    t.ok(text.includes(part), part)
  }
  t.match(summary(good), /^clause {2}ok/)
  t.match(summary(good), /conforms: 1 ok, 0 failed/)
})

t.test('a report without failures does not conform when there was an obstacle', async t => {
  const stopped = makeReport({ ...about, hints: [], obstacle: 'it is gone' }, results.slice(0, 1))
  t.equal(stopped.conforms, false)
  t.match(summary(stopped), 'does not conform: it is gone: 1 ok')
})

t.test('of many failures of one case the first three are shown', async t => {
  const many = { ...(results[1] as Result), failures: Array(5).fill(failures[0]) }
  const text = summary(makeReport({ ...about, hints: [] }, [many]))
  t.equal(text.split('sent:').length, 4)
  t.match(text, /and 2 more like these/)
})

t.test('JUnit XML holds whatever the server sent', async t => {
  const xml = junit(report)
  t.match(
    xml,
    '<testsuite name="screen-auth-conformance http://host/" tests="5" failures="1" skipped="1" time="1.234">'
  )
  t.match(xml, '<testcase classname="contract 2.6.1 MUST" name="form-layout: Card"></testcase>')
  t.match(xml, '<failure type="MUST" message="A &#34;401&#34; &#60;x&#62;">')
  t.match(xml, '&#60;b&#62;]]&#62;``` &#38; \uFFFD\uFFFD</failure>')
  t.match(xml, '<system-out>200 | a</system-out>')
  t.match(xml, '<system-out>The scheme\n')
  t.match(xml, '<skipped message="no &#60;token&#62;"/>')
})

t.test('a side with known failures does not conform, and nothing else is wrong', async t => {
  t.match(known, { conforms: false, asExpected: true, counts: { ok: 2, failed: 0, known: 2, warning: 0 } })
  t.match(report, { asExpected: false, counts: { known: 0 } })
  t.equal(resultLine(marked[1] as Result, 2, 5).slice(0, 11), '2/5 KNOWN  ')
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
})

t.test('a known SHOULD alone does not keep a side from conforming', async t => {
  const one = makeReport({ ...about, hints: [] }, marked.slice(2, 3), { expectFailures: ['challenge'] })
  t.match(one, { conforms: true, asExpected: true })
  t.match(summary(one), 'The server http://host/ conforms: 0 ok')
})

t.test('several known failures are counted', async t => {
  const two = makeReport({ ...about, hints: [] }, [marked[1] as Result, marked[1] as Result])
  t.match(summary(two), 'it has 2 known failures, and no others:')
})

t.test('an expected failure that does not fail is a failure of the run', async t => {
  const sentence = 'form-layout no longer fails: take it out of --expect-failures'
  t.match(wrong, { conforms: true, asExpected: false, wrongExpectations: [sentence] })
  t.match(summary(wrong), `\nFailed: ${sentence}\n`)
  t.match(summary(wrong), 'conforms; but --expect-failures is wrong: 1 ok')
  t.match(junit(wrong), 'tests="2" failures="1"')
  t.match(junit(wrong), `name="${sentence}"><failure message="${sentence}"/>`)
})

t.test('so is one that was skipped, or not judged at all', async t => {
  const { asExpected, wrongExpectations } = makeReport({ ...about, hints: [] }, results, {
    expectFailures: ['token', 'menu-head', 'open-menu']
  })
  t.equal(asExpected, false)
  t.strictSame(wrongExpectations, [
    'token was skipped (no <token>): take it out of --expect-failures, or let it be judged',
    'open-menu was not judged: take it out of --expect-failures'
  ])
})

t.test('of the results of an expected failure one must fail', async t => {
  const twice = [{ ...(results[1] as Result), status: 'ok' as const }, marked[1] as Result]
  const { asExpected } = makeReport({ ...about, hints: [] }, twice, { expectFailures: ['menu-head'] })
  t.equal(asExpected, true)
})

t.test('a run of some cases says so wherever it says "conforms"', async t => {
  const words = 'conforms in the 1 of 3 cases that were run'
  for (const text of [summary(partial), junit(partial)]) t.match(text, words)
})

t.test('what was not judged is named in every kind of report', async t => {
  const excluded = 'Not judged: menu-head, challenge: excluded\n'
  const expiry = 'Not judged: expiry: give --secret or --key\n'
  t.match(summary(partial), `\n\n${excluded}${expiry}\nThe server`)
  t.match(junit(partial), `<system-out>${excluded}${expiry}`)
})
