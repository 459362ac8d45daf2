import { styleText } from 'node:util'
import { clauses } from '../cases.ts'
import type { Report, Result, Status } from './report.ts'

type Style = Parameters<typeof styleText>[0]

const STYLES: Record<Status, Style> = { ok: 'green', failed: 'red', warning: 'yellow', skipped: 'dim' }

/** Colours on a terminal only, and not with NO_COLOR. */
const paint = (style: Style, text: string) =>
  styleText(style, text, { stream: process.stdout, validateStream: true })

/** Returns the line of one result, for instance `  7/109 OK      form-layout      2.6.1  The layout … is Card`. */
export function resultLine(
  { id, clause, level, title, status, note }: Result,
  count: number,
  total: number
): string {
  const word = paint(STYLES[status], status.toUpperCase().padEnd(7))
  const place = `${String(count).padStart(String(total).length)}/${total}`
  const rest = note === undefined ? '' : paint('dim', ` → ${note}`)
  return `${place} ${word} ${level.padEnd(8)} ${clause}: ${title} ${paint('dim', `(${id})`)}${rest}`
}

/** Returns what follows the lines of the results: a table by clause, the warnings and failures, and the verdict. */
export function summary(report: Report): string {
  const of = (status: Status) => report.results.filter(result => result.status === status).map(details)
  return [
    table(report.results),
    ...of('warning'),
    ...of('failed'),
    ...report.hints.map(hint => `Note: ${hint}`),
    verdict(report)
  ].join('\n\n')
}

function details({ id, clause, level, title, status, failures = [] }: Result): string {
  const shown = failures
    .slice(0, 3)
    .flatMap(({ sent, expected, came }) => [
      `  sent:     ${indented(sent)}`,
      `  expected: ${indented(expected.join('\n'))}`,
      `  came:     ${indented(came.trim())}`,
      ''
    ])
  const more = failures.length > 3 ? [`  and ${failures.length - 3} more like these`] : []
  return [
    paint(STYLES[status], `${status.toUpperCase()} ${id}: ${title}`),
    `  contract: ${clause} (${level}): ${clauses.get(clause)}`,
    ...shown,
    ...more
  ]
    .join('\n')
    .trimEnd()
}

function indented(text: string): string {
  return text.replaceAll('\n', '\n            ')
}

function table(results: Result[]): string {
  const names = [...new Set(results.map(({ clause }) => clause))]
  const width = Math.max(...names.map(name => name.length), 'clause'.length)
  const columns: Status[] = ['ok', 'failed', 'warning', 'skipped']
  const lines = names.map(name => {
    const cells = columns.map(status => {
      const count = results.filter(result => result.clause === name && result.status === status).length
      const cell = (count === 0 ? '·' : String(count)).padStart(status.length)
      return count === 0 ? paint('dim', cell) : paint(STYLES[status], cell)
    })
    return `${name.padEnd(width)}  ${cells.join('  ')}`
  })
  return [`${'clause'.padEnd(width)}  ${columns.join('  ')}`, ...lines].join('\n')
}

function verdict({ side, target, conforms, obstacle, counts, duration }: Report): string {
  const { ok, failed, warning, skipped } = counts
  const numbers = `${ok} ok, ${failed} failed, ${warning} warnings, ${skipped} skipped, in ${(duration / 1000).toFixed(1)} s`
  const word = conforms ? paint('green', 'conforms') : paint('red', 'does not conform')
  return `The ${side} ${target} ${word}${obstacle === undefined ? '' : `: ${obstacle}`}: ${numbers}.`
}
