import type { Case } from '../cases.ts'
import { type Selection, wrongExpectation } from './selection.ts'

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

/** Returns the report on results: counts them and decides whether the side conforms. */
export function makeReport(
  about: Pick<Report, 'side' | 'target' | 'version' | 'duration' | 'hints' | 'obstacle'> &
    Partial<Pick<Report, 'leftOut' | 'notJudged'>>,
  results: Result[],
  { exclude = [], expectFailures = [] }: Selection = {}
): Report {
  const count = (outcome: Outcome) => results.filter(result => outcomeOf(result) === outcome).length
  const counts = {
    ok: count('ok'),
    failed: count('failed'),
    known: count('known'),
    warning: count('warning'),
    skipped: count('skipped')
  }
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

/** Says why there is no report: the server cannot be reached, an option or the credentials are wrong. */
export class CannotRunError extends Error {
  override name = 'CannotRunError'
}

/** Says that an option is wrong, or that one is missing. */
export class OptionError extends CannotRunError {}
