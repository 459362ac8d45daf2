import { clauses } from '../cases.ts'
import { outcomeOf, type Report, type Result } from './report.ts'
import { numbers, remarks, verdict } from './verdict.ts'

/** Returns the report as a Markdown page. */
export function markdown(report: Report): string {
  const { side, target, version, counts, results } = report
  const bad = results.filter(({ status }) => status === 'failed' || status === 'warning')
  return [
    `# The ${side} ${target} ${verdict(report)}`,
    `${numbers(counts)} (fastify-screen-auth ${version})`,
    ...remarks(report),
    ...bad.map(details),
    [
      '## Cases',
      '',
      '| result | level | clause | case | |',
      '|---|---|---|---|---|',
      ...results.map(row)
    ].join('\n'),
    ''
  ].join('\n\n')
}

function details(result: Result): string {
  const { id, clause, level, title, failures = [] } = result
  const blocks = failures.map(({ sent, expected, came }) =>
    fenced([sent, '', ...expected.map(line => `expected: ${line}`), '', came].join('\n'))
  )
  const quote = `> ${clause} (${level}): ${clauses.get(clause)}`
  return [`## ${outcomeOf(result)}: ${id}`, title, quote, ...blocks].join('\n\n')
}

function row(result: Result): string {
  const { id, clause, level, title, note = '' } = result
  const cells = [outcomeOf(result), level, clause, id, note === '' ? title : `${title} → ${note}`]
  return `| ${cells.map(cell => cell.replace(/[|\r\n\\`<]/g, ' ')).join(' | ')} |`
}

/** A code block with a fence longer than any in the text, so that no response can end it. */
function fenced(text: string): string {
  const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)))
  return `${fence}\n${text}\n${fence}`
}
