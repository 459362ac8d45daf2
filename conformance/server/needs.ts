import { isSelected, type NotJudged, type Result } from '../report/report.ts'
import { isAsymmetric, parseJwt } from './jwt.ts'
import type { ServerOptions } from './options.ts'
import type { Run } from './run.ts'
import type { Need, ServerCase } from './server-case.ts'

/** Whether a run has what a case needs. */
interface Condition {
  holds: unknown
  /** Why a case is skipped without it. */
  missing: string
  /** What the run cannot judge without it. Absent if the requirement does not apply to the server. */
  open?: NotJudged
}

/** Whether the form of the token decides if a case is possible. */
export function readsToken({ needs = [] }: ServerCase): boolean {
  return needs.some(need => need === 'jwt' || need === 'asymmetric' || need === 'key')
}

/** Returns a message for the first need of a case that this run lacks. */
export function missingFor(test: ServerCase, options: ServerOptions, run: Run): string | undefined {
  return lackOf(test, conditions(options, run))?.missing
}

function lackOf({ needs = [] }: ServerCase, all: Record<Need, Condition>): Condition | undefined {
  return needs.map(need => all[need]).find(({ holds }) => !holds)
}

function conditions(options: ServerOptions, { known, keys }: Run): Record<Need, Condition> {
  const { secret, publicKey, expiredToken, lifetime, secondUsername, reference, protected: paths } = options
  const jwt = parseJwt(known.token ?? '')
  const keyOr = jwt === undefined ? '' : isAsymmetric(jwt.alg) ? '--key, ' : '--secret, '
  const expiry = { what: 'expiry (5.3.2, 7)', why: `give ${keyOr}--expired-token, or --lifetime` }
  const condition = (holds: unknown, missing: string, open?: NotJudged) => ({ holds, missing, ...(open && { open }) })
  return {
    jwt: condition(jwt, 'the token is not a JWT'),
    asymmetric: condition(jwt && isAsymmetric(jwt.alg), 'the token is not signed with a private key'),
    reference: condition(reference, 'it is for the reference server: --reference'),
    key: condition(keys.key, 'it needs the key that signs the tokens: --secret or --key', expiry),
    'expired token': condition(expiredToken, 'it needs an expired token: --expired-token', expiry),
    lifetime: condition(lifetime, 'it needs a lifetime: --lifetime', expiry),
    'public key': condition(publicKey, 'it needs the public key: --public-key', {
      what: 'confusion of a public key with a secret (5.3.2)',
      why: 'give --public-key'
    }),
    'second user': condition(
      secondUsername !== undefined,
      'it needs a second user: --second-username and --second-password',
      {
        what: 'whether a name and a menu belong to their token (5.6)',
        why: 'give --second-username and --second-password'
      }
    ),
    protected: condition(paths.length > 0, 'it needs a further route: --protected', {
      what: 'your own routes (4, all other routes)',
      why: 'give --protected'
    }),
    secret: condition(secret !== undefined, 'it needs the secret that signs the tokens: --secret', {
      what: 'SVC_AUTH_SECRET',
      why: 'give --secret'
    })
  }
}

/** Returns each MUST that this run could not judge, and why: for want of an option, or because the case was skipped. */
export function notJudged(
  cases: readonly ServerCase[],
  options: ServerOptions,
  run: Run,
  results: readonly Result[]
): NotJudged[] {
  const { reference, noAuth } = options
  const all = conditions(options, run)
  const isExpiryJudged = cases.some(
    ({ id, subject }) => subject === 'expiry' && results.some(result => result.id === id && result.status !== 'skipped')
  )
  const lacks = cases
    .filter(test => test.level === 'MUST' && isSelected(test, options))
    .flatMap(test => lackOf(test, all)?.open ?? [])
    .filter(open => open !== all.lifetime.open || !isExpiryJudged)
  const skipped = results
    .filter(({ level, status, reason }) => level === 'MUST' && status === 'skipped' && reason !== 'unneeded')
    .map(({ id, note = '' }) => ({ what: id, why: note }))
  return [...new Set(lacks), ...(reference ? [otherRun(noAuth)] : []), ...skipped]
}

const otherRun = (noAuth: boolean): NotJudged =>
  noAuth
    ? {
        what: 'SVC_AUTH_SECRET and SVC_APP_NAME',
        why: 'give --username, in another run against a server with a login'
      }
    : { what: 'SVC_AUTH=false', why: 'give --no-auth, in another run against a server with SVC_AUTH=false' }
