import { OURS } from '../contenders.ts'
import { ranking, resultOf } from './ranking.ts'
import type { Report, Result, Row, Run } from './report.ts'

/** The columns, in this order. */
const COLUMNS = [
  'warm',
  'users',
  'cold',
  '401-none',
  '401-garbage',
  '401-signature',
  '401-expired',
  'form',
  'login'
]

/**
 * A table of all ratios, with a row for each server, the fastest with one valid token first. Below it: what was measured,
 * when, and with which versions.
 */
export function markdown(report: Report): string {
  const columns = COLUMNS.map(name => resultOf(report, name)).filter(result => result !== undefined)
  const rows = ranking(resultOf(report, 'warm') as Result)
  return [
    line(['CPU time, bare Fastify = 1', ...columns.map(({ scenario }) => scenario)]),
    line(['---', ...columns.map(() => '--:')]),
    ...rows.map(row => line([labelOf(row), ...columns.map(column => cell(column, row))])),
    '',
    ...columns.map(({ scenario, title }) => `- \`${scenario}\`: ${title}`),
    '',
    origin(report)
  ].join('\n')
}

/** When and where it was measured, and with which versions. */
export function origin({ date, node, cpu, rounds, seconds, versions }: Run): string {
  const packages = Object.entries(versions).map(([name, version]) => `${name} ${version}`)
  return `Medians of ${rounds} rounds of ${seconds} s, ${date}, Node ${node}, ${cpu}: ${packages.join(', ')}.`
}

function labelOf({ name, label }: Row): string {
  return name === OURS ? `**${label}**` : label
}

function cell({ rows }: Result, { name }: Row): string {
  const ratio = rows.find(row => row.name === name)?.ratio.median.toFixed(2) ?? ''
  return name === OURS && ratio !== '' ? `**${ratio}**` : ratio
}

/** One line of a table. */
export function line(cells: string[]): string {
  return `| ${cells.join(' | ')} |`
}
