import { type Markup, markup } from './markup.ts'
import { outcomeOf, type Report, type Result } from './report.ts'
import { remarks, verdict } from './text.ts'

/** Returns the report as JUnit XML, for CI systems. JUnit has no known failures, so these become skipped tests. */
export function junit(report: Report): string {
  const { side, target, results, counts, duration, wrongExpectations, obstacle } = report
  /** A CI splits the name of a class at its dots, and the part behind the last dot is the name without the package. */
  const test = (group: string, name: string, milliseconds: number, content: Markup | '') =>
    markup`  <testcase classname="conformance-${side}.${group.replaceAll('.', '-')}" name="${name}" time="${milliseconds / 1000}">${content}</testcase>\n`
  const tests = [
    ...results.map(result => {
      const { id, clause, level, title, duration = 0 } = result
      return test(`clause ${clause} ${level}`, `${id}: ${title}`, duration, contentOf(result))
    }),
    ...wrongExpectations.map(sentence =>
      test('expected failures', sentence, 0, markup`<failure message="${sentence}"/>`)
    ),
    ...(obstacle === undefined
      ? []
      : [test('verdict', 'the run could judge each case', 0, markup`<error message="${obstacle}"/>`)])
  ]
  const failures = counts.failed + wrongExpectations.length
  return markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="${`screen-auth-conformance ${target}`.trim()}" tests="${tests.length}" failures="${failures}" errors="${obstacle === undefined ? 0 : 1}" skipped="${counts.skipped + counts.known}" time="${duration / 1000}">
${tests}  <system-out>${[...remarks(report), verdict(report)].join('\n')}</system-out>
</testsuite>
`.text
}

function contentOf(result: Result): Markup | '' {
  const { level, title, note = '', failures = [] } = result
  const text = failures
    .map(({ sent, expected, came }) => `sent: ${sent}\nexpected: ${expected.join('; ')}\nactual: ${came}`)
    .join('\n\n')
  const [{ expected, came } = { expected: [], came: '' }] = failures
  return {
    ok: note === '' ? ('' as const) : markup`<system-out>${note}</system-out>`,
    failed: markup`<failure type="${level}" message="${`expected: ${expected.join('; ')}; actual: ${came}`}">${text}</failure>`,
    known: markup`<skipped message="known failure"/><system-out>${text}</system-out>`,
    warning: markup`<system-out>${title}\n${text}</system-out>`,
    skipped: markup`<skipped message="${note}"/>`
  }[outcomeOf(result)]
}
