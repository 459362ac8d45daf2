import type { Case } from '../cases.ts'

/** A request with another outcome than expected. Secrets are masked. */
export interface Failure {
  /** The request: to a server as a curl command, of a client without its values. */
  sent: string
  /** What was expected and does not hold, a line each. */
  expected: string[]
  /** Of a server the status, some headers and the beginning of the body; of a client what it did wrong. */
  came: string
}

/** How a case ended. A SHOULD that fails is a warning. */
export type Status = 'ok' | 'failed' | 'warning' | 'skipped'

/** What the results are counted by: a failure or a warning that was expected is a known one instead. */
export type Outcome = Status | 'known'

/** The result of one case. */
export interface Result extends Case {
  status: Status
  /** Whether it failed, as a MUST or a SHOULD, and `expectFailures` names it. */
  known?: true
  /** What was observed, or why it was skipped. */
  note?: string
  failures?: Failure[]
}

/** Something that this run could not judge. */
export interface NotJudged {
  /** For example `expiry`. */
  what: string
  /** What would make it possible, for example `--expired-token or --key`. */
  give: string
}

/** The outcome of a run of the kit. */
export interface Report {
  /** Which side was checked. */
  side: 'server' | 'client'
  /** The base URL of the server, or of the scripted server that the client talked to. */
  target: string
  /** Version of this package. */
  version: string
  /** Whether every MUST holds and could be checked. A known failure is one: with it, the side does not conform. */
  conforms: boolean
  /** Whether nothing is wrong but the known failures: exit status 0. Without `expectFailures` the same as `conforms`. */
  asExpected: boolean
  /** Why a side without failures does not conform: too many cases could not be checked. */
  obstacle?: string
  /** Duration in milliseconds. */
  duration: number
  counts: Record<Outcome, number>
  /** How many cases `only` and `exclude` left out. */
  leftOut: number
  /** The ids of `exclude`. */
  excluded: string[]
  /** What is wrong with `expectFailures`, as sentences: one that has not failed would hide the next failure. */
  wrongExpectations: string[]
  /** What could not be checked and why, and which option looks wrong. */
  hints: string[]
  /** What the contract says and this run has not judged. */
  notJudged: NotJudged[]
  results: Result[]
}

/** Which cases are run, and which are known to fail; ids of cases. */
export interface Selection {
  /** The only cases to run. Default: all. */
  only?: readonly string[] | undefined
  /** Cases to leave out. */
  exclude?: readonly string[] | undefined
  /** Cases that fail, which is known and accepted. One that does not fail any more makes the run fail. */
  expectFailures?: readonly string[] | undefined
}

/** Returns the report on results: counts them and decides whether the side conforms. */
export function makeReport(
  about: Pick<Report, 'side' | 'target' | 'version' | 'duration' | 'hints' | 'obstacle'> &
    Partial<Pick<Report, 'leftOut' | 'notJudged'>>,
  results: Result[],
  { exclude = [], expectFailures = [] }: Selection = {}
): Report {
  const counts = { ok: 0, failed: 0, known: 0, warning: 0, skipped: 0 }
  for (const result of results) counts[outcomeOf(result)]++
  const wrongExpectations = expectFailures.flatMap(id => wrongExpectation(id, results) ?? [])
  const isChecked = about.obstacle === undefined
  return {
    leftOut: 0,
    notJudged: [],
    ...about,
    conforms: isChecked && results.every(({ status }) => status !== 'failed'),
    asExpected: isChecked && counts.failed === 0 && wrongExpectations.length === 0,
    counts,
    excluded: [...exclude],
    wrongExpectations,
    results
  }
}

/** What a result counts as. */
export function outcomeOf({ status, known }: Result): Outcome {
  return known ? 'known' : status
}

/** Throws an OptionError that names the first id of no case. */
export function demandCases({ only = [], exclude = [], expectFailures = [] }: Selection, cases: readonly Case[]): void {
  for (const [option, ids] of Object.entries({ only, exclude, 'expect-failures': expectFailures })) {
    const unknown = ids.find(id => !cases.some(one => one.id === id))
    if (unknown !== undefined) throw new OptionError(`there is no case ${unknown} for --${option}`)
  }
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
function wrongExpectation(id: string, results: readonly Result[]): string | undefined {
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

/** Says why there is no report: the server cannot be reached, an option or the credentials are wrong. */
export class CannotRunError extends Error {
  override name = 'CannotRunError'
}

/** Says that an option is wrong, or that one is missing. */
export class OptionError extends CannotRunError {}
