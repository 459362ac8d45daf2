import { CannotRunError, makeReport, type Report, type Result } from '../report/report.ts'
import { isSelected, markKnown } from '../report/selection.ts'
import { version } from '../version.ts'
import { type CheckServerOptions, checkServerOptions } from './options.ts'
import { MissingValueError } from './prepare-request.ts'
import { hints, notJudged, WRONG_KEY } from './remarks.ts'
import { LIMITED, ThrottledError } from './retrying-client.ts'
import { exchangesOf, judge, type Outcome } from './run-case.ts'
import { casesFor, type Job, selectJobs } from './select-jobs.ts'
import { Session } from './session.ts'

/**
 * Checks by its responses whether a server keeps the contract. It makes about 450 requests, 50 of them to
 * `POST /auth/login`: for `username` three have a wrong password, and four an empty one or none. A server that asks for
 * a pause with Retry-After gets one, up to 30 seconds in total.
 *
 * @param url base URL of the service; it may have a path prefix
 * @returns the report, with a result for each case
 * @throws CannotRunError when the server cannot be reached, or an option or the credentials are wrong
 *
 * @example
 * const report = await checkServer('http://127.0.0.1:3000', { username: 'demo', password: 'demo-password' })
 * assert(report.conforms, report.results.filter(({ status }) => status === 'failed'))
 */
export async function checkServer(url: string | URL, options: CheckServerOptions = {}): Promise<Report> {
  const settings = checkServerOptions(url, options)
  const session = new Session(settings.url, settings)
  const started = performance.now()

  const jobs = await selectJobs(settings, session)
  const results: Result[] = []
  for (const job of jobs) {
    const result = markKnown({ ...about(job), ...(await runJob(job, session, results)) }, settings)
    results.push(result)
    settings.onResult(result, jobs.length)
  }
  // An empty report must not look like a good one.
  if (results.every(({ status }) => status === 'skipped'))
    throw new CannotRunError(
      `nothing could be checked: ${results[0]?.note ?? 'the case is for the other mode, see --no-auth'}`
    )

  const obstacle = obstacleTo(results, session)
  const report = makeReport(
    {
      side: 'server',
      target: settings.url.href,
      version,
      duration: Math.round(performance.now() - started),
      ...(obstacle && { obstacle }),
      leftOut: casesFor(settings).filter(test => !isSelected(test, settings)).length,
      hints: hints(settings, session, results),
      notJudged: settings.only === undefined ? notJudged(settings, session, results) : []
    },
    results,
    settings
  )
  if (report.asExpected && session.isKeyWrong) throw new CannotRunError(`${WRONG_KEY} Give the right one, or none.`)
  return report
}

function about({ test: { id, clause, also, level, title }, path }: Job): Omit<Result, 'status'> {
  return { id, clause, ...(also && { also }), level, title: path === undefined ? title : `${title}: ${path}` }
}

async function runJob({ test, path, missing }: Job, session: Session, results: Result[]): Promise<Outcome> {
  if (session.client.isServerGone) return { status: 'skipped', note: 'the server no longer responds' }
  if (missing !== undefined) return { status: 'skipped', note: missing }
  if (results.some(result => result.id === test.unless && holds(result)))
    return { status: 'skipped', note: `not needed: ${test.unless} holds` }
  try {
    await session.prepareFor(test)
    return judge(test, await exchangesOf(test, session, path), session)
  } catch (error) {
    if (!(error instanceof ThrottledError || error instanceof MissingValueError)) throw error
    return { status: 'skipped', note: error.message }
  }
}

function holds({ level, status, note }: Result): boolean {
  return status === 'ok' && (level !== 'OBSERVED' || note === 'yes')
}

/**
 * Why a server without failures does not conform. A server may limit logins, so that this is no reason when at least
 * one rejection was checked.
 */
function obstacleTo(results: Result[], session: Session): string | undefined {
  if (session.client.isServerGone) return 'it no longer responds'
  const isLimited = ({ id, note = '' }: Result) =>
    note.startsWith(LIMITED) && (id === 'wrong-password' || !session.limitsOnlyLogins)
  return results.some(isLimited) ? 'it limits requests, and too many cases could not be checked' : undefined
}
