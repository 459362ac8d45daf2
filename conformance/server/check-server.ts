import { type ServerCase, serverCases } from '../cases.ts'
import { CannotRunError, makeReport, type Report, type Result } from '../report/report.ts'
import { version } from '../version.ts'
import { judgeCase } from './judge-case.ts'
import { ThrottledError } from './line.ts'
import { type CheckServerOptions, checkServerOptions, type ServerOptions } from './options.ts'
import { MissingValueError } from './placeholders.ts'
import { Session } from './session.ts'
import { isHmac, parseJwt } from './tokens.ts'

/**
 * Judges whether a server keeps the contract, by what it answers. It makes about 220 requests, 23 of them to
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

  const jobs = select(settings)
  const results: Result[] = []
  for (const { test, path } of jobs) {
    const result = await run(test, path, session, settings)
    if (result === undefined) continue
    results.push(result)
    settings.onResult(result, jobs.length)
  }

  const duration = Math.round(performance.now() - started)
  const about = { side: 'server', target: settings.url.href, version, duration } as const
  const report = makeReport({ ...about, hints: hints(settings, session, results) }, results)
  if (report.conforms && session.isSecretWrong)
    throw new CannotRunError(`${WRONG_SECRET}: give the right one, or none`)
  return report
}

interface Job {
  test: ServerCase
  path?: string
}

/** The cases for this mode, a case for given routes once for each of them. */
function select({ noAuth, only, protected: paths, secret, url }: ServerOptions): Job[] {
  const base = url.pathname.replace(/\/+$/, '')
  return serverCases.cases
    .filter(({ id, mode = 'auth' }) => (mode === 'no-auth') === noAuth && (only?.includes(id) ?? true))
    .filter(({ needs }) => secret !== undefined || !needs?.includes('secret'))
    .flatMap(test =>
      test.needs?.includes('protected') ? paths.map(path => ({ test, path: base + path })) : [{ test }]
    )
}

/** Undefined when the case is not for this server: it needs a JWT or the secret. */
async function run(
  test: ServerCase,
  path: string | undefined,
  session: Session,
  settings: ServerOptions
): Promise<Result | undefined> {
  const { id, clause, also, level, title, needs = [] } = test
  const about = {
    id,
    clause,
    ...(also && { also }),
    level,
    title: path === undefined ? title : `${title}: ${path}`
  }
  if (session.isGone) return { ...about, status: 'skipped', note: 'the server does not answer any more' }
  try {
    await session.provide(test)
    if (needs.includes('jwt') && parseJwt(session.values.token ?? '') === undefined) return undefined
    if (needs.includes('secret') && session.values.key === undefined) return undefined
    return { ...about, ...(await judgeCase(test, session, settings.url.origin, path)) }
  } catch (error) {
    return { ...about, status: 'skipped', note: reasonToSkip(error) }
  }
}

/** Only what lies with the server is a reason; anything else is an error of the run. */
function reasonToSkip(error: unknown): string {
  if (error instanceof ThrottledError) return error.message
  if (error instanceof MissingValueError) return `it needs ${error.message}, and there was none`
  throw error
}

const WRONG_SECRET = 'the server signs its tokens with another secret than the given one'

/** What could not be judged, and what looks like a slip. */
function hints(
  { noAuth, secret }: ServerOptions,
  { values, isSecretWrong }: Session,
  results: Result[]
): string[] {
  const jwt = parseJwt(values.token ?? '')
  const failed = (id: string) => results.some(result => result.id === id && result.status === 'failed')
  const all: [boolean, string][] = [
    [
      secret === undefined && jwt !== undefined && isHmac(jwt),
      'the tokens are JWTs: with the signing secret, expired ones and others would be judged too'
    ],
    [isSecretWrong, WRONG_SECRET],
    [
      secret !== undefined && !isSecretWrong && values.token !== undefined && values.key === undefined,
      'the tokens are no JWTs that a secret signs: the secret was not used'
    ],
    [
      results.some(({ note }) => note?.startsWith('the server limits') ?? false),
      'the server limits requests, and some cases could not be judged: try again later'
    ],
    [
      !noAuth && failed('menu-without-token') && failed('invalid-token'),
      'does the server run in the no-auth mode?'
    ],
    [noAuth && failed('open-menu'), 'does the server run with a login?']
  ]
  return all.filter(([applies]) => applies).map(([, hint]) => hint)
}
