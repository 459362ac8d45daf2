import t from 'tap'
import { junit } from '../../conformance/report/junit.ts'
import { markdown } from '../../conformance/report/markdown.ts'
import { makeReport, type Result } from '../../conformance/report/report.ts'
import { resultLine, summary } from '../../conformance/report/text.ts'

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

t.test('Markdown holds whatever the server sent', async t => {
  const page = markdown(report)
  t.match(page, '# The server http://host/ does not conform')
  t.match(page, '2 ok, 1 failed, 1 warnings, 1 skipped (fastify-screen-auth 1.2.3)')
  t.match(page, 'Note: Look there.')
  t.match(page, '## failed: menu-head')
  t.match(page, '> 4 rule 1 (MUST): The client first requests')
  t.match(page, /\n````\ncurl -i.*<b>.*\n````/s)
  t.match(page, '| ok | OBSERVED | 5.2 | form-head | HEAD → 200   a |')
  t.match(markdown(good), '# The server http://host/ conforms')
})
