import { outcomeOf, type Report, type Result } from './report.ts'
import { remarks, verdict } from './text.ts'

/** Returns the report as JUnit XML, for CI systems. JUnit has no known failures, so these become skipped tests. */
export function junit(report: Report): string {
  const { target, results, counts, duration, wrongExpectations } = report
  const tests = results.length + wrongExpectations.length
  const failures = counts.failed + wrongExpectations.length
  const totals = `tests="${tests}" failures="${failures}" skipped="${counts.skipped + counts.known}"`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuite name="${xml(`screen-auth-conformance ${target}`)}" ${totals} time="${duration / 1000}">`,
    ...results.map(testcase),
    ...wrongExpectations.map(
      sentence =>
        `  <testcase classname="expected failures" name="${xml(sentence)}"><failure message="${xml(sentence)}"/></testcase>`
    ),
    `  <system-out>${xml([...remarks(report), verdict(report)].join('\n'))}</system-out>`,
    '</testsuite>',
    ''
  ].join('\n')
}

function testcase(result: Result): string {
  const { id, clause, level, title, note = '' } = result
  const text = xml(failuresOf(result))
  const content = {
    ok: note === '' ? '' : `<system-out>${xml(note)}</system-out>`,
    failed: `<failure type="${level}" message="${xml(title)}">${text}</failure>`,
    known: `<skipped message="known failure"/><system-out>${text}</system-out>`,
    warning: `<system-out>${xml(title)}\n${text}</system-out>`,
    skipped: `<skipped message="${xml(note)}"/>`
  }[outcomeOf(result)]
  return `  <testcase classname="${xml(`contract ${clause} ${level}`)}" name="${xml(`${id}: ${title}`)}">${content}</testcase>`
}

function failuresOf({ failures = [] }: Result): string {
  return failures
    .map(({ sent, expected, came }) => `sent: ${sent}\nexpected: ${expected.join('; ')}\nactual: ${came}`)
    .join('\n\n')
}

/** Escapes a text of a report. The report has already replaced the characters that XML 1.0 does not allow. */
function xml(text: string): string {
  return text.replace(/[&<>"]/g, character => `&#${character.charCodeAt(0)};`)
}
