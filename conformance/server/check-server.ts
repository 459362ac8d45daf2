import { type ServerCase, serverCases } from '../cases.ts'
import { CannotRunError, makeReport, type Report, type Result } from '../report/report.ts'
import { isSelected, markKnown } from '../report/selection.ts'
import { version } from '../version.ts'
import { hints, WRONG_SECRET } from './hints.ts'
import { type CheckServerOptions, checkServerOptions, type ServerOptions } from './options.ts'
import { MissingValueError } from './placeholders.ts'
import { LIMITED, ThrottledError } from './retrying-client.ts'
import { runCase } from './run-case.ts'
import { Session } from './session.ts'
import { parseJwt } from './tokens.ts'

/**
 * Checks by its responses whether a server keeps the contract. It makes about 230 requests, 25 of them to
 * `POST /auth/login`: for `username` two have a wrong password, and four an empty one or none. A server that asks for
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

  const cases = serverCases.cases.filter(({ mode = 'auth' }) => (mode === 'no-auth') === settings.noAuth)
  const selected = cases.filter(test => isSelected(test, settings))
  const jobs = jobsFor(selected, settings, session.values.base)
  const results: Result[] = []
  let total = jobs.length
  for (const job of jobs) {
    const result = await runJob(job, session, settings)
    if (result === undefined) total--
    else settings.onResult(results[results.push(markKnown(result, settings)) - 1] as Result, total)
  }
  requireResults(results)

  const duration = Math.round(performance.now() - started)
  const leftOut = cases.length - selected.length
  const about = { side: 'server', target: settings.url.href, version, duration, leftOut } as const
  const obstacle = obstacleTo(results, session)
  const report = makeReport(
    { ...about, ...(obstacle && { obstacle }), hints: hints(settings, session, results) },
    results,
    settings
  )
  if (report.asExpected && session.isSecretWrong)
    throw new CannotRunError(`${WRONG_SECRET} Give the right one, or none.`)
  return report
}

/** A case and the route that it is run for. */
interface Job {
  test: ServerCase
  path?: string
}

/** A case that needs a protected route is run once for each of them. */
function jobsFor(cases: ServerCase[], { protected: paths }: ServerOptions, base: string): Job[] {
  return cases.flatMap(test =>
    test.needs?.includes('protected') && paths.length > 0
      ? paths.map(path => ({ test, path: base + path }))
      : [{ test }]
  )
}

/** Undefined when the case is not for this run; asked for by name, it is skipped instead. */
async function runJob(job: Job, session: Session, settings: ServerOptions): Promise<Result | undefined> {
  const { test, path } = job
  const { id, clause, also, level } = test
  const title = path === undefined ? test.title : `${test.title}: ${path}`
  const about = { id, clause, ...(also && { also }), level, title }
  if (session.isServerGone) return { ...about, status: 'skipped', note: 'the server no longer responds' }
  try {
    const missing = await missingFor(job, session, settings)
    if (missing !== undefined) return settings.only && { ...about, status: 'skipped', note: missing }
    await session.prepareFor(test)
    const outcome = await runCase(test, session, path)
    return outcome && { ...about, ...outcome }
  } catch (error) {
    return { ...about, status: 'skipped', note: reasonToSkip(error) }
  }
}

/** What the case needs and this run does not have. */
async function missingFor(
  { test: { needs = [] }, path }: Job,
  session: Session,
  { secret }: ServerOptions
): Promise<string | undefined> {
  if (needs.includes('protected') && path === undefined) return 'it needs a further route: --protected'
  if (needs.includes('secret') && secret === undefined) return 'it needs the signing key: --secret'
  if (!needs.includes('jwt')) return undefined
  await session.named('login')
  const { token = '', key } = session.values
  if (parseJwt(token) === undefined) return 'the token is no JWT'
  return needs.includes('secret') && key === undefined ? 'the secret does not fit the token' : undefined
}

/** An empty report must not look like a good one. */
function requireResults(results: Result[]): void {
  if (results.some(({ status }) => status !== 'skipped')) return
  throw new CannotRunError(
    `nothing could be checked: ${results[0]?.note ?? 'the case is for the other mode, see --no-auth'}`
  )
}

/**
 * Why a server without failures does not conform. A server may limit logins, so that this is no reason when at least
 * one rejection was checked.
 */
function obstacleTo(results: Result[], session: Session): string | undefined {
  if (session.isServerGone) return 'it no longer responds'
  const isLimited = ({ id, note = '' }: Result) =>
    note.startsWith(LIMITED) && (id === 'wrong-password' || !session.limitsOnlyLogins)
  return results.some(isLimited) ? 'it limits requests, and too many cases could not be checked' : undefined
}

/** The reason to skip a case, when the server is the cause. Throws any other error. */
function reasonToSkip(error: unknown): string {
  if (error instanceof ThrottledError || error instanceof MissingValueError) return error.message
  throw error
}
