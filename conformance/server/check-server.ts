import { version } from '../cases.ts'
import {
  CannotRunError,
  countLeftOut,
  demandCases,
  isSelected,
  makeReport,
  markKnown,
  type Report,
  type Result,
  SkipError
} from '../report/report.ts'
import { serverCases } from './cases/index.ts'
import { isObject } from './json.ts'
import { missingFor, notJudged, readsToken } from './needs.ts'
import { type CheckServerOptions, checkServerOptions, type ServerOptions } from './options.ts'
import { isRejection } from './retrying-client.ts'
import { Run } from './run.ts'
import { type Outcome, runCase, skipped } from './run-case.ts'
import type { ServerCase } from './server-case.ts'
import { isSuccess } from './statuses.ts'
import type { JudgedResponse } from './values.ts'

/**
 * Sends requests to a server and checks the responses against the contract. Runs the core cases, unless the options
 * select more or other cases. The report counts the logins that the server had to reject. Honours Retry-After: waits at
 * most 30 seconds in total, and in addition once for the login, as long as the server demands, within `limit`.
 *
 * @param url base URL of the service; it may have a path prefix
 * @returns the report, with a result for each case
 * @throws CannotRunError if the server is unreachable, is not a screen service, or rejects the credentials, or if an
 *   option is wrong
 *
 * @example
 * const report = await checkServer('http://127.0.0.1:3000', { username: 'demo', password: 'demo-password' })
 * assert(report.conforms, report.results.filter(({ status }) => status === 'failed'))
 */
export async function checkServer(url: string | URL, options: CheckServerOptions = {}): Promise<Report> {
  const settings = checkServerOptions(url, options)
  demandCases(settings, serverCases)
  const run = new Run(settings)
  const started = performance.now()
  if (settings.only === undefined) {
    await requireScreenService(settings, run)
    await requireSecondUser(settings, run)
  }
  const jobs = await selectJobs(settings, run)
  const results: Result[] = []
  for (const job of jobs) {
    const begun = performance.now()
    const outcome = await runJob(job, run)
    const duration = Math.round(performance.now() - begun)
    const result = markKnown({ ...resultFields(job), ...outcome, duration }, settings)
    results.push(result)
    settings.onResult(result, jobs.length)
  }
  // A report without judged cases would look like a success.
  if (results.every(({ status }) => status === 'skipped'))
    throw new CannotRunError(
      `nothing could be checked: ${results[0]?.note ?? 'the case is for the other mode, see --no-auth'}`
    )

  const obstacle = obstacleTo(results, run, settings.limit)
  const report = makeReport(
    {
      side: 'server',
      target: settings.url.href,
      version,
      duration: Math.round(performance.now() - started),
      obstacle,
      leftOut: countLeftOut(casesFor(settings), settings),
      failedLogins: run.failedLogins,
      hints: hintsOf(settings, run, results),
      notJudged: settings.only === undefined ? notJudged(casesFor(settings), settings, run, results) : []
    },
    results,
    settings
  )
  if (report.asExpected && run.isKeyWrong) throw new CannotRunError(`${WRONG_KEY} Give the right key, or no key.`)
  return report
}

const WRONG_KEY = 'The server does not sign its tokens with the given key.'

const MEMBERS = ['layout', 'menu', 'sections', 'success', 'auth_action']

async function requireScreenService({ url, noAuth }: ServerOptions, run: Run): Promise<void> {
  const isOfService = ({ status, body }: JudgedResponse) =>
    status === 401 || (isObject(body) && (noAuth ? status === 200 : MEMBERS.some(name => body[name] != null)))
  const statuses: number[] = []
  for (const name of ['menu without token', 'form', ...(noAuth ? [] : ['login'])]) {
    const response = (await run.named(name))?.response
    if (response === undefined || isOfService(response)) return
    statuses.push(response.status)
  }
  throw new CannotRunError(
    `${url.href.replace(/\/$/, '')} is not a screen service: GET /menu/main responds with ${statuses[0]}, and GET /auth/login with ${statuses[1]}. Is the URL right?`
  )
}

/**
 * Throws a CannotRunError if the server rejects only the second user. The second user logs in first, because some
 * servers allow one user at a time.
 */
async function requireSecondUser({ secondUsername }: ServerOptions, run: Run): Promise<void> {
  if (secondUsername === undefined) return
  const second = (await run.named('login of the second user'))?.response
  const first = (await run.named('login'))?.response
  if (isRejection(second) && !isRejection(first))
    throw new CannotRunError(
      'the server rejected the second username and the second password: give credentials that it accepts'
    )
}

/** A case, its `--protected` route, and a message for the first of its needs that this run lacks. */
interface Job {
  test: ServerCase
  path?: string
  missing?: string | undefined
}

const casesFor = ({ noAuth }: ServerOptions): ServerCase[] =>
  serverCases.filter(({ subject }) => (subject === 'no-auth') === noAuth)

/** Returns the cases of this run. Includes a case in `only` even if the run lacks one of its needs. */
async function selectJobs(settings: ServerOptions, run: Run): Promise<Job[]> {
  const { only, protected: paths } = settings
  const cases = casesFor(settings).filter(test => isSelected(test, settings))
  // The form of the token decides which cases are possible.
  if (cases.some(readsToken)) await run.named('login')
  return cases
    .map(test => ({ test, missing: missingFor(test, settings, run) }))
    .filter(({ missing }) => missing === undefined || only !== undefined)
    .flatMap(job =>
      job.test.needs?.includes('protected') && paths.length > 0 ? paths.map(path => ({ ...job, path })) : [job]
    )
}

function resultFields({ test: { id, clause, also, level, hardening, title }, path }: Job): Omit<Result, 'status'> {
  return { id, clause, also, level, hardening, title: path === undefined ? title : `${title}: ${path}` }
}

async function runJob({ test, path, missing }: Job, run: Run): Promise<Outcome> {
  if (run.client.isServerGone) return skipped('gone', 'the server no longer responds')
  if (missing !== undefined) return skipped('option', missing)
  run.path = path
  try {
    await run.renewToken()
    return await runCase(test, run)
  } catch (error) {
    if (!(error instanceof SkipError)) throw error
    return skipped(error.reason, error.message)
  }
}

/**
 * Returns why the run has no verdict, even if no case failed. A server may limit logins. If it limits only logins, the
 * run has a verdict unless the limit prevented the case `wrong-password`.
 */
function obstacleTo(results: Result[], run: Run, limit: number): string | undefined {
  if (results.some(({ reason }) => reason === 'out of time'))
    return `the run reached its limit of ${limit} s before all cases were judged`
  if (run.client.isServerGone) return 'it no longer responds'
  const isLimited = ({ id, reason }: Result) =>
    reason === 'limited' && (id === 'wrong-password' || !run.limitsOnlyLogins)
  return results.some(isLimited) ? 'it limits requests, and too many cases could not be checked' : undefined
}

function hintsOf({ noAuth }: ServerOptions, run: Run, results: Result[]): string[] {
  const { responses } = run.known
  const [isOpen, hasForm] = ['menu without token', 'form'].map(name => isSuccess(responses.get(name)?.status))
  const isLimited = results.some(({ reason }) => reason === 'limited')
  const isGuarded = noAuth && results.some(({ id, status }) => id === 'open-menu' && status === 'failed')
  const all: [boolean, string][] = [
    [run.isKeyWrong, WRONG_KEY],
    [isLimited, 'The server limits requests, and some cases could not be checked: try again later.'],
    [!noAuth && isOpen === true && !hasForm, 'Does the server run in the no-auth mode? Then use --no-auth.'],
    [isGuarded, 'Does the server run with a login? Then omit --no-auth, and give a username and a password.']
  ]
  return all.filter(([applies]) => applies).map(([, hint]) => hint)
}
