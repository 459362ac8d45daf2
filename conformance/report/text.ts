// A namespace import, so that a Node without styleText can load this file and report that it is too old.
import * as util from 'node:util'
import { clauses } from '../cases.ts'
import { type Explanation, explain } from './causes.ts'
import { type Failure, inert, type Outcome, outcomeOf, type Report, type Result } from './report.ts'

type Style = Parameters<typeof util.styleText>[0]

const STYLES: Record<Outcome, Style> = {
  ok: 'green',
  failed: 'red',
  warning: 'yellow',
  skipped: 'dim',
  known: 'magenta'
}

/** Maximum number of lines of the report, without the empty line before it. */
const PAGE = 39

/** Colours a text, only at a terminal and without NO_COLOR. */
const paint = (style: Style, text: string) =>
  util.styleText(style, text, { stream: process.stdout, validateStream: true })

/** Returns the line of one result, for instance `  7/109 OK      MUST     2.6.1: The layout … is Card (form-layout)`. */
export function resultLine(result: Result, count: number, total: number): string {
  const { id, clause, level, title, note } = result
  const outcome = outcomeOf(result)
  const word = paint(STYLES[outcome], outcome.toUpperCase().padEnd(7))
  const place = `${String(count).padStart(String(total).length)}/${total}`
  const rest = note === undefined ? '' : paint('dim', ` → ${inert(note)}`)
  return `${place} ${word} ${level.padEnd(8)} ${clause}: ${inert(title)} ${paint('dim', `(${id})`)}${rest}`
}

export function partsOf({ results }: Report) {
  const of = (outcome: Outcome) => results.filter(result => outcomeOf(result) === outcome)
  const failed = of('failed')
  const observed = of('ok').filter(({ level, note }) => level === 'OBSERVED' && note)
  const observations = observed.map(({ title, note }) => `${title}: ${note}`)
  return { failed, ...explain(failed), known: of('known'), warnings: of('warning'), observations }
}

const idsOf = (results: Result[]) => results.map(({ id }) => id)

/** @param isVerbose puts each failure in full before the report, and cuts no line */
export function summary(report: Report, isVerbose = false): string {
  const { failed, causes, others, known, warnings, observations } = partsOf(report)
  const head = [
    ...profiles(report),
    ...wrapped(sentence(report)).map(line => paint(report.conforms ? 'green' : 'red', line))
  ]
  const hints = report.hints.flatMap(hint => wrapped(`Note: ${hint}`))
  const tail = [
    ...remarks({ ...report, hints: [] }).flatMap(wrapped),
    ...list('Known', idsOf(known)),
    ...warnings.map(result => cut(`${heading(result)}: ${result.title}`)),
    ...list('Observed', observations)
  ]
  if (isVerbose) {
    const details = [...known, ...warnings, ...failed].map(inFull)
    return sections(...details, [...head, ...hints], causes.flatMap(ofCause), tail)
  }
  const [start, end] = [[...head, ...capped(hints, 6)], capped(tail, 18)]
  const blocks = [...causes.map(ofCause), ...others.map(inShort)]
  const counts = [...causes.map(({ results }) => results.length), ...others.map(() => 1)]
  const room = PAGE - start.length - end.length - 4
  const fitting = blocks.filter((_, index) => blocks.slice(0, index + 1).flat().length <= room)
  const left = counts.slice(fitting.length).reduce((total, count) => total + count, 0)
  return sections(start, [...fitting.flat(), ...(left === 0 ? [] : [`${left} more failed: --verbose shows all`])], end)
}

function sections(...parts: string[][]): string {
  return parts
    .filter(lines => lines.length > 0)
    .map(lines => lines.join('\n'))
    .join('\n\n')
}

const cut = (line: string, most = 200) => (line.length > most ? `${line.slice(0, most - 1)}…` : line)

const capped = (lines: string[], most: number) =>
  lines.length <= most
    ? lines
    : [...lines.slice(0, most - 1), `${lines.length - most + 1} more lines: --verbose shows all`]

function wrapped(text: string): string[] {
  return (
    text
      .replace(/(.{1,160})(?: |$)|(.{160})/g, '$1$2\n')
      .trimEnd()
      .split('\n')
      // Escapes each line, because a CI executes commands at the beginning of a line.
      .map(inert)
  )
}

const list = (what: string, items: string[]): string[] =>
  items.length === 0 ? [] : wrapped(`${what}: ${items.join('; ')}`)

const FURTHER = {
  hardening: '--hardening adds word lists, odd headers and forged tokens',
  advice: '--advice adds what the contract does not require'
}

export function profiles({ side, profiles }: Report): string[] {
  if (side === 'client') return []
  if (profiles === undefined) return ['Only the cases of --only were run.']
  const others = (['hardening', 'advice'] as const).filter(one => !profiles.includes(one)).map(one => FURTHER[one])
  return [`Profile: ${profiles.join(', ')}. ${others.join('; ')}`.trim()]
}

/** Returns the verdict with its subject, the counts and the duration. */
export function sentence(report: Report): string {
  const { side, target, duration, failedLogins = 0 } = report
  const logins = failedLogins === 0 ? '' : `, with ${many(failedLogins, 'login')} that must fail`
  return `The ${side} ${cut(target, 100)} ${verdict(report)}: ${numbers(report.counts)}, in ${(duration / 1000).toFixed(1)} s${logins}.`
}

function heading(result: Result): string {
  const outcome = outcomeOf(result)
  return paint(STYLES[outcome], `${outcome.toUpperCase()} ${result.id}`)
}

function ofCause({ what, todo, results, example }: Explanation): string[] {
  const [head = '', ...rest] = inShort(results[0] as Result)
  if (results.length === 1) return [head, cut(`  cause:    ${what} ${todo}`), ...rest]
  const ids = [...new Set(idsOf(results))]
  const more = ids.length > 6 ? `, and ${ids.length - 6} more` : ''
  return [
    paint('red', `${results.length} failed cases have one cause: ${what}`),
    `  ${todo}`,
    cut(`  cases:    ${ids.slice(0, 6).join(', ')}${more}`),
    cut(`  sent:     ${example.sent}`),
    cut(`  actual:   ${example.came}`)
  ]
}

function inShort(result: Result): string[] {
  const { clause, title, failures = [] } = result
  return [`${heading(result)}: ${clause}: ${title}`, ...failures.slice(0, 1).flatMap(parts)].map(line => cut(line))
}

function inFull(result: Result): string[] {
  const { clause, level, title, failures = [] } = result
  const contract = `  contract: ${clause} (${level}): ${clauses.get(clause)}`
  return [`${heading(result)}: ${title}`, contract, ...failures.flatMap(parts)]
}

const parts = ({ sent, expected, came }: Failure): string[] => [
  `  sent:     ${sent}`,
  `  expected: ${expected.join('; ')}`,
  `  actual:   ${came}`
]

/** Returns the verdict, as the end of a sentence whose subject is the checked side. */
export function verdict({ conforms, obstacle, counts, leftOut, wrongExpectations, results }: Report): string {
  const why = obstacle === undefined ? '' : `: ${obstacle}`
  if (counts.failed > 0) return `does not conform${why}`
  if (obstacle !== undefined) return `could not be judged${why}`
  const known = results.filter(({ known, status }) => known && status === 'failed').length
  const word = conforms ? 'conforms' : `does not conform: it has ${many(known, 'known failure')}, and no other failures`
  const part = leftOut === 0 ? '' : ` in the ${results.length} of ${results.length + leftOut} cases that were run`
  return `${word}${part}${wrongExpectations.length === 0 ? '' : '; but --expect-failures is wrong'}`
}

function numbers({ ok, failed, known, warning, skipped }: Report['counts']): string {
  const further = [
    warning > 0 && many(warning, 'warning'),
    skipped > 0 && `${skipped} skipped`,
    known > 0 && `${known} known`
  ]
  return [`${ok} ok`, `${failed} failed`, ...further].filter(part => part !== false).join(', ')
}

const many = (count: number, thing: string) => `${count} ${thing}${count === 1 ? '' : 's'}`

export function remarks(report: Report): string[] {
  return [
    ...report.wrongExpectations.map(sentence => `Failed: ${sentence}`),
    ...report.hints.map(hint => `Note: ${hint}`),
    ...notJudged(report).map(text => `Not judged: ${text}`)
  ]
}

/** Returns a text for each reason why requirements were not judged. */
export function notJudged({ notJudged, excluded }: Report): string[] {
  const open = new Map<string, string[]>()
  for (const { what, why } of [...notJudged, ...excluded.map(id => ({ what: id, why: 'excluded' }))])
    open.set(why, [...(open.get(why) ?? []), what])
  return [...open].map(([why, whats]) => `${[...new Set(whats)].join('; ')}: ${why}`)
}
