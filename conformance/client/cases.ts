import type { Case } from '../cases.ts'
import type { Facts } from './facts.ts'
import { isMenu } from './recorded-request.ts'
import { each, first, next, type Predicate, type Rule } from './rules.ts'
import { AT_ONCE, type Scenario } from './scenarios.ts'

/** A case that the kit checks in the requests of a client. */
export interface ClientCase extends Case {
  level: 'MUST' | 'SHOULD'
  /** The scenarios that judge the case. */
  scenarios: readonly Scenario[]
  rule: Rule
  /** Why the client has no verdict if no scenario could judge this case. Absent if a verdict does not need the case. */
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

/** Whether a client may send the request without a session: it is no screen, login or form, and has no token. */
const isUnrelated: Predicate = request =>
  !isScreen(request) && !isLoginAttempt(request) && request.outcome !== 'form' && isWithoutToken(request)

/** Describes a request that came instead of the expected one. */
const sent = ({ place }: Facts) => `sent ${place}`

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
      skip: request => isMenu(request) || isUnrelated(request),
      fault: request => request.outcome !== 'form' && `${sent(request)} instead of the form`,
      missing: 'did not fetch the form'
    })
  },
  {
    id: 'fetches-form-at-once',
    clause: '4 rule 2',
    level: 'SHOULD',
    title: 'After the 401 the client requests nothing else before the login form',
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
    title: 'The client submits the form only with POST to its auth_action',
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
        if (json === undefined) return 'the body is not JSON in UTF-8'
        if (fields === undefined) return 'the body has no object in fields'
        return Object.values(fields).some(value => typeof value !== 'string') && 'a value in fields is not a string'
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
    title: 'The values in fields are those that the person entered, unchanged',
    scenarios: AUTH,
    rule: each({
      of: ({ asEntered }) => asEntered !== undefined,
      fault: ({ asEntered }) => asEntered === false && 'a value is not the entered one'
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
      fault: ({ fields = {} }) =>
        Object.keys(fields).some(id => !FIELDS.includes(id)) && 'a key is not the id of a field'
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
        if (headers['content-encoding'] !== undefined) return 'the request has a Content-Encoding'
        return mediaType !== 'application/json' && 'the Content-Type is missing or wrong'
      }
    })
  },
  {
    id: 'shows-menu-of-login',
    clause: '4 rule 4',
    also: ['2.2 screen'],
    level: 'MUST',
    title: 'The client shows the menu of the response without a further request',
    scenarios: AUTH,
    rule: each({
      given: ({ outcome }) => outcome === 'accepted',
      of: ({ session, sinceLogin = Number.POSITIVE_INFINITY }) =>
        (session === 'open' || session === 'left') && sinceLogin <= AT_ONCE,
      fault: request => (isMenu(request) || isOfLogin(request)) && `${sent(request)} right after the login`
    })
  },
  {
    id: 'keeps-form-on-rejection',
    clause: '4 rule 5',
    also: ['7 rejected credentials'],
    level: 'MUST',
    title: 'After a rejection the client keeps the form open or fetches it again, and submits it again',
    scenarios: ['reject-then-login'],
    essential: 'the server never rejected a login',
    rule: next({
      after: ({ outcome }) => outcome === 'rejected',
      // A client may fetch the form again, and send unrelated requests while the form is open.
      skip: request => request.outcome === 'form' || isUnrelated(request),
      fault: request => !request.submission && `${sent(request)} after the rejection`,
      missing: 'did not submit the form again'
    })
  },
  {
    id: 'sends-token-in-header',
    clause: '5.1',
    level: 'MUST',
    title: 'The client sends the token as Authorization: Bearer',
    scenarios: AUTH,
    rule: each({
      of: request => isInSession(request) && request.authorization !== 'none',
      fault: ({ authorization }) => authorization === 'malformed' && 'the Authorization header has another format'
    })
  },
  {
    id: 'sends-token-unchanged',
    clause: '5.4',
    also: ['2.2 token'],
    level: 'MUST',
    title: 'Every request after the login carries the token, character by character',
    scenarios: AUTH,
    essential: 'it sent no request after a login, so the kit never saw its token',
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
        return refusedBefore === 'other' && 'began with a token that no login issued and that had got a 401'
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
    essential: 'it opened no screen after the login, so its session could not expire',
    rule: next({
      after: ({ outcome }) => outcome === 'expired',
      skip: request => isMenuWithoutToken(request) || isUnrelated(request),
      fault: request => request.outcome !== 'form' && `${sent(request)} instead of the form`,
      missing: 'did not go back to the login form'
    })
  },
  {
    id: 'starts-again-at-login',
    clause: '5.8',
    also: ['7 invalid token'],
    level: 'MUST',
    title: 'A client that starts with a token that is no longer accepted goes to the login',
    scenarios: ['start-again'],
    essential: 'it got no 401 after it was started again',
    rule: next({
      after: isFirstRefused,
      skip: request => isMenuWithoutToken(request) || isUnrelated(request),
      fault: request => {
        if (request.outcome !== 'form') return `${sent(request)} instead of the form`
        return !isWithoutToken(request) && 'fetched the form with a token'
      },
      missing: 'did not go back to the login form'
    })
  },
  {
    id: 'drops-token-on-401',
    clause: '5.8',
    level: 'MUST',
    title: 'After a 401 the client sends no token until the next login, and never the old token again',
    scenarios: AUTH,
    rule: each({
      given: isRefused,
      of: ({ session, refusedBefore }) => session !== 'none' || refusedBefore === 'issued',
      fault: ({ refusedBefore, refusedToken, session, authorization }) => {
        if (refusedBefore === 'issued') return 'began with a token that got a 401 in an earlier scenario'
        if (refusedToken) return 'sent a token that had got a 401'
        const isToken = !['none', 'empty', 'malformed'].includes(authorization)
        return session === 'ended' && isToken && 'sent a token before the next login'
      }
    })
  },
  {
    id: 'sends-credentials-nowhere-else',
    clause: '4 rule 3',
    level: 'MUST',
    title: 'The client sends the credentials only to auth_action, in the body',
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
    title: 'In the no-auth mode the client requests no login form and submits nothing',
    scenarios: ['no-auth'],
    rule: each({ of: () => true, fault: request => isOfLogin(request) && sent(request) })
  },
  {
    id: 'sends-no-token-without-login',
    clause: '5.7',
    level: 'SHOULD',
    title: 'In the no-auth mode the client sends no token, except one that it stored before',
    scenarios: ['no-auth'],
    rule: each({
      of: () => true,
      fault: ({ authorization }) =>
        authorization !== 'none' && authorization !== 'stored' && 'sent an Authorization header'
    })
  }
]
