import type { NotJudged, Result } from '../report/report.ts'
import { isSuccess } from './expectations.ts'
import { isAsymmetric, parseJwt } from './jwt.ts'
import type { ServerOptions } from './options.ts'
import { LIMITED } from './retrying-client.ts'
import type { Run } from './run.ts'

/** The message for a secret or key that does not verify the server's tokens. */
export const WRONG_KEY = 'The server does not sign its tokens with the given key.'

/** Returns sentences about options that look wrong, and about reasons for skipped cases. */
export function hints({ noAuth }: ServerOptions, run: Run, results: Result[]): string[] {
  const { responses } = run.known
  const [isOpen, hasForm] = ['menu without token', 'form'].map(name => isSuccess(responses.get(name)?.status))
  const all: [boolean, string][] = [
    [run.isKeyWrong, WRONG_KEY],
    [
      results.some(({ note }) => note?.startsWith(LIMITED) ?? false),
      'The server limits requests, and some cases could not be checked: try again later.'
    ],
    [!noAuth && isOpen === true && !hasForm, 'Does the server run in the no-auth mode? Then use --no-auth.'],
    [
      noAuth && results.some(({ id, status }) => id === 'open-menu' && status === 'failed'),
      'Does the server run with a login? Then omit --no-auth, and give a username and a password.'
    ]
  ]
  return all.filter(([applies]) => applies).map(([, hint]) => hint)
}

/** The cases that check the expiry of a token. */
const EXPIRY = ['jwt-expired', 'expired-token', 'lifetime', 'lifetime-is-over']

/** Returns the parts that this run could not judge, and the option or condition that each of them needs. */
export function notJudged(options: ServerOptions, run: Run, results: Result[]): NotJudged[] {
  const { reference, noAuth, secret, publicKey, secondUsername, protected: paths } = options
  const jwt = parseJwt(run.known.token ?? '')
  const hasKeyPair = jwt !== undefined && isAsymmetric(jwt.alg)
  const keyOr = jwt === undefined ? '' : hasKeyPair ? '--key, ' : '--secret, '
  const isExpiryJudged = results.some(({ id, status }) => EXPIRY.includes(id) && status !== 'skipped')
  const isConfusionUnjudged = hasKeyPair && publicKey === undefined
  const limited = results.filter(({ level, note }) => level === 'MUST' && note?.startsWith(LIMITED)).map(({ id }) => id)
  const needed: [boolean, string, string][] = [
    [limited.length > 0, limited.join(', '), 'a server that does not limit the logins of this run'],
    [!noAuth && !isExpiryJudged, 'expiry (5.3.2, 7)', `${keyOr}--expired-token, or --lifetime`],
    [!noAuth && isConfusionUnjudged, 'confusion of a public key with a secret (5.3.2)', '--public-key'],
    [
      !noAuth && secondUsername === undefined,
      'whether a name and a menu belong to their token (5.6)',
      '--second-username and --second-password'
    ],
    [paths.length === 0, 'your own routes (4, all other routes)', '--protected'],
    [reference && !noAuth && secret === undefined, 'SVC_AUTH_SECRET', '--secret'],
    [reference && !noAuth, 'SVC_AUTH=false', '--no-auth, in another run against a server with SVC_AUTH=false'],
    [
      reference && noAuth,
      'SVC_AUTH_SECRET and SVC_APP_NAME',
      '--username, in another run against a server with a login'
    ]
  ]
  return needed.filter(([isMissing]) => isMissing).map(([, what, give]) => ({ what, why: `give ${give}` }))
}
