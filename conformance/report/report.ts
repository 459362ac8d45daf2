import type { Case, Subject } from '../cases.ts'

/** A set of cases. `core` and `hardening`: requirements of the contract; `advice`: every SHOULD and OBSERVED case. */
export type Profile = 'core' | 'hardening' | 'advice'

/** Facts about a request to a server and its response, to find the cause of a failure. */
export interface Facts {
  subject: Subject
  method: string
  /** Relative to the base URL, without the query. */
  path: string
  /** Whether the path is one of `--protected`. */
  isOwnRoute: boolean
  /** The kind of the token in Authorization: Bearer. */
  token: 'none' | 'valid' | 'invalid'
  hasBody: boolean
  /** 0 if there was no response. */
  status: number
  /** Whether the body is a JSON object with a layout. */
  isScreen: boolean
  /** Whether the body is the login form. */
  isForm: boolean
  /** Whether the body says that a login succeeded. */
  isAccepted: boolean
  location?: string | undefined
  /** The property or the claim that is missing. */
  missing?: string | undefined
}

/** The place of a request of a client, to find the cause of a failure. */
export interface Place {
  scenario: string
  /** Absent if a request is missing. */
  request?: number
}

/** A request with an unexpected outcome. Secrets are masked. */
export interface Failure {
  /** The request: for a server, a curl command; for a client, the request without its values. */
  sent: string
  /** The violated expectations. */
  expected: string[]
  /** For a server, the status, some headers and the beginning of the body; for a client, its fault. */
  came: string
  /** Only for a server. */
  facts?: Facts
  /** Only for a client. */
  place?: Place
}

/** Maximum number of reported failures per case. */
export const MOST_FAILURES = 10

/** If a SHOULD case fails, the status is `warning`. */
export type Status = 'ok' | 'failed' | 'warning' | 'skipped'

/** A status for counting. `known` replaces `failed` or `warning` if the failure was expected. */
export type Outcome = Status | 'known'

/** The result of one case. */
export interface Result extends Case {
  status: Status
  /** Whether `expectFailures` names the case, and the case failed or has a warning. */
  known?: true
  /** The observation, or in words the reason why the case was skipped. */
  note?: string
  reason?: SkipReason
  failures?: Failure[]
  /** Duration in milliseconds. The cases of a client share the duration of their scenario. */
  duration?: number
}

/**
 * Why a case was skipped. `limited`: the server limits requests; `out of time`: the run reached its limit; `gone`: the
 * server no longer responds; `option`: the run lacks an option, or the token has another format; `unseen`: no response or
 * request had what the case judges.
 */
export type SkipReason = 'limited' | 'out of time' | 'gone' | 'option' | 'unseen'

/** A MUST that this run could not judge. */
export interface NotJudged {
  /** The requirement: an id, or a sentence. */
  what: string
  /** The reason, for example `give --expired-token or --key`. */
  why: string
}

/** The outcome of a run of the kit. */
export interface Report {
  side: 'server' | 'client'
  /** The base URL of the server, or of the scripted server for the client. */
  target: string
  /** Version of this package. */
  version: string
  /** The date and the time of the report, as ISO text. */
  date: string
  /** Whether the run could judge the side, and no MUST case failed. A known failure counts as a failure. */
  conforms: boolean
  /** Whether the exit status is 0: as `conforms`, but known failures do not count, and `wrongExpectations` do. */
  asExpected: boolean
  /** The profiles of the run; absent for a client, and if `only` is set. */
  profiles?: Profile[]
  /** Why the run could not judge the side, for example because it reached its time limit. */
  obstacle?: string | undefined
  /** Duration in milliseconds. */
  duration: number
  counts: Record<Outcome, number>
  /** Number of logins in the run that the server had to reject. */
  failedLogins?: number
  /** Number of cases that the run omitted because of `only` and `exclude`. */
  leftOut: number
  /** The ids in `exclude`. */
  excluded: string[]
  /** Sentences about expected failures that did not occur, and would hide a later failure. */
  wrongExpectations: string[]
  /** Notes about checks that were not possible, and about options that look wrong. */
  hints: string[]
  /** The requirements of the contract that this run has not judged. */
  notJudged: NotJudged[]
  results: Result[]
}

/** Selects the cases to run, and the known failures. */
export interface Selection {
  /** Runs only these cases, of any profile. Each entry is an id or a clause. The clause 5.3 includes 5.3.1. */
  only?: readonly string[] | undefined
  /** Also runs the hardening cases: word lists, odd headers, forged tokens. Default for a server: false. */
  hardening?: boolean | undefined
  /** Also runs the advice cases: what the contract does not require. Default for a server: false. */
  advice?: boolean | undefined
  /** Ids of cases to omit. */
  exclude?: readonly string[] | undefined
  /** Ids of cases with known failures. If one of these cases no longer fails, the run fails. */
  expectFailures?: readonly string[] | undefined
}

/** Builds the report: counts the results, decides whether the side conforms, and escapes every text with `inert`. */
export function makeReport(
  about: Pick<Report, 'side' | 'target' | 'version' | 'duration' | 'hints' | 'obstacle'> &
    Partial<Pick<Report, 'leftOut' | 'notJudged' | 'failedLogins'>>,
  results: Result[],
  selection: Selection = {}
): Report {
  const { only, exclude = [], expectFailures = [] } = selection
  const counts = { ok: 0, failed: 0, known: 0, warning: 0, skipped: 0 }
  for (const result of results) counts[outcomeOf(result)]++
  const wrongExpectations = [...new Set(expectFailures)].flatMap(id => wrongExpectation(id, results) ?? [])
  const isChecked = about.obstacle === undefined
  const report: Report = {
    leftOut: 0,
    notJudged: [],
    date: new Date().toISOString(),
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

/**
 * Returns an untrusted text as one line that is safe in a terminal and in a CI log. Escapes invisible characters and
 * all text that GitHub, Azure or TeamCity would execute as a command.
 */
export function inert(text: string): string {
  return text
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, escapeOf)
    .replace(/##(?=\w*\[)/g, '#\\x23')
    .replace(/^(\s*):(?=:)/, '$1\\x3a')
}

const SHORT: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

function escapeOf(character: string): string {
  const code = (character.codePointAt(0) as number).toString(16)
  return SHORT[character] ?? (code.length > 2 ? `\\u{${code}}` : `\\x${code.padStart(2, '0')}`)
}

export const outcomeOf = ({ status, known }: Result): Outcome => (known ? 'known' : status)

export function profileOf({ level, hardening }: Case): Profile {
  if (hardening) return 'hardening'
  return level === 'MUST' ? 'core' : 'advice'
}

/** Returns the profiles to run. The options default to true here, for a client; `checkServer` always passes them. */
const profilesOf = (selection: Selection): Profile[] =>
  (['core', 'hardening', 'advice'] as const).filter(one => one === 'core' || (selection[one] ?? true))

export function demandCases(selection: Selection, cases: readonly Case[]): void {
  const { only = [], exclude = [], expectFailures = [] } = selection
  const what = only.find(name => !cases.some(test => isNamed(test, name)))
  if (what !== undefined) throw new OptionError(`there is no case and no clause '${what}' for --only`)
  for (const [option, ids] of Object.entries({ exclude, 'expect-failures': expectFailures })) {
    const unknown = ids.find(id => !cases.some(test => test.id === id))
    if (unknown !== undefined) throw new OptionError(`there is no case ${unknown} for --${option}`)
  }
}

/** Returns whether a name is the id of the case, one of its clauses, or a parent of one of its clauses. */
const isNamed = ({ id, clause, also = [] }: Case, name: string) =>
  [id, clause, ...also].some(one => one === name || one.startsWith(`${name}.`) || one.startsWith(`${name} `))

const isInProfile = (test: Case, selection: Selection) => profilesOf(selection).includes(profileOf(test))

export function isSelected(test: Case, selection: Selection): boolean {
  const { only, exclude = [] } = selection
  const isWanted = only?.some(name => isNamed(test, name)) ?? isInProfile(test, selection)
  return isWanted && !exclude.includes(test.id)
}

/** Counts the cases that `only` and `exclude` omit. Without `only`, cases of other profiles do not count. */
export function countLeftOut(cases: readonly Case[], selection: Selection): number {
  const { only } = selection
  return cases.filter(test => !isSelected(test, selection) && (only !== undefined || isInProfile(test, selection)))
    .length
}

export function markKnown(result: Result, { expectFailures = [] }: Selection): Result {
  return hasFailed(result) && expectFailures.includes(result.id) ? { ...result, known: true } : result
}

/** Returns why `--expect-failures` must not name this case; undefined if the case has failed as expected. */
function wrongExpectation(id: string, results: readonly Result[]): string | undefined {
  const own = results.filter(result => result.id === id)
  if (own.some(hasFailed)) return undefined
  const skipped = own.find(({ status }) => status === 'skipped')
  if (own.length === 0) return `${id} was not run: remove it from --expect-failures, or let the kit run it`
  if (skipped !== undefined)
    return `${id} was skipped (${skipped.note}): remove it from --expect-failures, or let the kit judge it`
  return `${id} no longer fails: remove it from --expect-failures`
}

const hasFailed = ({ status }: Result) => status === 'failed' || status === 'warning'

/** There is no report, for example because the server is unreachable or rejects the credentials. */
export class CannotRunError extends Error {
  override name = 'CannotRunError'
}

/** A case cannot be judged in this run. */
export class SkipError extends CannotRunError {
  readonly reason: SkipReason

  constructor(message: string, reason: SkipReason) {
    super(message)
    this.reason = reason
  }
}

/** An option is invalid or missing. */
export class OptionError extends CannotRunError {}
