import { styleText } from 'node:util'
import { clauses } from '../cases.ts'
import { type Outcome, outcomeOf, type Report, type Result } from './report.ts'

type Style = Parameters<typeof styleText>[0]

const STYLES: Record<Outcome, Style> = {
  ok: 'green',
  failed: 'red',
  warning: 'yellow',
  skipped: 'dim',
  known: 'magenta'
}

/** Colours on a terminal only, and not with NO_COLOR. */
const paint = (style: Style, text: string) => styleText(style, text, { stream: process.stdout, validateStream: true })

/** Returns the line of one result, for instance `  7/109 OK      form-layout      2.6.1  The layout … is Card`. */
export function resultLine(result: Result, count: number, total: number): string {
  const { id, clause, level, title, note } = result
  const outcome = outcomeOf(result)
  const word = paint(STYLES[outcome], outcome.toUpperCase().padEnd(7))
  const place = `${String(count).padStart(String(total).length)}/${total}`
  const rest = note === undefined ? '' : paint('dim', ` → ${note}`)
  return `${place} ${word} ${level.padEnd(8)} ${clause}: ${title} ${paint('dim', `(${id})`)}${rest}`
}

/**
 * Returns what follows the lines of the results: a table by clause, the known failures, the warnings and failures at
 * length, what was not judged, and the verdict.
 */
export function summary(report: Report): string {
  const { side, target, conforms, counts, duration, results } = report
  const of = (outcome: Outcome) => results.filter(result => outcomeOf(result) === outcome)
  const sentence = `The ${side} ${target} ${paint(conforms ? 'green' : 'red', verdict(report))}`
  return [
    table(results),
    ...lines(of('known').map(result => heading(result))),
    ...of('warning').map(details),
    ...of('failed').map(details),
    ...lines(remarks(report)),
    `${sentence}: ${numbers(counts)}, in ${(duration / 1000).toFixed(1)} s.`
  ].join('\n\n')
}

/** Lines without an empty one between them. */
function lines(texts: string[]): string[] {
  return texts.length === 0 ? [] : [texts.join('\n')]
}

function heading(result: Result): string {
  const outcome = outcomeOf(result)
  return paint(STYLES[outcome], `${outcome.toUpperCase()} ${result.id}: ${result.title}`)
}

function details(result: Result): string {
  const { clause, level, failures = [] } = result
  const shown = failures
    .slice(0, 3)
    .flatMap(({ sent, expected, came }) => [
      `  sent:     ${indented(sent)}`,
      `  expected: ${indented(expected.join('\n'))}`,
      `  came:     ${indented(came.trim())}`,
      ''
    ])
  const more = failures.length > 3 ? [`  and ${failures.length - 3} more like these`] : []
  return [heading(result), `  contract: ${clause} (${level}): ${clauses.get(clause)}`, ...shown, ...more]
    .join('\n')
    .trimEnd()
}

function indented(text: string): string {
  return text.replaceAll('\n', '\n            ')
}

function table(results: Result[]): string {
  const names = [...new Set(results.map(({ clause }) => clause))]
  const width = Math.max(...names.map(name => name.length), 'clause'.length)
  const outcomes = results.map(outcomeOf)
  const columns: Outcome[] = ['ok', 'failed', 'warning', 'skipped']
  if (outcomes.includes('known')) columns.push('known')
  const rows = names.map(name => {
    const cells = columns.map(outcome => {
      const count = results.filter(({ clause }, index) => clause === name && outcomes[index] === outcome).length
      const cell = (count === 0 ? '·' : String(count)).padStart(outcome.length)
      return paint(count === 0 ? 'dim' : STYLES[outcome], cell)
    })
    return `${name.padEnd(width)}  ${cells.join('  ')}`
  })
  return [`${'clause'.padEnd(width)}  ${columns.join('  ')}`, ...rows].join('\n')
}

/** Returns what is found about the side, as the end of a sentence that begins with it. */
export function verdict({ conforms, obstacle, counts, leftOut, wrongExpectations, results }: Report): string {
  if (obstacle !== undefined) return `does not conform: ${obstacle}`
  if (counts.failed > 0) return 'does not conform'
  const known = results.filter(({ known, status }) => known && status === 'failed').length
  const word = conforms
    ? 'conforms'
    : `does not conform: it has ${known} known failure${known === 1 ? '' : 's'}, and no others`
  const part = leftOut === 0 ? '' : ` in the ${results.length} of ${results.length + leftOut} cases that were run`
  return `${word}${part}${wrongExpectations.length === 0 ? '' : '; but --expect-failures is wrong'}`
}

/** Returns how many results there are of each kind. */
function numbers({ ok, failed, known, warning, skipped }: Report['counts']): string {
  const all = `${ok} ok, ${failed} failed, ${warning} warnings, ${skipped} skipped`
  return known === 0 ? all : `${all}, ${known} known`
}

/** Returns what else a reader must know of a run: notes, what was not judged, and what is wrong with its options. */
export function remarks({ hints, excluded, notJudged, wrongExpectations }: Report): string[] {
  return [
    ...hints.map(hint => `Note: ${hint}`),
    ...(excluded.length === 0 ? [] : [`Not judged: ${excluded.join(', ')}: excluded`]),
    ...notJudged.map(({ what, give }) => `Not judged: ${what}: give ${give}`),
    ...wrongExpectations.map(sentence => `Failed: ${sentence}`)
  ]
}
