import { createHash } from 'node:crypto'
import t from 'tap'
import { clauses } from '../cases.ts'
import { html } from '../report/html.ts'
import { junit } from '../report/junit.ts'
import { inert } from '../report/report.ts'
import { all, CARD, failures, fault, HEAD, LIFETIME, MENU, reportOn, SCHEME } from './sample-report.ts'

t.test('a test case of JUnit has its package, its class, its time and its content', async t => {
  const xml = junit(reportOn([{ ...CARD, duration: 250 }, ...all.slice(1)]))
  for (const part of [
    '<testsuite name="screen-auth-conformance http://host/" tests="5" failures="1" errors="0" skipped="1" time="1.234">',
    '<testcase classname="conformance-server.clause 2-6-1 MUST" name="form-layout: Card" time="0.25"></testcase>',
    '<failure type="MUST" message="expected: status must be 401; the body must be JSON; actual: status 403: &#60;b&#62;',
    '&#60;b&#62;]]&#62;``` &#38; \\x00\\u{d800}</failure>',
    '<system-out>200 | a</system-out>',
    '<system-out>The scheme\n',
    '<skipped message="no &#60;token&#62;"/>'
  ])
    t.ok(xml.includes(part), part)
})

/** Returns the text of a page as a reader sees it, one line for each line of the markup. */
function textOf(page: string): string {
  return page
    .replace(/<style>.*<\/style>/s, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code))
    .replace(/ +/g, ' ')
}

t.test('a page has the verdict, what was not judged, and each failure with its request and its response', async t => {
  const notJudged = [{ what: 'expiry', why: 'give --key' }]
  const own = { ...MENU, id: 'own', title: 'An own route' }
  const selection = { expectFailures: ['own', 'form-layout'], exclude: ['token'] }
  const report = reportOn([...all, own, LIFETIME], selection, { hints: ['Look there.'], notJudged })
  const text = textOf(html({ ...report, date: '2026-11-29T10:25:59.123Z' }))
  const [{ sent, came }] = failures as [(typeof failures)[0]]
  const inFull = ` Request ${sent} \n Expected status must be 401; the body must be JSON \n Seen ${inert(came)} \n`
  for (const part of [
    ' Conformance of the server http://host/ \n 2026-11-29 10:25 UTC , screen-auth-conformance 1.2.3 \n',
    ' The server http://host/ does not conform: 2 ok, 1 failed, 1 warning, 2 skipped, 1 known, in 1.2 s. \n',
    ' Causes of the failures \n No known cause \n \n menu-head : A "401" <x> \n',
    ' Known failures \n \n own : An own route \n',
    ' form-layout no longer fails: remove it from --expect-failures \n',
    ' Look there. \n',
    ' Not judged \n \n expiry: give --key \n token: excluded \n',
    ' Observed \n \n HEAD: 200 | a \n',
    ' Warnings \n \n challenge : The scheme \n',
    ' failed menu-head: A "401" <x> \n 4 rule 1 (MUST): The client first requests',
    ' known own: An own route \n 4 rule 1 (MUST): The client first requests',
    ' warning challenge: The scheme \n 7 missing token (SHOULD): Protected route',
    ' 2.6.1 : layout = Card . \n form-layout: Card MUST ok \n',
    ' form-head: HEAD → 200 | a OBSERVED ok \n',
    ' 5.1 : Scheme: bearer token in the header Authorization: Bearer <ACCESS_TOKEN> . \n no case of this run \n'
  ])
    t.ok(text.includes(part), part)
  t.equal(text.split(inFull).length, 4)
  t.match(html(reportOn([CARD])), '<p class="verdict ok">The server http://host/ conforms: 1 ok')
  for (const clause of clauses.keys()) t.ok(text.includes(` ${clause} : `), clause)
})

t.test('a cause and the table link to the failures of a case, also if several cases have the same id', async t => {
  const lost = fault('menu-head', { path: '/x', status: 404 })
  const page = html(reportOn([lost, { ...lost, title: 'Other' }, SCHEME]))
  t.match(
    page,
    /<h3>Unknown routes get .*<\/h3>\n<p>Run the guard .*<\/p>\n<p>Cases: <a href="#case-1">menu-head<\/a>, <a/
  )
  const [links, anchors] = [/ href="#(.*?)"/g, / id="(.*?)"/g].map(one => [...page.matchAll(one)].map(([, id]) => id))
  t.strictSame(anchors, ['case-1', 'case-2', 'case-3'])
  t.strictSame(new Set(links), new Set(anchors))
})

t.test('a case of a client has its scenario', async t => {
  const [failure] = failures as [(typeof failures)[0]]
  const own = { ...MENU, failures: [{ ...failure, place: { scenario: 'login', request: 1 } }] }
  t.match(textOf(html(reportOn([own], {}, { side: 'client' }))), ' menu-head (login) : A "401" <x>')
})

t.test('a page escapes each text, has no script, and loads nothing', async t => {
  const evil = `"'><script src=//x></script><img src=x onerror=alert(1)>&lt;`
  const failure = { sent: evil, expected: [evil], came: evil }
  const more = { target: evil, version: evil, hints: [evil], obstacle: evil, notJudged: [{ what: evil, why: evil }] }
  const cases = [MENU, SCHEME, { ...MENU, id: 'own' }].map(one => ({ ...one, title: evil, failures: [failure] }))
  for (const results of [[], [...cases, { ...HEAD, id: evil, title: evil, note: evil }]]) {
    const page = html(reportOn(results, { expectFailures: ['own', evil], exclude: [evil] }, more))
    t.ok(textOf(page).includes(evil))
    const tags = [...page.matchAll(/<(\w*)(.*?)>/gs)]
    const known = 'html head meta title style body main section h1 h2 h3 p ul li strong time table thead tbody tr th td'
    const names = new Set(`${known} article span dl dt dd code a`.split(' '))
    for (const [tag, name] of tags) t.ok(!name || names.has(name), tag)
    t.notMatch(tags.map(([, , attributes]) => attributes).join('\n'), /\b(on\w+|src|style)=|href="[^#]/)
    const [, style = ''] = /<style>(.*)<\/style>/s.exec(page) ?? []
    const hash = createHash('sha256').update(style).digest('base64')
    t.ok(page.includes(`content="default-src 'none'; style-src 'sha256-${hash}'; `))
    t.notMatch(style, /url\(|@import/)
  }
})

t.test('the page of a run that did not end says so', async t => {
  const text = textOf(html(reportOn([], { only: [] }, { side: 'client', target: '', obstacle: 'the run did not end' })))
  t.match(text, / Conformance of the client \n.*\n The client could not be checked: the run did not end \n \n/)
})
