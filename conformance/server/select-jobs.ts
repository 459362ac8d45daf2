import { type Need, type ServerCase, serverCases } from '../cases.ts'
import { isSelected } from '../report/selection.ts'
import { isAsymmetric, parseJwt } from './jwt.ts'
import type { ServerOptions } from './options.ts'
import type { Session } from './session.ts'

/** A case, the route that it is run for, and what it needs and this run does not have. */
export interface Job {
  test: ServerCase
  path?: string
  missing?: string | undefined
}

/** The cases for the mode of the server. */
export function casesFor({ noAuth }: ServerOptions): ServerCase[] {
  return serverCases.cases.filter(({ mode = 'auth' }) => (mode === 'no-auth') === noAuth)
}

/** The cases of this run. One that is asked for by name is among them, also when what it needs is missing. */
export async function selectJobs(settings: ServerOptions, session: Session): Promise<Job[]> {
  const { only, protected: paths } = settings
  const cases = casesFor(settings).filter(test => isSelected(test, settings))
  // The token says which cases are possible.
  if (cases.some(({ needs = [] }) => needs.some(need => NEEDS_OF_THE_TOKEN.includes(need))))
    await session.named('login')
  return cases
    .map(test => ({ test, missing: missingFor(test, settings, session) }))
    .filter(({ missing }) => missing === undefined || only !== undefined)
    .flatMap(job =>
      job.test.needs?.includes('protected') && paths.length > 0
        ? paths.map(path => ({ ...job, path: session.values.base + path }))
        : [job]
    )
}

const NEEDS_OF_THE_TOKEN: Need[] = ['jwt', 'asymmetric', 'key']

/** What the case needs and this run does not have. */
function missingFor(
  { needs = [] }: ServerCase,
  { secret, publicKey, expiredToken, lifetime, second, reference, protected: paths }: ServerOptions,
  { values }: Session
): string | undefined {
  const jwt = parseJwt(values.token ?? '')
  const has: Record<Need, [unknown, string]> = {
    jwt: [jwt, 'the token is no JWT'],
    asymmetric: [jwt && isAsymmetric(jwt.alg), 'the token is not signed with a private key'],
    key: [values.key, 'it needs the key that signs the tokens: --secret or --key'],
    secret: [secret !== undefined, 'it needs the secret that signs the tokens: --secret'],
    'public key': [publicKey, 'it needs the public key: --public-key'],
    'expired token': [expiredToken, 'it needs an expired token: --expired-token'],
    lifetime: [lifetime, 'it needs a lifetime: --lifetime'],
    'second user': [second, 'it needs a second user: --second-username and --second-password'],
    reference: [reference, 'it is for the reference server: --reference'],
    protected: [paths.length > 0, 'it needs a further route: --protected']
  }
  return needs.map(need => has[need]).find(([value]) => !value)?.[1]
}
