import type { Report } from './report.ts'

/** Returns what is found about the side, as the end of a sentence that begins with it. */
export function verdict({ conforms, obstacle, counts, leftOut, wrongExpectations, results }: Report): string {
  if (obstacle !== undefined) return `does not conform: ${obstacle}`
  if (counts.failed > 0) return 'does not conform'
  const known = results.filter(({ known, status }) => known && status === 'failed').length
  const word = conforms
    ? 'conforms'
    : `does not conform: it has ${known} known failure${known === 1 ? '' : 's'}, and no others`
  const part =
    leftOut === 0 ? '' : ` in the ${results.length} of ${results.length + leftOut} cases that were run`
  return `${word}${part}${wrongExpectations.length === 0 ? '' : '; but --expect-failures is wrong'}`
}

/** Returns how many results there are of each kind. */
export function numbers({ ok, failed, known, warning, skipped }: Report['counts']): string {
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
