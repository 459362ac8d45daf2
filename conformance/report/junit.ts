import { outcomeOf, type Report, type Result } from './report.ts'
import { remarks, verdict } from './text.ts'

/** Returns the report as JUnit XML, for CI systems. JUnit has no known failures, so these become skipped tests. */
export function junit(report: Report): string {
  const { target, results, counts, duration, wrongExpectations, obstacle } = report
  const errors = obstacle === undefined ? [] : [obstacle]
  const tests = results.length + wrongExpectations.length + errors.length
  const failures = counts.failed + wrongExpectations.length
  const totals = `tests="${tests}" failures="${failures}" errors="${errors.length}" skipped="${counts.skipped + counts.known}"`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuite name="${xml(`screen-auth-conformance ${target}`.trim())}" ${totals} time="${duration / 1000}">`,
    ...results.map(testcase),
    ...wrongExpectations.map(sentence => problem('expected failures', sentence, 'failure', sentence)),
    ...errors.map(sentence => problem('verdict', 'the run could judge each case', 'error', sentence)),
    `  <system-out>${xml([...remarks(report), verdict(report)].join('\n'))}</system-out>`,
    '</testsuite>',
    ''
  ].join('\n')
}

function problem(classname: string, name: string, kind: 'failure' | 'error', message: string): string {
  return `  <testcase classname="${classname}" name="${xml(name)}"><${kind} message="${xml(message)}"/></testcase>`
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
