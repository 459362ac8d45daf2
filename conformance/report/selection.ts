import type { Case } from '../cases.ts'
import type { Result } from './report.ts'

/** Which cases are run, and which are known to fail; ids of cases. */
export interface Selection {
  /** The only cases to run. Default: all. */
  only?: readonly string[] | undefined
  /** Cases to leave out. */
  exclude?: readonly string[] | undefined
  /** Cases that fail, which is known and accepted. One that does not fail any more makes the run fail. */
  expectFailures?: readonly string[] | undefined
}

/** Says which id is of no case; undefined when all are right. */
export function unknownCase(
  { only = [], exclude = [], expectFailures = [] }: Selection,
  cases: readonly Case[]
): string | undefined {
  for (const [option, ids] of Object.entries({ only, exclude, 'expect-failures': expectFailures })) {
    const unknown = ids.find(id => !cases.some(one => one.id === id))
    if (unknown !== undefined) return `there is no case ${unknown} for --${option}`
  }
  return undefined
}

/** Whether a case is run. */
export function isSelected({ id }: Case, { only, exclude = [] }: Selection): boolean {
  return (only?.includes(id) ?? true) && !exclude.includes(id)
}

/** Returns the result, marked as known when it is a failure that was expected. */
export function markKnown(result: Result, { expectFailures = [] }: Selection): Result {
  return hasFailed(result) && expectFailures.includes(result.id) ? { ...result, known: true } : result
}

/** Says what is wrong with an expected failure; undefined when the case has failed. A case may have several results. */
export function wrongExpectation(id: string, results: readonly Result[]): string | undefined {
  const own = results.filter(result => result.id === id)
  if (own.some(hasFailed)) return undefined
  const skipped = own.find(({ status }) => status === 'skipped')
  if (own.length === 0) return `${id} was not judged: take it out of --expect-failures`
  if (skipped !== undefined)
    return `${id} was skipped (${skipped.note}): take it out of --expect-failures, or let it be judged`
  return `${id} no longer fails: take it out of --expect-failures`
}

function hasFailed({ status }: Result): boolean {
  return status === 'failed' || status === 'warning'
}
