import { isSelected, type NotJudged, type Result } from '../report/report.ts'
import { isAsymmetric, parseJwt } from './jwt.ts'
import type { ServerOptions } from './options.ts'
import type { Run } from './run.ts'
import type { ServerCase } from './server-case.ts'

/**
 * Whether a run has what a case needs, why the case is skipped otherwise, and the requirement that then is not judged. A
 * need without a requirement does not apply to every server.
 */
type Condition = [holds: unknown, why: string, what?: string]

/** Whether the form of the token decides if a case is possible. */
export const readsToken = ({ needs = [] }: ServerCase) =>
  needs.some(need => need === 'jwt' || need === 'asymmetric' || need === 'key')

const EXPIRY = 'expiry (5.3.2, 7)'

function conditions(options: ServerOptions, { known, keys }: Run) {
  const { secret, publicKey, expiredToken, lifetime, secondUsername, reference, protected: paths } = options
  const jwt = parseJwt(known.token ?? '')
  return {
    jwt: [jwt, 'the token is not a JWT'],
    asymmetric: [jwt && isAsymmetric(jwt.alg), 'the token is not signed with a private key'],
    reference: [reference, 'it is for the reference server: give --reference'],
    key: [keys.key, jwt && isAsymmetric(jwt.alg) ? 'give --key' : 'give --secret', EXPIRY],
    'expired token': [expiredToken, 'give --expired-token', EXPIRY],
    lifetime: [lifetime, 'give --lifetime', EXPIRY],
    'public key': [publicKey, 'give --public-key', 'confusion of a public key with a secret (5.3.2)'],
    'second user': [
      secondUsername !== undefined,
      'give --second-username and --second-password',
      'whether a name and a menu belong to their token (5.6)'
    ],
    protected: [paths.length > 0, 'give --protected', 'your own routes (4, all other routes)'],
    secret: [secret !== undefined, 'give --secret', 'SVC_AUTH_SECRET']
  } satisfies Record<string, Condition>
}

/** What a case needs: a property of the token, or an option. */
export type Need = keyof ReturnType<typeof conditions>

const lackOf = ({ needs = [] }: ServerCase, all: Record<Need, Condition>): Condition | undefined =>
  needs.map(need => all[need]).find(([holds]) => !holds)

/** Returns why a case is not possible in this run; undefined if it is. */
export const missingFor = (test: ServerCase, options: ServerOptions, run: Run): string | undefined =>
  lackOf(test, conditions(options, run))?.[1]

/** Returns each MUST that this run could not judge, because an option is missing or because the case was skipped. */
export function notJudged(
  cases: readonly ServerCase[],
  options: ServerOptions,
  run: Run,
  results: readonly Result[]
): NotJudged[] {
  const { reference, noAuth } = options
  const isJudged = ({ id }: ServerCase) => results.some(result => result.id === id && result.status !== 'skipped')
  const isExpiryJudged = cases.some(test => test.subject === 'expiry' && isJudged(test))
  const all = conditions(options, run)
  const lacks = new Map<string, Set<string>>()
  for (const test of cases.filter(test => test.level === 'MUST' && isSelected(test, options))) {
    const [, why = '', what] = lackOf(test, all) ?? []
    if (what === undefined || (what === EXPIRY && isExpiryJudged)) continue
    lacks.set(what, (lacks.get(what) ?? new Set()).add(why))
  }
  const skipped = results.filter(({ level, status }) => level === 'MUST' && status === 'skipped')
  return [
    ...[...lacks].map(([what, whys]) => ({ what, why: [...whys].join(', or ') })),
    ...(reference ? [otherRun(noAuth)] : []),
    ...skipped.map(({ id, note = '' }) => ({ what: id, why: note }))
  ]
}

const otherRun = (noAuth: boolean): NotJudged =>
  noAuth
    ? { what: 'SVC_AUTH_SECRET and SVC_APP_NAME', why: 'give --username, in another run against a server with a login' }
    : { what: 'SVC_AUTH=false', why: 'give --no-auth, in another run against a server with SVC_AUTH=false' }
