import {
  bearerToken,
  expiredTokens,
  fieldsOf,
  hasEmptyToken,
  hasSecret,
  hasTokenElsewhere,
  isMenu,
  isString,
  isUnauthorized,
  ownText,
  type RecordedRequest,
  tokensUntil
} from './recorded-request.ts'
import { AT_ONCE, type ScriptedServer } from './scripted-server.ts'

/** What a client did wrong, and in which request; without one when a request is missing. */
export interface Violation {
  what: string
  request?: RecordedRequest
  /** What is expected, where the title of the case is too general. */
  expected?: string
}

/** What the person enters into the form; undefined where the kit does not know. */
export interface Entered {
  username?: string | undefined
  password?: string | undefined
}

/** The requests of a client in a scenario, in order and without those that are not checked. */
export interface Recording {
  server: ScriptedServer
  requests: RecordedRequest[]
  entered: Entered
}

/** Returns the violations; undefined when the client sent nothing that can be checked. */
type Assertion = (recording: Recording) => Violation[] | undefined

const LOGIN_OUTCOMES = ['form', 'malformed login', 'rejected', 'accepted']

/** The assertion of each case in `client-cases.json`, by its id. */
export const assertions: Record<string, Assertion> = {
  'asks-for-menu-first': ({ requests: [first] }) =>
    first && isMenu(first)
      ? []
      : [violation(first, first ? 'asked for something else first' : 'sent no request')],

  'fetches-form-on-401': ({ requests }) => {
    const next = requests.slice(requests.findIndex(isUnauthorized) + 1).find(request => !isMenu(request))
    return next?.outcome === 'form' ? [] : [violation(next, 'did not fetch the form')]
  },

  'fetches-form-at-once': ({ requests }) => {
    const next = requests[requests.findIndex(isUnauthorized) + 1]
    return next === undefined || !isMenu(next) ? [] : [{ what: 'asked for the menu again', request: next }]
  },

  'submits-to-auth-action': ({ server, requests }) => {
    const others = requests.filter(
      request =>
        request.token === undefined &&
        !isSubmission(request, server) &&
        !['GET', 'HEAD'].includes(request.method)
    )
    const expected = `POST ${server.authAction}, the auth_action of the form that was served`
    if (submissionsOf({ server, requests }).length === 0 && others.length === 0)
      return [{ what: 'did not submit the form', expected }]
    return others.map(request => ({ what: 'submitted something else', request, expected }))
  },

  'sends-auth-request': recording =>
    ifAny(
      submissionsOf(recording),
      ({ body }) => !Object.values(fieldsOf(body) ?? { none: null }).every(isString),
      'the body is no AuthRequest'
    ),

  'sends-all-fields': recording =>
    ifAny(
      submissionsOf(recording),
      ({ body }) => ['username', 'password'].some(id => !(id in (fieldsOf(body) ?? {}))),
      'a field is missing'
    ),

  'sends-what-was-entered': recording =>
    ifAny(
      submissionsOf(recording),
      ({ body }) => {
        const fields = fieldsOf(body) ?? {}
        return Object.entries(recording.entered).some(
          ([id, value]) => value !== undefined && fields[id] !== value
        )
      },
      'a value is not what was entered'
    ),

  'sends-no-other-fields': recording =>
    ifAny(
      submissionsOf(recording),
      ({ body }) => Object.keys(fieldsOf(body) ?? {}).some(id => !['username', 'password'].includes(id)),
      'a key is no id of a field'
    ),

  'sends-json-type': recording =>
    ifAny(
      submissionsOf(recording),
      ({ headers }) => !/^application\/json\b/i.test(String(headers['content-type'])),
      'the Content-Type is another'
    ),

  'shows-menu-from-answer': ({ requests }) => {
    if (!requests.some(({ outcome }) => outcome === 'accepted')) return undefined
    return violations(
      requests,
      (request, index) => {
        const before = requests[index - 1]
        if (before === undefined || request.token === undefined) return false
        const isMenuAgain =
          before.outcome === 'accepted' && isMenu(request) && request.at - before.at < AT_ONCE
        return isMenuAgain || LOGIN_OUTCOMES.includes(request.outcome)
      },
      'asked again although it was logged in'
    )
  },

  'keeps-form-on-rejection': ({ server, requests }) => {
    const next = requests.find((_, index) => requests[index - 1]?.outcome === 'rejected')
    return next !== undefined && isSubmission(next, server)
      ? []
      : [violation(next, 'did not submit the form again')]
  },

  'sends-token-in-header': recording =>
    afterLogin(
      recording,
      ({ headers }) => headers.authorization !== undefined && bearerToken(headers) === undefined,
      'the Authorization header has another form'
    ),

  'sends-token-unchanged': recording =>
    afterLogin(
      recording,
      ({ headers, token }) => bearerToken(headers) !== token,
      'the token is missing or another'
    ),

  'sends-token-nowhere-else': ({ requests }) =>
    violations(
      requests,
      (request, index) => tokensUntil(requests, index).some(token => hasTokenElsewhere(request, token)),
      'the token is elsewhere too'
    ),

  'sends-no-made-up-token': ({ requests }) =>
    violations(
      requests,
      request => request.token === undefined && hasEmptyToken(request),
      'sent a header without a token'
    ),

  'returns-to-login-on-401': ({ requests }) => {
    const next = requests.find(
      request =>
        expiredTokens(requests, request).length > 0 &&
        !(isMenu(request) && request.headers.authorization === undefined)
    )
    return next?.outcome === 'form' ? [] : [violation(next, 'did not go back to the login form')]
  },

  'drops-token-on-401': ({ requests }) =>
    ifAny(
      requests.slice(requests.findIndex(isUnauthorized) + 1),
      request => {
        const index = requests.indexOf(request)
        const isLoggedOut = request.token === undefined && requests.slice(0, index).some(isUnauthorized)
        const hasToken = /^bearer /i.test(request.headers.authorization ?? '') && !hasEmptyToken(request)
        return (
          (isLoggedOut && hasToken) ||
          expiredTokens(requests, request).some(token => ownText(request).includes(token))
        )
      },
      'a token was sent that should be dropped'
    ),

  'sends-credentials-nowhere-else': ({ server, requests, entered }) => {
    const submitted = requests.map(({ body }) => fieldsOf(body)?.password)
    const passwords = [entered.password, ...submitted].filter(
      (value): value is string => isString(value) && value.length > 3
    )
    return violations(
      requests,
      request =>
        /^basic /i.test(request.headers.authorization ?? '') ||
        /[?&](password|passwd|pwd)=/i.test(request.path) ||
        passwords.some(password =>
          hasSecret(isSubmission(request, server) ? { ...request, body: '' } : request, password)
        ),
      'the password is where it must not be'
    )
  },

  'never-asks-for-form': ({ requests }) =>
    violations(requests, ({ outcome }) => LOGIN_OUTCOMES.includes(outcome), 'went to the login'),

  'sends-no-token-without-login': ({ requests }) =>
    violations(requests, ({ headers }) => headers.authorization !== undefined, 'sent an Authorization header')
}

/** The requests that violate a rule, with what is wrong. */
function violations(
  requests: RecordedRequest[],
  isViolation: (request: RecordedRequest, index: number) => boolean,
  what: string
): Violation[] {
  return requests.filter(isViolation).map(request => ({ what, request }))
}

/** As `violations`; undefined when there are no requests to check. */
function ifAny(
  requests: RecordedRequest[],
  isViolation: (request: RecordedRequest) => boolean,
  what: string
): ReturnType<Assertion> {
  return requests.length === 0 ? undefined : violations(requests, isViolation, what)
}

/** As `ifAny`, of the requests that must carry the token; a client must send one before its session can expire. */
function afterLogin(
  { server, requests }: Recording,
  isViolation: (request: RecordedRequest) => boolean,
  what: string
): ReturnType<Assertion> {
  const later = requests.filter(
    ({ token, outcome }) => token !== undefined && !LOGIN_OUTCOMES.includes(outcome)
  )
  const isMissing = later.length === 0 && server.scenario === 'login-then-expire'
  return isMissing ? [{ what: 'sent no request after the login' }] : ifAny(later, isViolation, what)
}

function violation(request: RecordedRequest | undefined, what: string): Violation {
  return { what, ...(request && { request }) }
}

function isSubmission({ method, path }: RecordedRequest, { authAction }: ScriptedServer): boolean {
  return method === 'POST' && path === authAction
}

/** The requests to the auth_action of the form. */
function submissionsOf({ server, requests }: Pick<Recording, 'server' | 'requests'>): RecordedRequest[] {
  return requests.filter(request => isSubmission(request, server))
}
