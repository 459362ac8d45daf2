import type { Case } from '../cases.ts'
import type { Facts } from './facts.ts'
import { isMenu } from './recorded-request.ts'
import { each, first, next, type Predicate, type Rule } from './rules.ts'
import { AT_ONCE, type Scenario } from './scenarios.ts'

/** A case that is checked by the requests of a client. */
export interface ClientCase extends Case {
  level: 'MUST' | 'SHOULD'
  /** The scenarios in which it is judged. */
  scenarios: readonly Scenario[]
  rule: Rule
  /** What the client has not done, where no scenario could judge the case: then the client has no verdict. */
  essential?: string
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

/** What a client may load or report while it has no session: neither a screen, nor a login, nor anything with a token. */
const isBeside: Predicate = request =>
  !isScreen(request) && !isLoginAttempt(request) && request.outcome !== 'form' && isWithoutToken(request)

/** What came, where the form or a submission had to. */
const sent = ({ place }: Facts) => `sent ${place}`

/** The cases for clients. */
export const clientCases: readonly ClientCase[] = [
  {
    id: 'asks-for-menu-first',
    clause: '4 rule 1',
    level: 'MUST',
    title: 'The first request is GET /menu/main',
    scenarios: ALL,
    rule: first(request => !isMenu(request) && `${sent(request)} first`)
  },
  {
    id: 'fetches-form-on-401',
    clause: '4 rule 2',
    also: ['1 login', '4 GET /auth/login'],
    level: 'MUST',
    title: 'After the 401 the client fetches the login form',
    scenarios: AUTH,
    rule: next({
      after: isFirstRefused,
      skip: request => isMenu(request) || isBeside(request),
      fault: request => request.outcome !== 'form' && `${sent(request)} in place of it`,
      missing: 'did not fetch the form'
    })
  },
  {
    id: 'fetches-form-at-once',
    clause: '4 rule 2',
    level: 'SHOULD',
    title: 'After the 401 nothing else is asked for before the login form',
    scenarios: AUTH,
    rule: next({
      after: request => isRefused(request) && request.session === 'none',
      fault: request => request.outcome !== 'form' && `${sent(request)} before the form`
    })
  },
  {
    id: 'submits-to-auth-action',
    clause: '4 rule 3',
    also: ['2.3 auth_action', '2.6.3'],
    level: 'MUST',
    title: 'The form is submitted with POST to its auth_action, and to nowhere else',
    scenarios: AUTH,
    rule: each({
      of: isLoginAttempt,
      fault: request =>
        !request.submission && `the auth_action of the form is ${request.authAction}, and the client ${sent(request)}`,
      missing: 'did not submit the form'
    })
  },
  {
    id: 'sends-auth-request',
    clause: '2.1 fields',
    also: ['4 rule 3', '4 POST /auth/login'],
    level: 'MUST',
    title: 'The body is an AuthRequest: JSON in UTF-8, with a map of strings in fields',
    scenarios: AUTH,
    rule: each({
      of: isSubmission,
      fault: ({ json, fields }) => {
        if (json === undefined) return 'the body is no JSON in UTF-8'
        if (fields === undefined) return 'the body has no object in fields'
        return Object.values(fields).some(value => typeof value !== 'string') && 'a value in fields is no string'
      }
    })
  },
  {
    id: 'sends-all-fields',
    clause: '2.1 fields',
    also: ['2.5 id'],
    level: 'MUST',
    title: 'fields has the id of every field of the form',
    scenarios: AUTH,
    rule: each({
      of: isSubmission,
      fault: ({ fields = { username: '', password: '' } }) => {
        const missing = FIELDS.filter(id => !Object.hasOwn(fields, id))
        return missing.length > 0 && `fields has no ${missing.join(' and no ')}`
      }
    })
  },
  {
    id: 'sends-what-was-entered',
    clause: '2.1 fields',
    level: 'MUST',
    title: 'The values are what the person entered, unchanged',
    scenarios: AUTH,
    rule: each({
      of: ({ asEntered }) => asEntered !== undefined,
      fault: ({ asEntered }) => asEntered === false && 'a value is not what was entered'
    })
  },
  {
    id: 'sends-no-other-fields',
    clause: '2.1 fields',
    level: 'SHOULD',
    title: 'fields has no other keys',
    scenarios: AUTH,
    rule: each({
      of: isSubmission,
      fault: ({ fields = {} }) => Object.keys(fields).some(id => !FIELDS.includes(id)) && 'a key is no id of a field'
    })
  },
  {
    id: 'sends-json-type',
    clause: '4 POST /auth/login',
    level: 'SHOULD',
    title: 'The submission has the Content-Type application/json, and no Content-Encoding (RFC 9110 8.3, 8.4)',
    scenarios: AUTH,
    rule: each({
      of: isSubmission,
      fault: ({ mediaType, headers }) => {
        if (headers['content-encoding'] !== undefined) return 'there is a Content-Encoding'
        return mediaType !== 'application/json' && 'the Content-Type is missing or another'
      }
    })
  },
  {
    id: 'shows-menu-of-login',
    clause: '4 rule 4',
    also: ['2.2 screen'],
    level: 'MUST',
    title: 'The menu of the response is shown without a further request',
    scenarios: AUTH,
    rule: each({
      given: ({ outcome }) => outcome === 'accepted',
      of: ({ session, sinceLogin = Number.POSITIVE_INFINITY }) =>
        (session === 'open' || session === 'left') && sinceLogin <= AT_ONCE,
      fault: request => (isMenu(request) || isOfLogin(request)) && `${sent(request)}, although it was logged in`
    })
  },
  {
    id: 'keeps-form-on-rejection',
    clause: '4 rule 5',
    also: ['7 rejected credentials'],
    level: 'MUST',
    title: 'After a rejection the form stays open or is fetched again, and is submitted again',
    scenarios: ['reject-then-login'],
    essential: 'its login was never rejected',
    rule: next({
      after: ({ outcome }) => outcome === 'rejected',
      // The form again, and what else a client loads while it is open.
      skip: request => request.outcome === 'form' || isBeside(request),
      fault: request => !request.submission && `${sent(request)} after the rejection`,
      missing: 'did not submit the form again'
    })
  },
  {
    id: 'sends-token-in-header',
    clause: '5.1',
    level: 'MUST',
    title: 'The token is sent as Authorization: Bearer',
    scenarios: AUTH,
    rule: each({
      of: request => isInSession(request) && request.authorization !== 'none',
      fault: ({ authorization }) => authorization === 'malformed' && 'the Authorization header has another form'
    })
  },
  {
    id: 'sends-token-unchanged',
    clause: '5.4',
    also: ['2.2 token'],
    level: 'MUST',
    title: 'Every request after the login carries the token, character by character',
    scenarios: AUTH,
    essential: 'it has sent no request after a login, so its token was never seen',
    rule: each({
      of: isInSession,
      fault: request => {
        if (isWithoutToken(request)) return 'the token is missing'
        return request.authorization !== 'current' && 'it is not the token of the login'
      }
    })
  },
  {
    id: 'sends-token-nowhere-else',
    clause: '5.1',
    level: 'SHOULD',
    title: 'The token is in no URL, cookie, other header or body (RFC 6750 2.3)',
    scenarios: AUTH,
    rule: each({
      of: ({ hasTokens }) => hasTokens,
      fault: ({ tokenIn }) => tokenIn !== undefined && `the token is in ${tokenIn}, too`
    })
  },
  {
    id: 'sends-no-made-up-token',
    clause: '5.4',
    level: 'SHOULD',
    title: 'A client without a token sends no Authorization header',
    scenarios: ALL,
    rule: each({
      of: () => true,
      fault: ({ authorization, refusedBefore }) => {
        if (authorization === 'empty') return 'sent an Authorization header without a token'
        return refusedBefore === 'other' && 'began with a token that is of no login, and got a 401 before'
      }
    })
  },
  {
    id: 'returns-to-login-on-401',
    clause: '5.8',
    also: ['7 invalid token'],
    level: 'MUST',
    title: 'After a 401 during the session the client goes back to the login',
    scenarios: ['login-then-expire'],
    essential: 'it has opened no screen after the login, so its session could not end',
    rule: next({
      after: ({ outcome }) => outcome === 'expired',
      skip: request => isMenuWithoutToken(request) || isBeside(request),
      fault: request => request.outcome !== 'form' && `${sent(request)} in place of the form`,
      missing: 'did not go back to the login form'
    })
  },
  {
    id: 'starts-again-at-login',
    clause: '5.8',
    also: ['7 invalid token'],
    level: 'MUST',
    title: 'A client that starts with a token which is no longer accepted goes to the login, as without one',
    scenarios: ['start-again'],
    essential: 'it got no 401 when it was started again',
    rule: next({
      after: isFirstRefused,
      skip: request => isMenuWithoutToken(request) || isBeside(request),
      fault: request => {
        if (request.outcome !== 'form') return `${sent(request)} in place of the form`
        return !isWithoutToken(request) && 'fetched the form with a token'
      },
      missing: 'did not go back to the login form'
    })
  },
  {
    id: 'drops-token-on-401',
    clause: '5.8',
    level: 'MUST',
    title: 'After a 401 no token is sent until the next login, and the old one never again',
    scenarios: AUTH,
    rule: each({
      given: isRefused,
      of: ({ session, refusedBefore }) => session !== 'none' || refusedBefore === 'issued',
      fault: ({ refusedBefore, refusedToken, session, authorization }) => {
        if (refusedBefore === 'issued') return 'began with a token that got a 401 in an earlier scenario'
        if (refusedToken) return 'a token was sent that had got a 401'
        const isToken = !['none', 'empty', 'malformed'].includes(authorization)
        return session === 'ended' && isToken && 'a token was sent before the next login'
      }
    })
  },
  {
    id: 'sends-credentials-nowhere-else',
    clause: '4 rule 3',
    level: 'MUST',
    title: 'The credentials are sent to auth_action only, in the body',
    scenarios: ALL,
    rule: each({
      of: () => true,
      fault: ({ passwordIn, usernameInQuery }) => {
        if (passwordIn !== undefined) return `the password is in ${passwordIn}`
        return usernameInQuery && 'the username is in the query of auth_action'
      }
    })
  },
  {
    id: 'never-asks-for-form',
    clause: '5.7',
    also: ['1'],
    level: 'MUST',
    title: 'In the no-auth mode no login form is asked for, and nothing is submitted',
    scenarios: ['no-auth'],
    rule: each({ of: () => true, fault: request => isOfLogin(request) && sent(request) })
  },
  {
    id: 'sends-no-token-without-login',
    clause: '5.7',
    level: 'SHOULD',
    title: 'In the no-auth mode no token is sent, except one that was stored before',
    scenarios: ['no-auth'],
    rule: each({
      of: () => true,
      fault: ({ authorization }) =>
        authorization !== 'none' && authorization !== 'stored' && 'sent an Authorization header'
    })
  }
]
