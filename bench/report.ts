import { quantileSorted } from 'simple-statistics'
import { control } from './scenarios.ts'

export interface Measured {
  label: string
  /** One value for each round, in the unit of the scenario. */
  costs: number[]
  /** Maximum ratio to the baseline. */
  target?: number | undefined
}

/** Median and the quartiles of several values. */
interface Spread {
  median: number
  low: number
  high: number
}

/** One server in one scenario. */
interface Row {
  label: string
  cost: Spread
  /** Cost as a multiple of the baseline in the same round. */
  ratio: Spread
  target: number | undefined
}

export interface Result {
  scenario: string
  title: string
  unit: string
  rows: Row[]
}

/** `--check` fails only if a ratio is more than this multiple of its target, so that noise causes no failure. */
const TOLERANCE = 2

/** Maximum distance of the median ratio of two equal servers from 1. */
const MAX_DEVIATION = 0.05
/** Maximum distance between the quartiles of the ratio of two equal servers. */
const MAX_SPREAD = 0.1

const [BEGIN, END] = ['<!-- bench -->', '<!-- /bench -->']

/** Rows of a table. The first is the baseline of the ratios. */
export function rowsOf(measured: Measured[]): Row[] {
  const [baseline] = measured as [Measured]
  return measured.map(({ label, costs, target }) => ({
    label,
    target,
    cost: spreadOf(costs),
    // Compares values of the same round, because other load on the machine changes between rounds.
    ratio: spreadOf(costs.map((cost, round) => cost / (baseline.costs[round] as number)))
  }))
}

/** Rounds to three decimals, because further digits are noise. */
function spreadOf(values: number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (part: number) => Number(quantileSorted(sorted, part).toFixed(3))
  return { median: at(0.5), low: at(0.25), high: at(0.75) }
}

/** Prints a table with the ratios, their quartiles and the targets, and the noise of the machine. */
export function print({ scenario, title, unit, rows }: Result): void {
  console.log(`\n${scenario}: ${title}`)
  const cells = rows.map(({ label, cost, ratio: { median, low, high }, target }) => {
    const verdict = (target: number) => (median <= target ? 'kept' : low <= target ? 'within noise' : 'missed')
    const judged = target === undefined ? {} : { target, '': verdict(target) }
    return [label, { [unit]: cost.median, ratio: median, from: low, to: high, ...judged }]
  })
  console.table(Object.fromEntries(cells))
  const again = rows.find(({ label }) => label === control.label)
  if (again === undefined) return
  const { median, low, high } = again.ratio
  const isQuiet = Math.abs(median - 1) <= MAX_DEVIATION && high - low <= MAX_SPREAD
  if (!isQuiet) console.log('WARNING: the machine was too noisy to measure small differences: see the second row')
}

/** A message for each ratio that is far above its target. */
export function regressions(results: Result[]): string[] {
  return results.flatMap(({ scenario, rows }) =>
    rows
      .filter(({ ratio, target = Number.POSITIVE_INFINITY }) => ratio.median > TOLERANCE * target)
      .map(({ label, ratio, target }) => `${scenario}: ${label} has the ratio ${ratio.median}, target ${target}`)
  )
}

/** Writes the table of all results, the list of the scenarios and `origin` between the markers of the page. */
export function withTable(page: string, results: Result[], origin: string): string {
  const [before, , after] = page.split(new RegExp(`(?<=${BEGIN}\n)|(?=${END})`))
  if (after === undefined) throw new Error(`the page has no ${BEGIN} before ${END}`)
  return `${before}${markdown(results)}\n\n${origin}\n${after}`
}

/** A table of all ratios, with a row for each server. */
function markdown(results: Result[]): string {
  const columns = results.filter(({ rows }) => rows.some(({ label }) => label === control.label))
  const servers = columns[0]?.rows ?? []
  const cell = ({ rows }: Result, server: string) =>
    rows.find(({ label }) => label === server)?.ratio.median.toFixed(2) ?? ''
  return [
    line(['CPU time, bare Fastify = 1', ...columns.map(({ scenario }) => scenario)]),
    line(['---', ...columns.map(() => '--:')]),
    ...servers.map(({ label }) => line([label, ...columns.map(column => cell(column, label))])),
    '',
    ...columns.map(({ scenario, title }) => `- \`${scenario}\`: ${title}`),
    ...results.filter(result => !columns.includes(result)).map(worst)
  ].join('\n')
}

/** Line of a result that is not in the table, with the highest ratio of this package. */
function worst({ scenario, title, rows }: Result): string {
  const own = rows.filter(({ target }) => target !== undefined)
  const [row] = own.toSorted((one, other) => other.ratio.median - one.ratio.median)
  return `- \`${scenario}\`: ${title}: ${row?.ratio.median.toFixed(2)} at most (${row?.label})`
}

function line(cells: string[]): string {
  return `| ${cells.join(' | ')} |`
}
