import type { Case } from '../cases.ts'
import type { Facts } from './facts.ts'
import { isMenu } from './recorded-request.ts'
import { AT_ONCE, type Scenario } from './scenarios.ts'

type Predicate = (request: Facts) => boolean

/** Judges each `of` request or, with `after`, the next request after each response to an `after` request. */
export interface Rule {
  /** Default: every request. */
  of?: Predicate
  /** The rule applies only if there is such a request. Default: `after` or `of`. */
  given?: Predicate
  after?: Predicate
  /** The requests to ignore behind `after`. */
  skip?: Predicate
  /** Returns the fault of a request, or false if the request is right. */
  fault: (request: Facts) => string | false
  /** The fault if there is no request to judge. */
  missing?: string
}

export interface ClientCase extends Case {
  level: 'MUST' | 'SHOULD'
  scenarios: readonly Scenario[]
  rule: Rule
  /** Why the client has no verdict if no scenario could judge this case. Absent if a verdict does not need the case. */
  essential?: string | undefined
}

const AUTH = ['login', 'reject-then-login', 'login-then-expire', 'start-again'] as const
const ALL = [...AUTH, 'no-auth'] as const

const FIELDS = ['username', 'password']

const isOfLogin: Predicate = ({ outcome }) => ['form', 'malformed login', 'rejected', 'accepted'].includes(outcome)
const isRefused: Predicate = ({ outcome }) => outcome === 'unauthorized' || outcome === 'expired'
const isFirstRefused: Predicate = request => isRefused(request) && request.session !== 'ended'
const isWithoutToken: Predicate = ({ authorization }) => authorization === 'none' || authorization === 'empty'
const isMenuWithoutToken: Predicate = request => isMenu(request) && isWithoutToken(request)
const isScreen: Predicate = ({ method, pathname }) => method === 'GET' && /^\/(menu|screen)\//.test(pathname)
const isSubmission: Predicate = ({ submission }) => submission

const isInSession: Predicate = ({ session, outcome }) =>
  session === 'open' && ['menu', 'screen', 'unauthorized', 'expired'].includes(outcome)

const isLoginAttempt: Predicate = request =>
  !isInSession(request) &&
  (request.submission ||
    request.outcome === 'malformed login' ||
    request.passwordIn !== undefined ||
    (typeof request.json === 'object' && request.json !== null && 'fields' in request.json))

/** Whether a client may send the request without a session: it is no screen, login or form, and has no token. */
const isUnrelated: Predicate = request =>
  !isScreen(request) && !isLoginAttempt(request) && request.outcome !== 'form' && isWithoutToken(request)

/** Describes a request that came instead of the expected one. */
const sent = ({ place }: Facts) => `sent ${place}`

type More = Rule & Pick<ClientCase, 'title'> & Partial<Pick<ClientCase, 'scenarios' | 'essential'>>

const define =
  (level: ClientCase['level']) =>
  (id: string, clauses: string | string[], more: More): ClientCase => {
    const { title, scenarios = AUTH, essential, ...rule } = more
    const [clause = '', ...also] = [clauses].flat()
    return { id, clause, also: also.length > 0 ? also : undefined, level, title, scenarios, rule, essential }
  }

const must = define('MUST')
const should = define('SHOULD')

export const clientCases: readonly ClientCase[] = [
  must('asks-for-menu-first', '4 rule 1', {
    title: 'The first request is GET /menu/main',
    scenarios: ALL,
    of: ({ isFirst }) => isFirst,
    fault: request => !isMenu(request) && `${sent(request)} first`,
    missing: 'sent no request'
  }),
  must('fetches-form-on-401', ['4 rule 2', '1 login', '4 GET /auth/login'], {
    title: 'After the 401 the client fetches the login form',
    after: isFirstRefused,
    skip: request => isMenu(request) || isUnrelated(request),
    fault: request => request.outcome !== 'form' && `${sent(request)} instead of the form`,
    missing: 'did not fetch the form'
  }),
  should('fetches-form-at-once', '4 rule 2', {
    title: 'After the 401 the client requests nothing else before the login form',
    after: request => isRefused(request) && request.session === 'none',
    fault: request => request.outcome !== 'form' && `${sent(request)} before the form`
  }),
  must('submits-to-auth-action', ['4 rule 3', '2.3 auth_action', '2.6.3'], {
    title: 'The client submits the form only with POST to its auth_action',
    of: isLoginAttempt,
    fault: request => !request.submission && `${sent(request)} instead of POST ${request.authAction}`,
    missing: 'did not submit the form'
  }),
  must('sends-auth-request', ['2.1 fields', '4 rule 3', '4 POST /auth/login'], {
    title: 'The body is an AuthRequest: JSON in UTF-8, not compressed, with a map of strings in fields',
    of: isSubmission,
    fault: ({ headers, json, fields }) => {
      if (headers['content-encoding'] !== undefined) return 'the body has a Content-Encoding, which no form allows'
      if (json === undefined) return 'the body is not JSON in UTF-8'
      if (fields === undefined) return 'the body has no object in fields'
      return Object.values(fields).some(value => typeof value !== 'string') && 'a value in fields is not a string'
    }
  }),
  must('sends-all-fields', ['2.1 fields', '2.5 id'], {
    title: 'fields has the id of every field of the form',
    of: isSubmission,
    fault: ({ fields = { username: '', password: '' } }) => {
      const missing = FIELDS.filter(id => !Object.hasOwn(fields, id))
      return missing.length > 0 && `fields has no ${missing.join(' and no ')}`
    }
  }),
  must('sends-what-was-entered', '2.1 fields', {
    title: 'The values in fields are those that the person entered, unchanged',
    of: ({ asEntered }) => asEntered !== undefined,
    fault: ({ asEntered }) => asEntered === false && 'a value is not the entered one'
  }),
  should('sends-no-other-fields', '2.1 fields', {
    title: 'fields has no other keys',
    of: isSubmission,
    fault: ({ fields = {} }) => Object.keys(fields).some(id => !FIELDS.includes(id)) && 'a key is not the id of a field'
  }),
  should('sends-json-type', '4 POST /auth/login', {
    title: 'The submission has the Content-Type application/json (RFC 9110 8.3)',
    of: isSubmission,
    fault: ({ mediaType }) => mediaType !== 'application/json' && 'the Content-Type is missing or wrong'
  }),
  must('shows-menu-of-login', ['4 rule 4', '2.2 screen'], {
    title: 'The client shows the menu of the response without a further request',
    given: ({ outcome }) => outcome === 'accepted',
    of: ({ session, sinceLogin = Number.POSITIVE_INFINITY }) =>
      (session === 'open' || session === 'left') && sinceLogin <= AT_ONCE,
    fault: request => (isMenu(request) || isOfLogin(request)) && `${sent(request)} right after the login`
  }),
  must('keeps-form-on-rejection', ['4 rule 5', '7 rejected credentials'], {
    title: 'After a rejection the client keeps the form open or fetches it again, and submits it again',
    scenarios: ['reject-then-login'],
    essential: 'the server never rejected a login',
    after: ({ outcome }) => outcome === 'rejected',
    // A client may fetch the form again, and send unrelated requests while the form is open.
    skip: request => request.outcome === 'form' || isUnrelated(request),
    fault: request => !request.submission && `${sent(request)} after the rejection`,
    missing: 'did not submit the form again'
  }),
  must('sends-token-in-header', '5.1', {
    title: 'The client sends the token as Authorization: Bearer',
    of: request => isInSession(request) && request.authorization !== 'none',
    fault: ({ authorization }) => authorization === 'malformed' && 'the Authorization header has another format'
  }),
  must('sends-token-unchanged', ['5.4', '2.2 token'], {
    title: 'Every request after the login carries the token, character by character',
    essential: 'it sent no request after a login, so the kit never saw its token',
    of: isInSession,
    fault: request => {
      if (isWithoutToken(request)) return 'the token is missing'
      return request.authorization !== 'current' && 'it is not the token of the login'
    }
  }),
  should('sends-token-nowhere-else', '5.1', {
    title: 'The token is in no URL, cookie, other header or body (RFC 6750 2.3)',
    of: ({ hasTokens }) => hasTokens,
    fault: ({ tokenIn, place }) => tokenIn !== undefined && `the token is in ${tokenIn} of ${place}, too`
  }),
  should('sends-no-made-up-token', '5.4', {
    title: 'A client without a token sends no Authorization header',
    scenarios: ALL,
    fault: ({ authorization, refusedBefore }) => {
      if (authorization === 'empty') return 'sent an Authorization header without a token'
      return refusedBefore === 'other' && 'began with a token that no login issued and that had got a 401'
    }
  }),
  must('returns-to-login-on-401', ['5.8', '7 invalid token'], {
    title: 'After a 401 during the session the client goes back to the login',
    scenarios: ['login-then-expire'],
    essential: 'it opened no screen after the login, so its session could not expire',
    after: ({ outcome }) => outcome === 'expired',
    skip: request => isMenuWithoutToken(request) || isUnrelated(request),
    fault: request => request.outcome !== 'form' && `${sent(request)} instead of the form`,
    missing: 'did not go back to the login form'
  }),
  must('starts-again-at-login', ['5.8', '7 invalid token'], {
    title: 'A client that starts with a token that is no longer accepted goes to the login',
    scenarios: ['start-again'],
    essential: 'it got no 401 after it was started again',
    after: isFirstRefused,
    skip: request => isMenuWithoutToken(request) || isUnrelated(request),
    fault: request => {
      if (request.outcome !== 'form') return `${sent(request)} instead of the form`
      return !isWithoutToken(request) && 'fetched the form with a token'
    },
    missing: 'did not go back to the login form'
  }),
  must('drops-token-on-401', '5.8', {
    title: 'After a 401 the client sends no token until the next login, and never the old token again',
    given: isRefused,
    of: ({ session, refusedBefore }) => session !== 'none' || refusedBefore === 'issued',
    fault: ({ refusedBefore, refusedToken, session, authorization }) => {
      if (refusedBefore === 'issued') return 'began with a token that got a 401 in an earlier scenario'
      if (refusedToken) return 'sent a token that had got a 401'
      const isToken = !['none', 'empty', 'malformed'].includes(authorization)
      return session === 'ended' && isToken && 'sent a token before the next login'
    }
  }),
  must('sends-credentials-nowhere-else', '4 rule 3', {
    title: 'The client sends the credentials only to auth_action, in the body',
    scenarios: ALL,
    fault: ({ passwordIn, usernameInQuery, place, authAction }) => {
      if (passwordIn !== undefined)
        return `the password is in ${passwordIn} of ${place}; it belongs only in the body of POST ${authAction}`
      return usernameInQuery && 'the username is in the query of auth_action'
    }
  }),
  must('never-asks-for-form', ['5.7', '1'], {
    title: 'In the no-auth mode the client requests no login form and submits nothing',
    scenarios: ['no-auth'],
    fault: request => isOfLogin(request) && sent(request)
  }),
  should('sends-no-token-without-login', '5.7', {
    title: 'In the no-auth mode the client sends no token, except one that it stored before',
    scenarios: ['no-auth'],
    fault: ({ authorization }) =>
      authorization !== 'none' && authorization !== 'stored' && 'sent an Authorization header'
  })
]
