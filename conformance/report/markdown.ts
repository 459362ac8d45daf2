import { clauses } from '../cases.ts'
import type { Report, Result } from './report.ts'

/** Returns the report as a Markdown page. */
export function markdown({ side, target, version, conforms, counts, hints, results }: Report): string {
  const bad = results.filter(({ status }) => status === 'failed' || status === 'warning')
  return [
    `# The ${side} ${target} ${conforms ? 'conforms' : 'does not conform'}`,
    `${counts.ok} ok, ${counts.failed} failed, ${counts.warning} warnings, ${counts.skipped} skipped (fastify-screen-auth ${version})`,
    ...hints.map(hint => `Note: ${hint}`),
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

function details({ id, clause, level, title, status, failures = [] }: Result): string {
  const blocks = failures.map(({ sent, expected, came }) =>
    fenced([sent, '', ...expected.map(line => `expected: ${line}`), '', came].join('\n'))
  )
  const quote = `> ${clause} (${level}): ${clauses.get(clause)}`
  return [`## ${status}: ${id}`, title, quote, ...blocks].join('\n\n')
}

function row({ id, clause, level, title, status, note = '' }: Result): string {
  const cells = [status, level, clause, id, note === '' ? title : `${title} → ${note}`]
  return `| ${cells.map(cell => cell.replace(/[|\r\n\\`<]/g, ' ')).join(' | ')} |`
}

/** A code block with a fence longer than any in the text, so that no response can end it. */
function fenced(text: string): string {
  const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)))
  return `${fence}\n${text}\n${fence}`
}
