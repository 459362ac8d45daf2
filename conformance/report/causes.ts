import type { Facts, Failure, Result } from './report.ts'

/** A common cause of several failed cases. */
export interface Explanation {
  /** The fault, and how to fix it, as sentences. */
  what: string
  todo: string
  results: Result[]
  /** A failure that proves the cause. */
  example: Failure
}

/** A failure with its facts and its case. The status is 0 if there was no response. */
type Symptom = Facts & { status: number } & Pick<Result, 'id' | 'clause' | 'title'> & { failure: Failure }

interface Cause {
  what: (proof: Symptom) => string
  todo: string
  proves: (one: Symptom) => boolean
  /** Default: `proves`. */
  explains?: (one: Symptom, proof: Symptom) => boolean
}

const isLogin = ({ path, method }: Facts) => path === '/auth/login' && (method === 'GET' || method === 'POST')
const isForm = (one: Facts) => isLogin(one) && one.method === 'GET'
const isSubmission = (one: Facts) => isLogin(one) && one.method === 'POST'
const isMenu = ({ path, method }: Facts) => path === '/menu/main' && method === 'GET'
const isSuccess = ({ status }: Symptom) => status >= 200 && status <= 299
/** Whether the guard must refuse the request. The ids of the cases for the no-auth mode begin with `open-`. */
const isGuarded = (one: Symptom) => one.token !== 'valid' && !isLogin(one) && !one.id.startsWith('open-')
const isOwnRoute = (one: Symptom) => one.id.startsWith('protected-')
/** Whether the guard wrongly passed the request on. */
const isServed = (one: Symptom) => isGuarded(one) && isSuccess(one) && one.isScreen && !one.isForm
/** Whether there is a response, and it is not the 401 of the guard. */
const hasNo401 = (one: Symptom) => isGuarded(one) && ![0, 401].includes(one.status)
const isRefusedOtherwise = (one: Symptom) => isGuarded(one) && !isServed(one) && one.status !== 0
const isUnknown = ({ status }: Symptom) => [301, 302, 307, 308, 404, 405, 501].includes(status)
const isAccepted = ({ failure }: Symptom) => /"success":\s*true/.test(failure.came)
const isAboutRejection = (one: Symptom) =>
  isSubmission(one) && /rejected|failure|no token/i.test(one.clause + one.title)
const isPlain = ({ id }: Symptom) => id === 'menu-without-token'

/** In order of precedence: a result belongs to the first proven cause that explains it. */
const CAUSES: Cause[] = [
  {
    what: ({ path }) => `the route ${path} of --protected is served without a token.`,
    todo: 'Put the guard before that route, for every method.',
    proves: one => isOwnRoute(one) && one.token === 'none' && isSuccess(one),
    explains: one => isOwnRoute(one) && isGuarded(one)
  },
  {
    what: () => 'GET /menu/main is served without a token.',
    todo: 'Put the guard before every route except GET and POST /auth/login. For a server without a login, use --no-auth.',
    proves: one => isPlain(one) && isServed(one),
    explains: isGuarded
  },
  {
    what: ({ status, location, isForm }) =>
      `the guard responds with ${status}${location ? ` and Location: ${location}` : ''}${isForm ? ' and the login form' : ''}, not with 401.`,
    todo: 'Respond with 401 to every request without a valid token: a client shows the login form only after a 401.',
    proves: one => isPlain(one) && isRefusedOtherwise(one) && one.status !== 401,
    explains: (one, proof) => isRefusedOtherwise(one) && one.status === proof.status
  },
  {
    what: ({ status }) => `a missing token gets 401, but an invalid token gets ${status}.`,
    todo: 'Respond with 401 in both cases: a client drops its token only after a 401.',
    proves: one => isMenu(one) && one.token === 'invalid' && isRefusedOtherwise(one) && one.status !== 401,
    explains: (one, proof) => one.token !== 'none' && isRefusedOtherwise(one) && one.status === proof.status
  },
  {
    what: () => 'the server still accepts an expired token.',
    todo: 'Check the expiry (exp) of each token, for every route.',
    proves: one => /expir|lifetime/.test(one.id) && hasNo401(one)
  },
  {
    what: () => 'the server accepts a token that it has not issued.',
    todo: 'Verify the signature with your own key and algorithm, or compare the whole token, before you use any part of the token.',
    proves: one => one.token === 'invalid' && isServed(one),
    explains: one => isGuarded(one) && one.token === 'invalid'
  },
  {
    what: () => 'the server accepts a token outside of Authorization: Bearer.',
    todo: 'Read the token only from that header and with that scheme, not from a query, a cookie, a body or another header.',
    proves: one => one.token === 'elsewhere' && isServed(one),
    explains: one => isGuarded(one) && one.token === 'elsewhere'
  },
  {
    what: ({ status }) => `the server reads the body before the guard runs, and responds with ${status}, not with 401.`,
    todo: 'Put the guard before everything that reads or checks a body.',
    proves: one => isGuarded(one) && one.hasBody && [400, 411, 413, 415, 422, 500].includes(one.status)
  },
  {
    what: ({ status }) => `unknown routes get their response (${status}) before the guard runs.`,
    todo: 'Run the guard before the router.',
    proves: one => isGuarded(one) && isUnknown(one) && one.method === 'GET' && !/^.auth.login/.test(one.path),
    explains: one => isGuarded(one) && (isUnknown(one) || one.method === 'OPTIONS')
  },
  {
    what: ({ method, status }) => `${method} gets its response (${status}) before the guard runs.`,
    todo: 'Let the guard check every method as it checks GET. Only CORS preflights (OPTIONS) may pass.',
    proves: one => hasNo401(one) && one.method !== 'GET',
    explains: (one, proof) => isGuarded(one) && one.method === proof.method
  },
  {
    what: ({ status }) => `the server refuses the login form (${status}).`,
    todo: 'GET and POST /auth/login are public, even with an invalid token. Also check the URL of the service.',
    proves: one => isForm(one) && (one.status === 401 || one.status === 403)
  },
  {
    what: ({ status }) => `the server refuses a token that it has issued (${status}).`,
    todo: 'Accept the string of `token` as it is, on every route, until it expires.',
    proves: one => one.token === 'valid' && !isLogin(one) && (one.status === 401 || one.status === 403)
  },
  {
    what: () => 'the server accepts wrong or incomplete credentials.',
    todo: 'Accept a username and a password only when both are strings and the password is that of this user.',
    proves: one => isAboutRejection(one) && isAccepted(one)
  },
  {
    what: () =>
      'the response to a rejected login is not an AuthResponse. Any status is allowed, but the body must be an AuthResponse.',
    todo: 'Respond to wrong credentials with {"success":false,"token":null,"error":"a message","screen":null}.',
    proves: one => isAboutRejection(one) && !isAccepted(one)
  }
]

/** Returns the causes with the results that each explains, most results first, and the unexplained results. */
export function explain(results: readonly Result[]): { causes: Explanation[]; others: Result[] } {
  let others = results.map(result => ({ result, symptoms: symptomsOf(result) }))
  const causes: Explanation[] = []
  for (const { what, todo, proves, explains = proves } of CAUSES) {
    const first = others.flatMap(({ symptoms }) => symptoms).find(proves)
    if (first === undefined) continue
    const own = others.filter(({ symptoms }) => symptoms.length > 0 && symptoms.every(one => explains(one, first)))
    const proof = own.flatMap(({ symptoms }) => symptoms).find(proves)
    if (proof === undefined) continue
    causes.push({ what: what(proof), todo, results: own.map(({ result }) => result), example: proof.failure })
    others = others.filter(one => !own.includes(one))
  }
  causes.sort((one, other) => other.results.length - one.results.length)
  return { causes, others: others.map(({ result }) => result) }
}

/** Returns the failures of a result; an empty list if any failure has no facts. */
function symptomsOf({ id, clause, title, failures = [] }: Result): Symptom[] {
  const symptoms = failures.flatMap(failure =>
    failure.facts ? [{ status: 0, ...failure.facts, id, clause, title, failure }] : []
  )
  return symptoms.length === failures.length ? symptoms : []
}
