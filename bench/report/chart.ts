import { OURS } from '../contenders.ts'
import { ranking, resultOf, versionsOf } from './ranking.ts'
import type { Report, Result, Row } from './report.ts'

const SIZE = { width: 860, left: 300, right: 124, top: 84, row: 40, bar: 18, bottom: 64 }
/** The axis starts at 2^-1. It is logarithmic, because the longest bar is many times the shortest. */
const FIRST_POWER = -1

const STYLE = `
    .panel { fill: #ffffff; stroke: #d0d7de }
    .grid { stroke: #d8dee4 }
    .one { stroke: #57606a; stroke-dasharray: 4 3 }
    .bar { fill: #8c959f }
    .ours { fill: #0969da }
    text { fill: #1f2328; font-family: system-ui, -apple-system, 'Segoe UI', sans-serif; font-size: 13px }
    .title { font-size: 17px; font-weight: 600 }
    .small { fill: #57606a; font-size: 11px }
    .strong { font-weight: 600 }
    @media (prefers-color-scheme: dark) {
      .panel { fill: #0d1117; stroke: #30363d }
      .grid { stroke: #21262d }
      .one { stroke: #9198a1 }
      .bar { fill: #6e7681 }
      .ours { fill: #4493f8 }
      text { fill: #f0f6fc }
      .small { fill: #9198a1 }
    }`

/**
 * Draws the `warm` scenario: a bar for each server, to the left or right of the line of bare Fastify. The panel has its
 * own background, so that it is readable on any page.
 *
 * @returns SVG, deterministic
 */
export function drawChart(report: Report): string {
  const warm = resultOf(report, 'warm') as Result
  const rows = ranking(warm)
  const height = SIZE.top + rows.length * SIZE.row + SIZE.bottom
  const scale = scaleFor(rows)
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIZE.width} ${height}" width="${SIZE.width}" height="${height}" role="img" aria-labelledby="title">`,
    `  <title id="title">${escapeXml(warm.title)}: CPU time as a multiple of bare Fastify</title>`,
    `  <style>${STYLE}\n  </style>`,
    `  <rect class="panel" x="0.5" y="0.5" width="${SIZE.width - 1}" height="${height - 1}" rx="6"/>`,
    text(24, 34, 'What a guard costs: CPU time of GET /menu/main with a valid token', 'title'),
    text(
      24,
      54,
      'As a multiple of Fastify without a guard (1×). Less is better; the scale is logarithmic.',
      'small'
    ),
    ...axis(scale, height - SIZE.bottom),
    ...rows.flatMap((row, i) => bar(row, SIZE.top + i * SIZE.row, scale, report)),
    text(24, height - 18, machine(report), 'small'),
    '</svg>'
  ].join('\n')}\n`
}

/** The horizontal scale. */
interface Scale {
  /** The powers of two with a line. */
  powers: number[]
  x(ratio: number): number
}

function scaleFor(rows: Row[]): Scale {
  const last = Math.ceil(Math.log2(Math.max(...rows.map(({ ratio }) => ratio.median))))
  const unit = (SIZE.width - SIZE.left - SIZE.right) / (last - FIRST_POWER)
  return {
    powers: Array.from({ length: last - FIRST_POWER + 1 }, (_, i) => FIRST_POWER + i),
    x: ratio => round(SIZE.left + unit * (Math.log2(ratio) - FIRST_POWER))
  }
}

function axis({ powers, x }: Scale, bottom: number): string[] {
  return powers.flatMap(power => {
    const at = x(2 ** power)
    return [
      `  <line class="${power === 0 ? 'one' : 'grid'}" x1="${at}" y1="${SIZE.top - 6}" x2="${at}" y2="${bottom}"/>`,
      text(at, bottom + 16, power < 0 ? '½×' : `${2 ** power}×`, 'small', 'middle')
    ]
  })
}

function bar(row: Row, top: number, { x }: Scale, report: Report): string[] {
  const { name, label, ratio, cost } = row
  const ends = [x(1), x(ratio.median)].sort((a, b) => a - b) as [number, number]
  const isOurs = name === OURS
  const middle = top + SIZE.row / 2
  const value = `${ratio.median.toFixed(2)}× (${cost.median.toFixed(0)} µs)`
  return [
    text(SIZE.left - 12, middle - 2, label, isOurs ? 'strong' : '', 'end'),
    text(SIZE.left - 12, middle + 12, versionsOf(row, report), 'small', 'end'),
    // Bare Fastify has the ratio 1, so its bar gets a minimum width.
    `  <rect class="${isOurs ? 'ours' : 'bar'}" x="${ends[0]}" y="${middle - SIZE.bar / 2}" width="${round(Math.max(2, ends[1] - ends[0]))}" height="${SIZE.bar}"/>`,
    text(round(ends[1] + 8), middle + 4, value, isOurs ? 'strong' : '')
  ]
}

function machine({ node, cpu, date, rounds }: Report): string {
  return `Medians of ${rounds} rounds, Node ${node}, ${cpu}, ${date}; npm run bench`
}

function text(x: number, y: number, content: string, style: string, anchor = 'start'): string {
  return `  <text class="${style}" x="${x}" y="${y}" text-anchor="${anchor}">${escapeXml(content)}</text>`
}

function escapeXml(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
