import { type ServerCase, serverCases } from '../cases.ts'
import { CannotRunError, makeReport, type Report, type Result } from '../report/report.ts'
import { version } from '../version.ts'
import { hints, WRONG_SECRET } from './hints.ts'
import { judgeCase } from './judge-case.ts'
import { LIMITED, ThrottledError } from './line.ts'
import { type CheckServerOptions, checkServerOptions, type ServerOptions } from './options.ts'
import { MissingValueError } from './placeholders.ts'
import { Session } from './session.ts'
import { parseJwt } from './tokens.ts'

/**
 * Judges whether a server keeps the contract, by what it answers. It makes about 230 requests, 25 of them to
 * `POST /auth/login`: for `username` two have a wrong password, and four an empty one or none. A server that asks for
 * a pause with Retry-After gets one, up to 30 seconds in all.
 *
 * @param url base URL of the service; it may have a path prefix
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

  const jobs = select(settings, session.values.base)
  const results: Result[] = []
  let total = jobs.length
  for (const job of jobs) {
    const result = await run(job, session, settings)
    if (result === undefined) total--
    else settings.onResult(results[results.push(result) - 1] as Result, total)
  }
  demandJudgement(results)

  const duration = Math.round(performance.now() - started)
  const about = { side: 'server', target: settings.url.href, version, duration } as const
  const obstacle = obstacleTo(results, session)
  const report = makeReport(
    { ...about, ...(obstacle && { obstacle }), hints: hints(settings, session, results) },
    results
  )
  if (report.conforms && session.isSecretWrong)
    throw new CannotRunError(`${WRONG_SECRET} Give the right one, or none.`)
  return report
}

interface Job {
  test: ServerCase
  path?: string
}

/** The cases for this mode, a case for given routes once for each of them. */
function select({ noAuth, only, protected: paths }: ServerOptions, base: string): Job[] {
  return serverCases.cases
    .filter(({ id, mode = 'auth' }) => (mode === 'no-auth') === noAuth && (only?.includes(id) ?? true))
    .flatMap(test =>
      test.needs?.includes('protected') && paths.length > 0
        ? paths.map(path => ({ test, path: base + path }))
        : [{ test }]
    )
}

/** Undefined when the case is not for this run; asked for by name, it is skipped instead. */
async function run(job: Job, session: Session, settings: ServerOptions): Promise<Result | undefined> {
  const { test, path } = job
  const { id, clause, also, level } = test
  const title = path === undefined ? test.title : `${test.title}: ${path}`
  const about = { id, clause, ...(also && { also }), level, title }
  if (session.isGone) return { ...about, status: 'skipped', note: 'the server does not answer any more' }
  try {
    const lack = await lackOf(job, session, settings)
    if (lack !== undefined) return settings.only && { ...about, status: 'skipped', note: lack }
    await session.provide(test)
    const outcome = await judgeCase(test, session, path)
    return outcome && { ...about, ...outcome }
  } catch (error) {
    return { ...about, status: 'skipped', note: reasonToSkip(error) }
  }
}

/** What the case needs and this run has not. */
async function lackOf(
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
function demandJudgement(results: Result[]): void {
  if (results.some(({ status }) => status !== 'skipped')) return
  throw new CannotRunError(
    `nothing could be judged: ${results[0]?.note ?? 'the case is for the other mode, see --no-auth'}`
  )
}

/**
 * What keeps a server without failures from conforming. That it limits logins does not, when at least one rejection was
 * seen: it may.
 */
function obstacleTo(results: Result[], session: Session): string | undefined {
  if (session.isGone) return 'it does not answer any more'
  const isLimited = ({ id, note = '' }: Result) =>
    note.startsWith(LIMITED) && (id === 'wrong-password' || !session.limitsOnlyLogins)
  return results.some(isLimited) ? 'it limits requests, and too many cases could not be judged' : undefined
}

/** Only what lies with the server is a reason; anything else is an error of the run. */
function reasonToSkip(error: unknown): string {
  if (error instanceof ThrottledError || error instanceof MissingValueError) return error.message
  throw error
}
