import { CONTROL } from '../contenders.ts'
import type { Result } from './report.ts'

/** For two equal servers: how far the median may be from 1, and how far apart the quartiles may be. */
const QUIET = 0.05
const STEADY = 0.1

/** The noise of the machine, from the second bare Fastify, with a warning when it is too high. */
export function noise({ rows }: Result): string | null {
  const control = rows.find(({ name }) => name === CONTROL)
  if (control === undefined) return null
  const { median, low, high } = control.ratio
  const text = `Noise: two equal servers differ by ${percent(median - 1)}, quartiles ${percent(low - 1)} to ${percent(high - 1)}`
  const isQuiet = Math.abs(median - 1) <= QUIET && high - low <= STEADY
  return isQuiet ? text : `${text}\nWARNING: the machine was too noisy to tell small differences`
}

function percent(part: number): string {
  return `${(part * 100).toFixed(1)} %`
}
