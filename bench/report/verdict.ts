import { TOLERANCE } from '../targets.ts'
import type { Result } from './report.ts'

/** Every ratio that is far above its target, as text. */
export function regressions(results: Result[]): string[] {
  return results.flatMap(({ scenario, rows }) =>
    rows.flatMap(({ label, ratio, target }) =>
      target === undefined || ratio.median <= TOLERANCE * target
        ? []
        : [
            `${scenario}: ${label} has the ratio ${ratio.median}, more than ${TOLERANCE} times its target ${target}`
          ]
    )
  )
}
