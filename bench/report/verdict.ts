import { ROUND_TRIPS, TOLERANCE } from '../targets.ts'
import type { Result, Row } from './report.ts'

/** Every ratio that is far above its target, and every round trip more than there should be, as text. */
export function regressions(results: Result[]): string[] {
  return results.flatMap(({ scenario, rows }) =>
    rows
      .filter(({ target }) => target !== undefined)
      .flatMap(row =>
        [...slowness(row), ...moreRoundTrips(row)].map(text => `${scenario}: ${row.label} ${text}`)
      )
  )
}

function slowness({ ratio, target = 0 }: Row): string[] {
  if (ratio.median <= TOLERANCE * target) return []
  return [`has the ratio ${ratio.median}, more than ${TOLERANCE} times its target ${target}`]
}

function moreRoundTrips({ redis }: Row): string[] {
  if (redis === undefined) return []
  return (['firstUse', 'known', 'rejected', 'login'] as const)
    .filter(use => redis[use].roundTrips > ROUND_TRIPS[use])
    .map(use => `has ${redis[use].roundTrips} round trips instead of ${ROUND_TRIPS[use]} (${use})`)
}
