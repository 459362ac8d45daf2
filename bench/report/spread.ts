import { quantileSorted } from 'simple-statistics'
import type { Spread } from './report.ts'

/** Rounded to three decimals, which is below the noise. */
export function spreadOf(values: number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (part: number) => Number(quantileSorted(sorted, part).toFixed(3))
  return { median: at(0.5), low: at(0.25), high: at(0.75) }
}
