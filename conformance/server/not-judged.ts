import type { NotJudged, Result } from '../report/report.ts'
import { algorithmOf, parseJwt } from './jwt.ts'
import { isAsymmetric } from './keys.ts'
import type { ServerOptions } from './options.ts'
import type { Session } from './session.ts'

/** Each of these judges whether a token ends. */
const EXPIRY = ['jwt-expired', 'expired-token', 'lifetime', 'lifetime-is-over']

/** Returns what this run has not judged, because it was not given what that needs. */
export function notJudged(options: ServerOptions, session: Session, results: Result[]): NotJudged[] {
  const { reference, noAuth, secret, publicKey, second, protected: paths } = options
  const jwt = parseJwt(session.values.token ?? '')
  const hasKeyPair = jwt !== undefined && isAsymmetric(algorithmOf(jwt))
  const isExpiryJudged = results.some(({ id, status }) => EXPIRY.includes(id) && status !== 'skipped')
  const needed: [boolean, NotJudged][] = [
    [
      !noAuth && !isExpiryJudged,
      {
        what: 'expiry (5.3.2, 7)',
        give:
          jwt === undefined
            ? '--expired-token, or --lifetime'
            : `${hasKeyPair ? '--key' : '--secret'}, --expired-token, or --lifetime`
      }
    ],
    [
      !noAuth && hasKeyPair && publicKey === undefined,
      { what: 'confusion of a public key with a secret (5.3.2)', give: '--public-key' }
    ],
    [
      !noAuth && second === undefined,
      { what: 'whether a name and a menu belong to their token (5.6)', give: '--second-username' }
    ],
    [paths.length === 0, { what: 'your own routes (4, all other routes)', give: '--protected' }],
    [reference && !noAuth && secret === undefined, { what: 'SVC_AUTH_SECRET', give: '--secret' }],
    [
      reference,
      noAuth
        ? { what: 'SVC_AUTH_SECRET and SVC_APP_NAME', give: '--username, in a run of a server with a login' }
        : { what: 'SVC_AUTH=false', give: '--no-auth, in a run of a server that was started so' }
    ]
  ]
  return needed.filter(([isMissing]) => isMissing).map(([, missing]) => missing)
}
