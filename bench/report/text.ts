import type { Result, Row, Run, Spread } from './report.ts'

/** The machine and the versions, for the terminal. */
export function heading({ date, node, cpu, pinned, rounds, seconds, versions }: Run): string {
  return [
    `Node ${node} on ${cpu}, ${date}`,
    `${rounds} rounds of ${seconds} s; ${pinned ? 'servers on core 0, load on core 1' : 'not pinned to cores'}`,
    Object.entries(versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(', ')
  ].join('\n')
}

/** One table, for the terminal: the cost, the ratio with the quartiles of its rounds, and the target. */
export function table({ scenario, title, unit, rows }: Result): string {
  const lines = [['', unit, 'ratio', 'quartiles', 'target', ''], ...rows.map(cells)]
  const widths = [0, 1, 2, 3, 4, 5].map(column =>
    Math.max(...lines.map(line => (line[column] as string).length))
  )
  const text = lines.map(line =>
    line
      .map((cell, column) => pad(cell, column, widths[column] as number))
      .join('  ')
      .trimEnd()
  )
  return [`${scenario}: ${title}`, ...text].join('\n')
}

function cells({ label, cost, ratio, target, note }: Row): string[] {
  return [
    label,
    cost.median.toFixed(1),
    ratio.median.toFixed(2),
    quartiles(ratio),
    target === undefined ? '' : `${target.toFixed(2)} ${verdict(ratio, target)}`,
    note ?? ''
  ]
}

function verdict({ median, low }: Spread, target: number): string {
  if (median <= target) return 'kept'
  return low <= target ? 'within noise' : 'missed'
}

function quartiles({ low, high }: Spread): string {
  return `${low.toFixed(2)} to ${high.toFixed(2)}`
}

/** The names to the left, the numbers to the right. */
function pad(cell: string, column: number, width: number): string {
  return column === 0 || column > 3 ? cell.padEnd(width) : cell.padStart(width)
}
