import type { Case } from '../cases.ts'
import { inert } from './quote.ts'

/** A set of cases that is run or not. `core` is what the contract demands, `advice` every SHOULD and OBSERVED. */
export type Profile = 'core' | 'hardening' | 'advice'

/** What is known of a request and its response, to find out why it failed. */
export interface Facts {
  method: string
  /** Below the base URL, without its query. */
  path: string
  /** Of a token outside of `Authorization: Bearer`: `elsewhere`. */
  token: 'none' | 'valid' | 'invalid' | 'elsewhere'
  hasBody: boolean
  /** Absent when there was no response. */
  status?: number
  /** Whether the body is a JSON object with a layout. */
  isScreen: boolean
  /** Whether that is the login form. */
  isForm?: boolean
  isJson: boolean
  location?: string
}

/** A request with another outcome than expected. Secrets are masked. */
export interface Failure {
  /** The request: to a server as a curl command, of a client without its values. */
  sent: string
  /** What was expected and does not hold. */
  expected: string[]
  /** Of a server the status, some headers and the beginning of the body; of a client what it did wrong. */
  came: string
  /** Of a server only. */
  facts?: Facts
}

/** More failures of one case say nothing more. */
export const MOST_FAILURES = 10

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
  /** The profiles that were run; absent for a client, and where `only` names the cases. */
  profiles?: Profile[]
  /** Why the run could not judge the side: too many cases could not be checked, or its time was over. */
  obstacle?: string
  /** Duration in milliseconds. */
  duration: number
  counts: Record<Outcome, number>
  /** How many logins the run sent that must fail. */
  failedLogins?: number
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

/** Which cases are run, and which are known to fail. */
export interface Selection {
  /** The only cases to run, of any profile: ids, or clauses such as 5.3, which has 5.3.1 in it. */
  only?: readonly string[] | undefined
  /** Runs the hardening too: word lists, tricks with headers, forged tokens. Default for a server: false. */
  hardening?: boolean | undefined
  /** Runs the advice too: what the contract does not demand. Default for a server: false. */
  advice?: boolean | undefined
  /** Ids of cases to leave out. */
  exclude?: readonly string[] | undefined
  /** Ids of cases that fail, which is known and accepted. One that does not fail any more makes the run fail. */
  expectFailures?: readonly string[] | undefined
}

/** Returns the report on results: counts them, decides whether the side conforms, and makes every text inert. */
export function makeReport(
  about: Pick<Report, 'side' | 'target' | 'version' | 'duration' | 'hints' | 'obstacle'> &
    Partial<Pick<Report, 'leftOut' | 'notJudged' | 'failedLogins'>>,
  results: Result[],
  selection: Selection = {}
): Report {
  const { only, exclude = [], expectFailures = [] } = selection
  const counts = { ok: 0, failed: 0, known: 0, warning: 0, skipped: 0 }
  for (const result of results) counts[outcomeOf(result)]++
  const wrongExpectations = expectFailures.flatMap(id => wrongExpectation(id, results) ?? [])
  const isChecked = about.obstacle === undefined
  const report: Report = {
    leftOut: 0,
    notJudged: [],
    ...about,
    ...(about.side === 'server' && only === undefined && { profiles: profilesOf(selection) }),
    conforms: isChecked && results.every(({ status }) => status !== 'failed'),
    asExpected: isChecked && counts.failed === 0 && wrongExpectations.length === 0,
    counts,
    excluded: [...exclude],
    wrongExpectations,
    results
  }
  return JSON.parse(JSON.stringify(report), (_, value) => (typeof value === 'string' ? inert(value) : value))
}

/** What a result counts as. */
export function outcomeOf({ status, known }: Result): Outcome {
  return known ? 'known' : status
}

/** The profile of a case. */
export function profileOf({ level, hardening }: Case): Profile {
  if (hardening) return 'hardening'
  return level === 'MUST' ? 'core' : 'advice'
}

/** The profiles that are run: all where nothing is said about them, as for a client. */
function profilesOf({ hardening = true, advice = true }: Selection): Profile[] {
  return ['core', ...(hardening ? (['hardening'] as const) : []), ...(advice ? (['advice'] as const) : [])]
}

/** Throws an OptionError that names the first text that is no case, or a case that would have to be run and is not. */
export function demandCases(selection: Selection, cases: readonly Case[]): void {
  const { only = [], exclude = [], expectFailures = [] } = selection
  const what = only.find(name => !cases.some(test => isNamed(test, name)))
  if (what !== undefined) throw new OptionError(`there is no case and no clause '${what}' for --only`)
  for (const [option, ids] of Object.entries({ exclude, 'expect-failures': expectFailures })) {
    const unknown = ids.find(id => !cases.some(test => test.id === id))
    if (unknown !== undefined) throw new OptionError(`there is no case ${unknown} for --${option}`)
  }
  if (selection.only !== undefined) return
  const idle = cases.find(test => expectFailures.includes(test.id) && !isInProfile(test, selection))
  if (idle === undefined) return
  const profile = profileOf(idle)
  throw new OptionError(
    `${idle.id} of --expect-failures is run with --${profile} only: give --${profile}, or take it out of the file`
  )
}

/** Whether a name is the id of the case, or one of its clauses, or what these begin with. */
function isNamed({ id, clause, also = [] }: Case, name: string): boolean {
  return (
    id === name ||
    [clause, ...also].some(one => one === name || one.startsWith(`${name}.`) || one.startsWith(`${name} `))
  )
}

function isInProfile(test: Case, selection: Selection): boolean {
  return profilesOf(selection).includes(profileOf(test))
}

/** Whether a case is run. */
export function isSelected(test: Case, selection: Selection): boolean {
  const { only, exclude = [] } = selection
  const isWanted = only?.some(name => isNamed(test, name)) ?? isInProfile(test, selection)
  return isWanted && !exclude.includes(test.id)
}

/** How many of the cases `only` and `exclude` leave out; a profile leaves none out. */
export function countLeftOut(cases: readonly Case[], selection: Selection): number {
  const { only } = selection
  return cases.filter(test => !isSelected(test, selection) && (only !== undefined || isInProfile(test, selection)))
    .length
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
