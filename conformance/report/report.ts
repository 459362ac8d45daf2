import type { Case } from '../cases.ts'

/** One request that was not answered as it should be. Secrets in it are masked. */
export interface Failure {
  /** What was sent, as a curl command. */
  sent: string
  /** What was expected and is not so, a line each. */
  expected: string[]
  /** What came: the status line, the headers and the beginning of the body. */
  came: string
}

/** How a case ended. A SHOULD that is not met is a warning. */
export type Status = 'ok' | 'failed' | 'warning' | 'skipped'

/** The result of one case. */
export interface Result extends Case {
  status: Status
  /** What was observed, or why it was skipped. */
  note?: string
  failures?: Failure[]
}

/** What a run of the kit found out. */
export interface Report {
  /** Which side was judged. */
  side: 'server' | 'client'
  /** The base URL of the server, or the name of the client. */
  target: string
  /** Version of this package. */
  version: string
  /** Whether every MUST holds and could be judged. */
  conforms: boolean
  /** Why a side that fails nothing does not conform all the same: too much of it could not be judged. */
  obstacle?: string
  /** Duration in milliseconds. */
  duration: number
  counts: Record<Status, number>
  /** What the person should know besides: what could not be judged, and why. */
  hints: string[]
  results: Result[]
}

/** Sums up results. */
export function makeReport(
  about: Pick<Report, 'side' | 'target' | 'version' | 'duration' | 'hints' | 'obstacle'>,
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

/** Says why a run could not be made at all: the server cannot be reached, an option or the credentials are wrong. */
export class CannotRunError extends Error {
  override name = 'CannotRunError'
}

/** Says that an option is wrong, or that one is missing. */
export class OptionError extends CannotRunError {}
