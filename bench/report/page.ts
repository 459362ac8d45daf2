import { CONTROL } from '../contenders.ts'
import type { Report, Result, Run } from './report.ts'

const [BEGIN, END] = ['<!-- bench -->', '<!-- /bench -->']

/** The page with the table of a report between its markers. */
export function withTable(page: string, report: Report): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)]
  if (begin < 0 || end < begin) throw new Error(`the page has no ${BEGIN} before ${END}`)
  return `${page.slice(0, begin + BEGIN.length)}\n${markdown(report)}\n${page.slice(end)}`
}

/** A table of all ratios, with a row for each server. Below it: what was measured, when, and with which versions. */
function markdown(report: Report): string {
  const columns = report.results.filter(({ rows }) => rows.some(({ name }) => name === CONTROL))
  const others = report.results.filter(result => !columns.includes(result))
  const servers = columns[0]?.rows ?? []
  return [
    line(['CPU time, bare Fastify = 1', ...columns.map(({ scenario }) => scenario)]),
    line(['---', ...columns.map(() => '--:')]),
    ...servers.map(({ name, label }) => line([label, ...columns.map(column => cell(column, name))])),
    '',
    ...columns.map(({ scenario, title }) => `- \`${scenario}\`: ${title}`),
    ...others.map(ours),
    '',
    origin(report)
  ].join('\n')
}

/** What is not compared with other servers: the worst row of this package. */
function ours({ scenario, title, rows }: Result): string {
  const own = rows.filter(({ target }) => target !== undefined)
  const worst = own.toSorted((one, other) => other.ratio.median - one.ratio.median)[0]
  return `- \`${scenario}\`: ${title}: ${worst?.ratio.median.toFixed(2)} at most (${worst?.label})`
}

/** When and where it was measured, and with which versions. */
function origin({ date, node, cpu, rounds, seconds, versions }: Run): string {
  const packages = Object.entries(versions).map(([name, version]) => `${name} ${version}`)
  return `Medians of ${rounds} rounds of ${seconds} s, ${date}, Node ${node}, ${cpu}: ${packages.join(', ')}.`
}

function cell({ rows }: Result, server: string): string {
  return rows.find(({ name }) => name === server)?.ratio.median.toFixed(2) ?? ''
}

function line(cells: string[]): string {
  return `| ${cells.join(' | ')} |`
}
