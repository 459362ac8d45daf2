import { createHash } from 'node:crypto'
import { clauses } from '../cases.ts'
import { Markup, markup, type Part } from './markup.ts'
import { type Failure, outcomeOf, type Report, type Result } from './report.ts'
import { notJudged, partsOf, profiles, sentence } from './text.ts'

// The colours of text have a contrast of at least 4.5 to their background.
const STYLE = `
:root { --box: light-dark(#f1f1f4, #26262b); --line: light-dark(#b9b9c2, #56565f) }
@media screen { :root { color-scheme: light dark } }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere;
  color: light-dark(#1c1c20, #e6e6ea); background: light-dark(#fff, #17171a) }
h1, h2, h3 { line-height: 1.25; break-after: avoid }
h1 { font-size: 1.6rem }
h2 { margin-top: 2.5rem; font-size: 1.3rem }
h3 { margin: 1.5rem 0 .5rem; font-size: 1rem }
p, ul, dl { margin: .5rem 0 }
ul { padding-left: 1.2rem }
a { color: light-dark(#0a4a9f, #8fbcff) }
code { font-family: ui-monospace, monospace; font-size: .9em }
.verdict { padding: .75rem 1rem; border: 1px solid; border-left-width: .5rem; font-weight: bold }
.counts { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; padding: 0; list-style: none }
.ok { color: light-dark(#14602b, #7ed495) }
.failed { color: light-dark(#a40e1a, #ff9a9a) }
.warning { color: light-dark(#754d00, #eec06a) }
.known { color: light-dark(#6b2a8c, #d9a8f2) }
.skipped { color: light-dark(#55555e, #b0b0b9) }
table { width: 100%; border-collapse: collapse }
th, td { padding: .3rem .5rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top }
th[scope=rowgroup] { padding-top: 1rem; background: var(--box); font-weight: normal }
thead th, td + td { font-size: .85rem; white-space: nowrap }
td:first-child { width: 100% }
dl { padding: .5rem .75rem; border: 1px solid var(--line); background: var(--box) }
dt { font-weight: bold }
dd { margin: 0 0 .5rem; white-space: pre-wrap }
@media print {
  @page { margin: 15mm }
  body { max-width: none; padding: 0; font-size: 10pt }
  tr, li, dl { break-inside: avoid }
  tr:has(th), h3 + p { break-after: avoid }
}
`

/** The page may have only this style: no script, and nothing from the network. */
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'`

export function html(report: Report): string {
  const { side, target, date, version, results, obstacle = '' } = report
  const title = `Conformance of the ${side} ${target}`.trim()
  const time = markup`<time datetime="${date}">${date.slice(0, 16).replace('T', ' ')} UTC</time>`
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${new Markup(STYLE)}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${time}, screen-auth-conformance ${version}</p>
<p class="verdict ${report.conforms ? 'ok' : 'failed'}">${results.length > 0 ? sentence(report) : `The ${side} could not be checked: ${obstacle}`}</p>
${results.length > 0 ? sections(report) : ''}</main>
</body>
</html>
`.text
}

function sections(report: Report): Part {
  const { causes, others, failed, known, warnings, observations } = partsOf(report)
  const named = (some: Result[]) => list(some.map(result => markup`${link(result, report)}: ${result.title}`))
  return [
    profiles(report).map(line => markup`<p>${line}</p>\n`),
    markup`<ul class="counts">${Object.entries(report.counts).map(([outcome, count]) => markup`<li class="${outcome}"><strong>${count}</strong> ${outcome}</li>`)}</ul>\n`,
    section('Causes of the failures', [
      ...causes.map(({ what, todo, results, example }) => {
        const cases = results.map((result, index) => [index === 0 ? 'Cases: ' : ', ', link(result, report)])
        return markup`<h3>${what.charAt(0).toUpperCase()}${what.slice(1)}</h3>\n<p>${todo}</p>\n<p>${cases}</p>\n${exchange(example)}`
      }),
      ...(others.length === 0 ? [] : [markup`<h3>No known cause</h3>\n`, ...named(others)])
    ]),
    section('Known failures', named(known)),
    section('Wrong expectations', list(report.wrongExpectations)),
    section('Notes', list(report.hints)),
    section('Not judged', list(notJudged(report))),
    section('Observed', list(observations)),
    section('Warnings', named(warnings)),
    section('Clauses of the contract', [table(report)]),
    section(
      'Failures and warnings in full',
      [...failed, ...known, ...warnings].map(result => inFull(result, report))
    )
  ]
}

const section = (title: string, content: Part[]): Part =>
  content.length === 0 ? '' : markup`<section>\n<h2>${title}</h2>\n${content}</section>\n`

const list = (items: Part[]): Part[] =>
  items.length === 0 ? [] : [markup`<ul>\n${items.map(item => markup`<li>${item}</li>\n`)}</ul>\n`]

/** Returns the anchor of a result. Several results may have the same id. */
const anchor = (result: Result, { results }: Report) => `case-${results.indexOf(result) + 1}`

/** Returns the id of a result, and the scenario of a client, as a link to its failures. */
function link(result: Result, report: Report): Part {
  const { id, failures } = result
  const place = failures?.[0]?.place
  const name = place === undefined ? id : `${id} (${place.scenario})`
  return failures === undefined ? name : markup`<a href="#${anchor(result, report)}">${name}</a>`
}

function table(report: Report): Markup {
  const rows = [...clauses].map(([id, text]) => {
    const own = report.results.filter(({ clause, also = [] }) => [clause, ...also].includes(id))
    return markup`<tbody>
<tr><th scope="rowgroup" colspan="3"><strong>${id}</strong>: ${withCode(text)}</th></tr>
${own.length === 0 ? markup`<tr><td colspan="3">no case of this run</td></tr>\n` : own.map(result => row(result, report))}</tbody>
`
  })
  return markup`<table>
<thead><tr><th scope="col">Case</th><th scope="col">Level</th><th scope="col">Outcome</th></tr></thead>
${rows}</table>
`
}

function row(result: Result, report: Report): Markup {
  const { title, level, note } = result
  const outcome = outcomeOf(result)
  return markup`<tr><td>${link(result, report)}: ${title}${note === undefined ? '' : ` → ${note}`}</td><td>${level}</td><td class="${outcome}">${outcome}</td></tr>\n`
}

function inFull(result: Result, report: Report): Markup {
  const { id, clause, level, title, failures = [] } = result
  const outcome = outcomeOf(result)
  return markup`<article id="${anchor(result, report)}">
<h3><span class="${outcome}">${outcome}</span> ${id}: ${title}</h3>
<p>${clause} (${level}): ${withCode(clauses.get(clause) as string)}</p>
${failures.map(exchange)}</article>
`
}

function exchange({ sent, expected, came }: Failure): Markup {
  return markup`<dl>
<dt>Request</dt><dd><code>${sent}</code></dd>
<dt>Expected</dt><dd>${expected.join('; ')}</dd>
<dt>Seen</dt><dd><code>${came}</code></dd>
</dl>
`
}

/** Returns the text of a clause, with its words in backticks as code. */
const withCode = (text: string): Part =>
  text.split('`').map((part, index) => (index % 2 === 0 ? part : markup`<code>${part}</code>`))
