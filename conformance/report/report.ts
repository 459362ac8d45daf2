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

/** The result of one case. */
export interface Result extends Case {
  status: Status
  /** What was observed, or why it was skipped. */
  note?: string
  failures?: Failure[]
}

/** What a run could not judge, and what it needs for that. */
export interface NotJudged {
  what: string
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
  /** Whether every MUST holds and could be checked. */
  conforms: boolean
  /** Why a side without failures does not conform: too many cases could not be checked. */
  obstacle?: string
  /** Duration in milliseconds. */
  duration: number
  counts: Record<Status, number>
  /** What could not be checked and why, and which option looks wrong. */
  hints: string[]
  /** What the contract says and this run has not judged. */
  notJudged: NotJudged[]
  results: Result[]
}

/** Returns the report on results: counts them and decides whether the side conforms. */
export function makeReport(
  about: Pick<Report, 'side' | 'target' | 'version' | 'duration' | 'hints' | 'notJudged' | 'obstacle'>,
  results: Result[]
): Report {
  const count = (status: Status) => results.filter(result => result.status === status).length
  const counts = {
    ok: count('ok'),
    failed: count('failed'),
    warning: count('warning'),
    skipped: count('skipped')
  }
  return { ...about, conforms: counts.failed === 0 && about.obstacle === undefined, counts, results }
}

/** Says why there is no report: the server cannot be reached, an option or the credentials are wrong. */
export class CannotRunError extends Error {
  override name = 'CannotRunError'
}

/** Says that an option is wrong, or that one is missing. */
export class OptionError extends CannotRunError {}
