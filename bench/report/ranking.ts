import { CONTROL } from '../contenders.ts'
import type { Report, Result, Row } from './report.ts'

/** One scenario of a report. */
export function resultOf({ results }: Report, scenario: string): Result | undefined {
  return results.find(result => result.scenario === scenario)
}

/** The servers of a scenario, the fastest first, without the control. */
export function ranking({ rows }: Result): Row[] {
  return rows.filter(({ name }) => name !== CONTROL).sort((a, b) => a.ratio.median - b.ratio.median)
}

/** The packages of a row with their versions, or the version of Node if there are none. */
export function versionsOf({ packages }: Row, { node, versions }: Report): string {
  if (packages.length === 0) return `Node ${node}`
  return packages.map(name => `${name} ${versions[name]}`).join(', ')
}
