import type { Facts, Failure, Result } from './report.ts'

/** What several failed cases have in common. */
export interface Explanation {
  /** What is wrong, as a clause of a sentence. */
  what: string
  /** What to do about it. */
  todo: string
  results: Result[]
  /** The failure that shows it best. */
  example: Failure
}

/** A failure with its facts and its case. The status 0 is that of no response. */
type Symptom = Facts & { status: number } & Pick<Result, 'id' | 'clause' | 'title'> & { failure: Failure }

interface Cause {
  what: (sign: Symptom) => string
  todo: string
  /** Whether a failure proves the cause. */
  sign: (one: Symptom) => boolean
  /** Whether the cause explains a failure. Default: as `sign`. */
  explains?: (one: Symptom, sign: Symptom) => boolean
}

const isLogin = ({ path, method }: Facts) => path === '/auth/login' && (method === 'GET' || method === 'POST')
const isForm = (one: Facts) => isLogin(one) && one.method === 'GET'
const isSubmission = (one: Facts) => isLogin(one) && one.method === 'POST'
const isMenu = ({ path, method }: Facts) => path === '/menu/main' && method === 'GET'
const isSuccess = ({ status }: Symptom) => status >= 200 && status <= 299
/** Whether the guard had to refuse it. The ids of all cases for a server without a login begin with open. */
const isGuarded = (one: Symptom) => one.token !== 'valid' && !isLogin(one) && !one.id.startsWith('open-')
/** The ids of the cases for --protected begin with that word. */
const isOwnRoute = (one: Symptom) => one.id.startsWith('protected-')
/** Whether the guard let it pass. */
const isServed = (one: Symptom) => isGuarded(one) && isSuccess(one) && one.isScreen && !one.isForm
const isRefusedOtherwise = (one: Symptom) => isGuarded(one) && !isServed(one) && one.status !== 0
const isUnknown = ({ status }: Symptom) => [301, 302, 307, 308, 404, 405, 501].includes(status)
const isAccepted = ({ failure }: Symptom) => /"success":\s*true/.test(failure.came)
const isAboutRejection = (one: Symptom) =>
  isSubmission(one) && /rejected|failure|no token/i.test(one.clause + one.title)
const isPlain = ({ id }: Symptom) => id === 'menu-without-token'

/** The first one that proves true takes what it explains. */
const CAUSES: Cause[] = [
  {
    what: ({ path }) => `the route ${path} of --protected is served without a token.`,
    todo: 'Put the guard before that route, for every method.',
    sign: one => isOwnRoute(one) && one.token === 'none' && isSuccess(one),
    explains: one => isOwnRoute(one) && isGuarded(one)
  },
  {
    what: () => 'GET /menu/main is served without a token.',
    todo: 'Put the guard before every route but GET and POST /auth/login. A server without a login is checked with --no-auth.',
    sign: one => isPlain(one) && isServed(one),
    explains: isGuarded
  },
  {
    what: ({ status, location, isForm }) =>
      `the guard responds with ${status}${location ? ` and Location: ${location}` : ''}${isForm ? ' and the login form' : ''}, not with 401.`,
    todo: 'A client shows the login form after a 401 and after nothing else: respond with 401, whatever the request is.',
    sign: one => isPlain(one) && isRefusedOtherwise(one) && one.status !== 401,
    explains: (one, sign) => isRefusedOtherwise(one) && one.status === sign.status
  },
  {
    what: ({ status }) => `an invalid token makes the server fail with status ${status}.`,
    todo: 'Catch what the check of a token throws, and respond with 401.',
    sign: one => isGuarded(one) && one.token === 'invalid' && one.status >= 500,
    explains: one => isGuarded(one) && one.token !== 'none' && one.status >= 500
  },
  {
    what: ({ status }) => `a missing token gets 401, and an invalid one ${status}.`,
    todo: 'Respond with 401 in both cases: a client forgets its token after a 401 and after nothing else.',
    sign: one => isMenu(one) && one.token === 'invalid' && isRefusedOtherwise(one) && one.status !== 401,
    explains: (one, sign) => one.token !== 'none' && isRefusedOtherwise(one) && one.status === sign.status
  },
  {
    what: () => 'an expired token is still accepted.',
    todo: 'Check the expiry (exp) of each token, for every route.',
    sign: one => /expir|lifetime/.test(one.id) && isGuarded(one) && one.status !== 401
  },
  {
    what: () => 'a token is accepted that the server has not issued.',
    todo: 'Verify the signature with your own key and algorithm, or compare the whole token, before you use any of it.',
    sign: one => one.token === 'invalid' && isServed(one),
    explains: one => isGuarded(one) && one.token === 'invalid'
  },
  {
    what: () => 'a token is accepted outside of Authorization: Bearer.',
    todo: 'Read the token from that header and with that scheme only, not from a query, a cookie, a body or another header.',
    sign: one => one.token === 'elsewhere' && isServed(one),
    explains: one => isGuarded(one) && one.token === 'elsewhere'
  },
  {
    what: ({ status }) => `the body is read before the guard, which costs a ${status} in place of a 401.`,
    todo: 'Put the guard before everything that reads or checks a body.',
    sign: one => isGuarded(one) && one.hasBody && [400, 411, 413, 415, 422, 500].includes(one.status)
  },
  {
    what: ({ status }) => `routes that are not registered get their response (${status}) before the guard.`,
    todo: 'Put the guard around the router.',
    sign: one => isGuarded(one) && isUnknown(one) && one.method === 'GET' && !/^.auth.login/.test(one.path),
    explains: one => isGuarded(one) && (isUnknown(one) || one.method === 'OPTIONS')
  },
  {
    what: () => 'other paths or methods than GET and POST /auth/login are public.',
    todo: 'Compare the whole path and the method.',
    sign: one => isGuarded(one) && /login/.test(one.path) && one.status !== 401
  },
  {
    what: ({ method, status }) => `${method} gets its response (${status}) before the guard.`,
    todo: 'Let the guard check every method as it checks GET. Of OPTIONS only the preflights of CORS may pass.',
    sign: one => isGuarded(one) && one.method !== 'GET' && one.status !== 401,
    explains: (one, sign) => isGuarded(one) && one.method === sign.method
  },
  {
    what: () => 'some requests without a token are served.',
    todo: 'Compare them with a plain GET /menu/main, which is refused: what do they have that it has not?',
    sign: one => isServed(one) && one.token === 'none'
  },
  {
    what: ({ status }) => `the login form itself is refused (${status}).`,
    todo: 'GET and POST /auth/login are public, whatever token comes along. Or is the URL not that of the service?',
    sign: one => isForm(one) && (one.status === 401 || one.status === 403)
  },
  {
    what: ({ status }) => `a token that the server has issued is refused (${status}).`,
    todo: 'Accept the string of `token` as it is, on every route, until it expires.',
    sign: one => one.token === 'valid' && !isLogin(one) && (one.status === 401 || one.status === 403)
  },
  {
    what: () => 'wrong or incomplete credentials are accepted.',
    todo: 'Accept a username and a password only when both are strings and the password is that of this very user.',
    sign: one => isAboutRejection(one) && isAccepted(one)
  },
  {
    what: () => 'a rejected login is no AuthResponse. Its status is free, and its body is not.',
    todo: 'Respond to wrong credentials with {"success":false,"token":null,"error":"a message","screen":null}.',
    sign: one => isAboutRejection(one) && !isAccepted(one)
  },
  {
    what: () => 'what should be JSON is none.',
    todo: 'Send the form, the menu and each AuthResponse as a JSON object in UTF-8, and nothing around it.',
    sign: one => isSuccess(one) && !one.isJson && one.method !== 'HEAD'
  },
  {
    what: () => 'the screens lack user_display_name.',
    todo: 'Set it to the name of the user of the token: on the screen of the login, the menu and every other screen.',
    sign: one => /display-name$/.test(one.id) && !one.failure.came.includes('"user_display_name":"')
  },
  {
    what: () => 'the login form is not built as in 2.6.',
    todo: 'One section `login`; its fields are `username` (Text) and `password` (Password), with labels and empty values.',
    sign: isForm
  },
  {
    what: () => 'an accepted login is no AuthResponse.',
    todo: 'Respond with {"success":true,"token":"…","error":null,"screen":{"layout":"Menu","menu":{…},…}}.',
    sign: one => isSubmission(one) && !isAboutRejection(one) && /^(2\.|4 |5\.2)/.test(one.clause)
  },
  {
    what: ({ status }) => `the server fails with status ${status}.`,
    todo: 'Its log says why.',
    sign: one => one.status >= 500
  },
  {
    what: () => 'there is no response.',
    todo: 'The server closed the connection, or took too long (--timeout).',
    sign: one => one.status === 0
  }
]

/** Returns the causes and what they explain, the largest first, and the results that none explains. */
export function explain(results: readonly Result[]): { causes: Explanation[]; others: Result[] } {
  let others = results.map(result => ({ result, symptoms: symptomsOf(result) }))
  const causes: Explanation[] = []
  for (const { what, todo, sign: isSign, explains = isSign } of CAUSES) {
    const first = others.flatMap(({ symptoms }) => symptoms).find(isSign)
    if (first === undefined) continue
    const own = others.filter(({ symptoms }) => symptoms.length > 0 && symptoms.every(one => explains(one, first)))
    const sign = own.flatMap(({ symptoms }) => symptoms).find(isSign)
    if (sign === undefined) continue
    causes.push({ what: what(sign), todo, results: own.map(({ result }) => result), example: sign.failure })
    others = others.filter(one => !own.includes(one))
  }
  causes.sort((one, other) => other.results.length - one.results.length)
  return { causes, others: others.map(({ result }) => result) }
}

/** The failures of a result; none when the facts of one are not known. */
function symptomsOf({ id, clause, title, failures = [] }: Result): Symptom[] {
  const symptoms = failures.flatMap(failure =>
    failure.facts ? [{ status: 0, ...failure.facts, id, clause, title, failure }] : []
  )
  return symptoms.length === failures.length ? symptoms : []
}
