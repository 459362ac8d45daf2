import type { Facts, Failure, Place, Result } from './report.ts'

/** A common cause of several failed cases. */
export interface Explanation {
  /** The fault, and how to fix it, as sentences. */
  what: string
  todo: string
  results: Result[]
  /** A failure that proves the cause. */
  example: Failure
}

interface Cause {
  /** @param all the facts of all results that the cause explains */
  what: (proof: Facts, all: Facts[]) => string
  todo: string
  proves: (one: Facts) => boolean
  /** Default: `proves`. */
  explains?: (one: Facts, proof: Facts) => boolean
}

const isLogin = ({ path, method }: Facts) => path === '/auth/login' && (method === 'GET' || method === 'POST')
const isMenu = ({ path, method }: Facts) => path === '/menu/main' && method === 'GET'
const isSuccess = ({ status }: Facts) => status >= 200 && status <= 299
const isRefusal = ({ status }: Facts) => status === 401 || status === 403
/** Whether the guard must refuse the request. */
const isGuarded = (one: Facts) =>
  (one.token !== 'valid' || one.subject === 'expiry') && !isLogin(one) && one.subject !== 'no-auth'
/** Whether the guard wrongly passed the request on. */
const isServed = (one: Facts) => isGuarded(one) && isSuccess(one) && one.isScreen && !one.isForm
/** Whether there is a response, and it is not the 401 of the guard. */
const hasNo401 = (one: Facts) => isGuarded(one) && ![0, 401].includes(one.status)
const isRefusedOtherwise = (one: Facts) => isGuarded(one) && !isServed(one) && one.status !== 0
const isUnknown = ({ status }: Facts) => [301, 302, 307, 308, 404, 405, 501].includes(status)
const isLikeLogin = ({ path }: Facts) => path.includes('/auth') || path.includes('login')
/** Whether a path is no file, is at the top, and is not like that of the login. */
const isPlain = (one: Facts) => /^\/\w*$/.test(one.path) && !isLikeLogin(one)
const isFirst = ({ subject }: Facts) => subject === 'first request'
const isElsewhere = ({ subject }: Facts) => subject === 'elsewhere'
const isOnLogin = ({ path }: Facts) => path === '/auth/login'
const hasToken = (one: Facts) => one.token !== 'none' || isElsewhere(one)
const isOfSame = (one: Facts, other: Facts) => one.method === other.method && one.path === other.path
const namesOf = (names: string[]) => [...new Set(names)].join(', ')

/** The causes for a server. In order of precedence: a result belongs to the first proven cause that explains it. */
const CAUSES: Cause[] = [
  {
    what: ({ method, path }) => `the server closes the connection of ${method} ${path} without a response.`,
    todo: 'Look into its log: it may have crashed.',
    proves: ({ status }) => status === 0
  },
  {
    what: (_, all) => `--protected ${namesOf(all.map(({ path }) => path))} is served without a token.`,
    todo: 'Put the guard before that route, for every method.',
    proves: one => one.isOwnRoute && one.token === 'none' && isSuccess(one) && !isElsewhere(one),
    explains: one => one.isOwnRoute && isGuarded(one) && !isElsewhere(one)
  },
  {
    what: () => 'GET /menu/main is served without a token.',
    todo: 'Put the guard before every route except GET and POST /auth/login. For a server without a login, use --no-auth.',
    proves: one => isFirst(one) && isServed(one),
    explains: isGuarded
  },
  {
    what: ({ status, location, isForm }) =>
      `the guard responds with ${status}${location ? ` and Location: ${location}` : ''}${isForm ? ' and the login form' : ''}, not with 401.`,
    todo: 'Respond with 401 to every request without a valid token: a client shows the login form only after a 401.',
    proves: one => isFirst(one) && isRefusedOtherwise(one) && one.status !== 401,
    explains: (one, proof) => isRefusedOtherwise(one) && one.status === proof.status
  },
  {
    what: () => 'a 401 has a menu or a screen in its body.',
    todo: 'End the request with the 401, so that no handler runs after the guard.',
    proves: one => isGuarded(one) && one.status === 401
  },
  {
    what: ({ status }) => `a missing token gets 401, but an invalid token gets ${status}.`,
    todo: 'Respond with 401 in both cases: a client drops its token only after a 401.',
    proves: one => isMenu(one) && one.token === 'invalid' && isRefusedOtherwise(one) && one.status !== 401,
    explains: (one, proof) => hasToken(one) && isRefusedOtherwise(one) && one.status === proof.status
  },
  {
    what: ({ status }) => `unknown routes get their response (${status}) before the guard runs.`,
    todo: 'Run the guard before the router.',
    proves: one =>
      isGuarded(one) &&
      isUnknown(one) &&
      one.method === 'GET' &&
      one.token === 'none' &&
      !isElsewhere(one) &&
      isPlain(one),
    explains: one => isGuarded(one) && (isUnknown(one) || one.method === 'OPTIONS')
  },
  {
    what: () => 'another spelling of a path gets around the guard.',
    todo: 'Let the guard decide by the route that the router found, not by the text of the URL.',
    proves: one => one.subject === 'spelling' && isServed(one)
  },
  {
    what: ({ path }) => `the guard lets more paths through than /auth/login, for example ${path}.`,
    todo: 'Compare the whole path with /auth/login, not its beginning, its end or a part.',
    proves: one => isLikeLogin(one) && !isLogin(one) && one.method === 'GET' && one.token === 'none' && hasNo401(one),
    explains: one => isLikeLogin(one) && isGuarded(one)
  },
  {
    what: () => 'the server still accepts an expired token.',
    todo: 'Check the expiry (exp) of each token, for every route.',
    proves: one => one.subject === 'expiry' && hasNo401(one)
  },
  {
    what: () => 'the server accepts a token that it has not issued.',
    todo: 'Verify the signature with your own key and algorithm, or compare the whole token, before you use any part of the token.',
    proves: one => one.token === 'invalid' && !isElsewhere(one) && isServed(one),
    explains: one => isGuarded(one) && one.token === 'invalid'
  },
  {
    what: () => 'the server accepts a token outside of Authorization: Bearer.',
    todo: 'Read the token only from that header and with that scheme, not from a query, a cookie, a body or another header.',
    proves: one => isElsewhere(one) && isServed(one),
    explains: one => isGuarded(one) && isElsewhere(one)
  },
  {
    what: () => 'a connection stays logged in after a token or a login.',
    todo: 'Check the token of each request, and keep nothing about the user in the connection.',
    proves: one => one.subject === 'connection' && isServed(one),
    explains: one => one.subject === 'connection' && isGuarded(one)
  },
  {
    what: ({ status }) => `the server reads the body before the guard runs, and responds with ${status}, not with 401.`,
    todo: 'Put the guard before everything that reads or checks a body.',
    proves: one => isGuarded(one) && one.hasBody && [400, 411, 413, 415, 422, 500].includes(one.status)
  },
  {
    what: (_, all) => `${namesOf(all.map(({ method }) => method))}: the response comes before the guard runs.`,
    todo: 'Let the guard check every method as it checks GET. Only CORS preflights (OPTIONS) may pass.',
    proves: one => hasNo401(one) && one.method !== 'GET' && one.subject !== 'header' && one.path !== '/auth/login',
    explains: one => isGuarded(one) && one.method !== 'GET'
  },
  {
    what: ({ method, status }) => `${method} /auth/login needs no token (${status}).`,
    todo: 'Only GET and POST are public, and HEAD as a part of GET.',
    proves: one => isOnLogin(one) && hasNo401(one),
    explains: one => isOnLogin(one) && isGuarded(one)
  },
  {
    what: () => 'a header or a query gets around the guard.',
    todo: 'Read nothing but Authorization to decide whether a request has a token.',
    proves: one => one.subject === 'header' && hasNo401(one),
    explains: one => isGuarded(one) && (one.subject === 'header' || one.subject === 'spelling')
  },
  {
    what: ({ path, status }) => `GET ${path} gets its response (${status}) before the guard runs.`,
    todo: 'Put the guard before the handler of this route, also if the handler serves files.',
    proves: one =>
      hasNo401(one) && one.method === 'GET' && one.token === 'none' && one.path !== '/menu/main' && !isElsewhere(one)
  },
  {
    what: ({ method, status }) => `the server refuses ${method} /auth/login (${status}).`,
    todo: 'GET and POST /auth/login are public, even with an invalid token. Also check the URL of the service.',
    proves: one => isLogin(one) && isRefusal(one) && one.subject !== 'rejection',
    explains: one => isLogin(one) && isRefusal(one)
  },
  {
    what: ({ status }) => `the server refuses a token that it has issued (${status}).`,
    todo: 'Accept the string of `token` as it is, on every route, until it expires.',
    proves: one => one.token === 'valid' && !isLogin(one) && isRefusal(one)
  },
  {
    what: () => 'the server accepts wrong or incomplete credentials.',
    todo: 'Accept a username and a password only when both are strings and the password is that of this user.',
    proves: one => one.subject === 'rejection' && one.isAccepted
  },
  {
    what: () =>
      'the response to a rejected login is not an AuthResponse. Any status is allowed, but the body must be an AuthResponse.',
    todo: 'Respond to wrong credentials with {"success":false,"token":null,"error":"a message","screen":null}.',
    proves: one => one.subject === 'rejection'
  },
  {
    what: (_, all) => `missing: ${namesOf(all.map(({ missing }) => String(missing)))}.`,
    todo: 'Send these properties or claims in every response in which the contract has them.',
    proves: one => one.missing !== undefined,
    explains: (one, proof) => one.missing === proof.missing || (one.missing !== undefined && isOfSame(one, proof))
  },
  {
    what: () => 'the server still asks for a login, although it runs in the no-auth mode.',
    todo: 'When authentication is disabled, register neither the guard nor the login routes.',
    proves: one => one.subject === 'no-auth' && (one.status === 401 || one.isForm || one.location !== undefined),
    explains: one => one.subject === 'no-auth'
  },
  {
    what: () => 'two users get the same token.',
    todo: 'Issue a token of its own for each login.',
    proves: one => one.subject === 'second user' && one.isAccepted,
    explains: one => one.subject === 'second user'
  },
  {
    what: () => 'a screen has the name or the menu of another user than that of the token.',
    todo: 'Take both from the user of the token, not from a constant, or from a variable that all requests share.',
    proves: one => one.subject === 'second user' && one.token === 'valid' && isSuccess(one) && one.isScreen,
    explains: one => one.subject === 'second user'
  }
]

type Explained = { causes: Explanation[]; others: Result[] }

/** Returns the causes with the results that each explains, most results first, and the unexplained results. */
export function explain(results: readonly Result[]): Explained {
  const isOfClient = results.some(({ failures = [] }) => failures.some(({ place }) => place !== undefined))
  const { causes, others } = isOfClient ? explainClient(results) : explainServer(results)
  return { causes: causes.sort((one, other) => other.results.length - one.results.length), others }
}

function explainServer(results: readonly Result[]): Explained {
  let others = [...results]
  const causes: Explanation[] = []
  for (const { what, todo, proves, explains = proves } of CAUSES) {
    const first = others.flatMap(factsOf).find(proves)
    if (first === undefined) continue
    const own = others.filter(one => factsOf(one).length > 0 && factsOf(one).every(facts => explains(facts, first)))
    const example = own.flatMap(({ failures = [] }) => failures).find(({ facts }) => facts && proves(facts))
    if (example?.facts === undefined) continue
    causes.push({ what: what(example.facts, own.flatMap(factsOf)), todo, results: own, example })
    others = others.filter(one => !own.includes(one))
  }
  return { causes, others }
}

const factsOf = ({ failures = [] }: Result) => failures.flatMap(({ facts }) => facts ?? [])

/**
 * One mistake of a client may fail the same case in several scenarios, and several cases with the same request. If a
 * request is missing, an earlier mistake in the scenario is the cause.
 */
function explainClient(results: readonly Result[]): Explained {
  const causes: Explanation[] = []
  let left = results
  const inOrder = [...results].sort((one, other) => firstRequest(one) - firstRequest(other))
  for (const { id, failures } of inOrder) {
    const places = left.filter(one => one.id === id).flatMap(placesOf)
    const follows = (one: Result) => placesOf(one).every(place => places.some(other => isBehind(place, other)))
    const own = left.filter(one => one.id === id || follows(one))
    const [example] = failures as [Failure]
    if (own.length < 2) continue
    causes.push({ what: `${example.came}.`, todo: `${example.expected}.`, results: own, example })
    left = left.filter(one => !own.includes(one))
  }
  return { causes, others: [...left] }
}

const placesOf = ({ failures }: Result) => (failures as Failure[]).map(({ place }) => place as Place)
const firstRequest = (one: Result) => placesOf(one)[0]?.request ?? Number.MAX_SAFE_INTEGER
const isBehind = ({ scenario, request }: Place, other: Place) =>
  scenario === other.scenario && (request === undefined || request === other.request)
