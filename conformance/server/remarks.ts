import type { NotJudged, Result } from '../report/report.ts'
import { isSuccess } from './expectations.ts'
import { isAsymmetric, parseJwt } from './jwt.ts'
import type { ServerOptions } from './options.ts'
import { LIMITED } from './retrying-client.ts'
import type { Session } from './session.ts'

/** Says that the given secret or key cannot be used. */
export const WRONG_KEY = 'The server signs its tokens with another key than the given one.'

/** Returns which option looks wrong and why cases were skipped, as whole sentences. */
export function hints({ noAuth, secret, url }: ServerOptions, session: Session, results: Result[]): string[] {
  const { token, responses } = session.known
  const { key } = session.keys
  const isOpen = isSuccess(responses.get('menu without token')?.status)
  const formStatus = responses.get('form')?.status
  const all: [boolean, string][] = [
    [session.isKeyWrong, WRONG_KEY],
    [
      secret !== undefined && !session.isKeyWrong && token !== undefined && key === undefined,
      'The tokens are no JWTs that a secret signs: the secret was not used.'
    ],
    [
      results.some(({ note }) => note?.startsWith(LIMITED) ?? false),
      'The server limits requests, and some cases could not be checked: try again later.'
    ],
    [
      session.otherForm !== undefined,
      `The credentials were accepted ${session.otherForm}: the server does not understand an AuthRequest (contract 2.1).`
    ],
    [
      formStatus !== undefined && !isSuccess(formStatus) && !isOpen,
      `${url.href.replace(/\/$/, '')}/auth/login responded with ${formStatus}: is the base URL right?`
    ],
    [isOpen && !isSuccess(formStatus), 'Does the server run in the no-auth mode? Then use --no-auth.'],
    [
      noAuth && results.some(({ id, status }) => id === 'open-menu' && status === 'failed'),
      'Does the server run with a login? Then leave --no-auth out, and give a username and a password.'
    ]
  ]
  return all.filter(([applies]) => applies).map(([, hint]) => hint)
}

/** Each of these judges whether a token ends. */
const EXPIRY = ['jwt-expired', 'expired-token', 'lifetime', 'lifetime-is-over']

/** Returns what this run has not judged, because it was not given what that needs. */
export function notJudged(options: ServerOptions, session: Session, results: Result[]): NotJudged[] {
  const { reference, noAuth, secret, publicKey, secondUsername, protected: paths } = options
  const jwt = parseJwt(session.known.token ?? '')
  const hasKeyPair = jwt !== undefined && isAsymmetric(jwt.alg)
  const keyOr = jwt === undefined ? '' : hasKeyPair ? '--key, ' : '--secret, '
  const isExpiryJudged = results.some(({ id, status }) => EXPIRY.includes(id) && status !== 'skipped')
  const isConfusionOpen = hasKeyPair && publicKey === undefined
  const limited = results.filter(({ level, note }) => level === 'MUST' && note?.startsWith(LIMITED)).map(({ id }) => id)
  const needed: [boolean, string, string][] = [
    [limited.length > 0, limited.join(', '), 'a server that does not limit the logins of this run'],
    [!noAuth && !isExpiryJudged, 'expiry (5.3.2, 7)', `${keyOr}--expired-token, or --lifetime`],
    [!noAuth && isConfusionOpen, 'confusion of a public key with a secret (5.3.2)', '--public-key'],
    [
      !noAuth && secondUsername === undefined,
      'whether a name and a menu belong to their token (5.6)',
      '--second-username and --second-password'
    ],
    [paths.length === 0, 'your own routes (4, all other routes)', '--protected'],
    [reference && !noAuth && secret === undefined, 'SVC_AUTH_SECRET', '--secret'],
    [reference && !noAuth, 'SVC_AUTH=false', '--no-auth, in a run of a server that was started so'],
    [reference && noAuth, 'SVC_AUTH_SECRET and SVC_APP_NAME', '--username, in a run of a server with a login']
  ]
  return needed.filter(([isMissing]) => isMissing).map(([, what, give]) => ({ what, give }))
}
