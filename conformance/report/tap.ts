import { outcomeOf, type Report, type Result } from './report.ts'
import { numbers, remarks, verdict } from './verdict.ts'

/** Returns the report as TAP 14. A known failure is a TODO; a warning is ok, and has its failures below it. */
export function tap(report: Report): string {
  const { side, target, version, counts, results, wrongExpectations } = report
  const points = [
    ...results.map(testPoint),
    ...wrongExpectations.map(sentence => `not ok - ${escaped(sentence)}`)
  ]
  return [
    'TAP version 14',
    `1..${points.length}`,
    ...points,
    ...[
      ...remarks(report),
      `The ${side} ${target} ${verdict(report)}: ${numbers(counts)} (fastify-screen-auth ${version})`
    ].map(remark => `# ${inOneLine(remark)}`),
    ''
  ].join('\n')
}

function testPoint(result: Result): string {
  const { id, clause, level, title, note = '', failures } = result
  const outcome = outcomeOf(result)
  const word = outcome === 'failed' || outcome === 'known' ? 'not ok' : 'ok'
  const directive = {
    ok: '',
    failed: '',
    warning: '',
    known: ' # TODO known failure',
    skipped: ` # SKIP ${escaped(note)}`
  }[outcome]
  const line = `${word} - ${escaped(`${id}: ${title}`)}${directive}`
  if (failures === undefined && (note === '' || outcome === 'skipped')) return line
  // JSON is YAML, too.
  const details = Object.entries({ clause, level, result: outcome, ...(note && { note }), failures })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `  ${name}: ${JSON.stringify(value)}`)
  return [line, '  ---', ...details, '  ...'].join('\n')
}

/** In a description `#` begins a directive. */
function escaped(text: string): string {
  return inOneLine(text).replace(/[\\#]/g, '\\$&')
}

function inOneLine(text: string): string {
  return text.replace(/\s+/g, ' ')
}
