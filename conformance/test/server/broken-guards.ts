// Servers with a guard that lets too many requests pass, or that responds wrongly: routes of frameworks, headers of
// proxies, state of a connection, and responses before the guard.
import { type Any, beforeGuard, broken, type Change, change, opens, readingToken } from './broken-parts.ts'
import { type Incoming, json, type Outgoing, type Parts } from './minimal-server.ts'

const hasBody = ({ method, body }: Incoming) => method === 'POST' && body !== ''
const typeOf = ({ headers }: Incoming) => headers['content-type'] ?? ''
const isJson = (request: Incoming) => typeOf(request).startsWith('application/json')
const redirectTo = (location: string): Outgoing => ({ status: 302, headers: { location } })
const menuOf = (parts: Parts) => json(200, parts.menu(false))

function parses(body: string): boolean {
  try {
    JSON.parse(body)
    return true
  } catch {
    return false
  }
}

/** Replaces the responses of the guard. */
const rejectingWith = (respond: (parts: Parts) => Outgoing) => (parts: Parts) => ({
  missing: () => respond(parts),
  invalid: () => respond(parts)
})

/** Responds with the menu to requests that pass the test. */
const showing = (test: (request: Incoming) => boolean) =>
  beforeGuard((request, parts) => test(request) && menuOf(parts))

/** Responds with the menu and CORS headers. */
const preflight = (test: (request: Incoming) => boolean) =>
  beforeGuard((request, parts) => {
    const { headers, ...response } = menuOf(parts)
    const cors = { 'access-control-allow-origin': '*', 'access-control-allow-methods': '*' }
    return test(request) && { ...response, headers: { ...headers, ...cors } }
  })

/** Responds with a status to protected requests before the guard does. */
const statusBeforeGuard = (statusOf: (request: Incoming) => number | false) =>
  beforeGuard((request, parts) => {
    const status = !parts.isPublic(request) && statusOf(request)
    return status !== false && json(status, {})
  })

/** Gives the change a set of connections, to which it can add one. */
const connections = (make: (known: WeakSet<object>, parts: Parts) => Partial<Parts>) => (parts: Parts) =>
  make(new WeakSet(), parts)

const rows = <Row>(texts: string[], key: (text: string) => string, row: (text: string) => Row) =>
  Object.fromEntries(texts.map(text => [key(text), row(text)]))

/** Routes that frameworks add. */
const FRAMEWORK_PATHS =
  '/actuator /actuator/health /actuator/env /debug/pprof/ /debug/vars /error /metrics /openapi.json /docs /redoc ' +
  '/swagger-ui/index.html /v3/api-docs /documentation/json /graphql /h2-console /server-status /.env /admin'

/** Headers that make a server skip the guard, and the beginnings of their values. */
const BYPASSING: Record<string, string> = {
  'x-forwarded-for': '127.0.0.1',
  'x-real-ip': '127.0.0.1',
  forwarded: 'for=127.0.0.1',
  'cf-connecting-ip': '127.0.0.1',
  'x-forwarded-host': 'localhost',
  'x-original-url': '/auth/login',
  'x-rewrite-url': '/auth/login',
  'x-forwarded-uri': '/auth/login',
  'x-forwarded-prefix': '/auth/login',
  'x-http-method-override': 'OPTIONS',
  'x-forwarded-method': 'OPTIONS',
  'user-agent': 'kube-probe',
  'x-requested-with': 'XMLHttpRequest',
  'x-forwarded-user': '',
  'remote-user': '',
  'x-user-id': '',
  'x-ssl-client-verify': 'SUCCESS',
  'x-internal': 'true'
}

export const brokenGuards = [
  ...broken('the guard', {}, rejectingWith, {
    '4 rule 1: 403 in place of 401': () => ({ status: 403 }),
    '4 rule 1: a redirect to the login': () => redirectTo('/auth/login'),
    '4 rule 1: the login form in place of 401': parts => parts.form({} as Any),
    '7 missing token: 200 with an error': () => json(200, { error: 'unauthorized' })
  }),
  ...broken('the guard', {}, change, {
    '7 invalid token: 401 without a token, 403 with a wrong one': { invalid: () => ({ status: 403 }) },
    '5.3.3: 400 for an empty header': {
      missing: ({ headers }) => ({ status: headers.authorization === undefined ? 401 : 400 })
    },
    '5.2: the path is normalised after the guard': parts => ({
      ...opens(({ path }) => path.startsWith('/auth/login/'))(parts),
      other: request =>
        new URL(request.path, 'http://x').pathname === '/menu/main' ? menuOf(parts) : parts.other(request)
    }),
    '7 missing token: a browser gets a redirect': parts => ({
      missing: request => (request.headers.accept?.includes('html') ? redirectTo('/') : parts.missing(request))
    }),
    '4 GET /auth/login: the form needs a token': parts => ({
      isPublic: request => request.method === 'POST' && parts.isPublic(request)
    }),
    '5.2: a stale token on the form is 401': parts => ({
      form: request => (request.headers.authorization === undefined ? parts.form(request) : { status: 401 })
    }),
    '4 GET /auth/login: a logged-in user gets no form': parts => ({
      form: request =>
        parts.isValid(parts.tokenOf(request) ?? '', request) ? redirectTo('/menu/main') : parts.form(request)
    })
  }),
  ...broken('the guard', { form: 'jwt' }, change, {
    '7 invalid token: 500 for a token that is not a JWT': {
      invalid: token => ({ status: token.split('.').length === 3 ? 401 : 500 })
    }
  }),
  ...broken('the guard', {}, opens, {
    '4 all other routes: no guard at all': () => true,
    '4 all other routes: HEAD is open': ({ method }) => method === 'HEAD',
    '4 all other routes: OPTIONS is open': ({ method }) => method === 'OPTIONS',
    '4 all other routes: POST is open': ({ method }) => method === 'POST',
    '4 all other routes: DELETE is open': ({ method }) => method === 'DELETE',
    '4 all other routes: unknown routes are 404 without a token': ({ path }) => path !== '/menu/main',
    '4 all other routes: the root is open': ({ path }) => path === '/',
    '4 all other routes: static files are open': ({ path }) => /\.(css|js|ico)$/.test(path),
    '5.2: all methods of /auth/login are public': ({ path }) => path === '/auth/login',
    '5.2: every path that begins with /auth/login is public': ({ path }) => path.startsWith('/auth/login'),
    '5.2: every path that ends with /login is public': ({ path }) => path.endsWith('/login'),
    '5.2: every query with /auth/login is public': ({ query }) => query.includes('/auth/login'),
    '5.2: a Referer of the login bypasses the guard': ({ headers }) => headers.referer?.endsWith('/auth/login')
  }),
  ...broken('the guard', { prefix: '/app' }, opens, {
    '4 all other routes: under a prefix, only the menu is protected': ({ path }) => !path.startsWith('/app/menu')
  }),

  ...broken('a bypass', {}, opens, {
    ...rows(
      Object.keys(BYPASSING),
      name => `5.2: the header ${name}`,
      name =>
        ({ headers }: Incoming) =>
          headers[name] && String(headers[name]).startsWith(BYPASSING[name] as string)
    ),
    '4 all other routes: another host': ({ headers }) => headers.host === 'localhost',
    '4 all other routes: a method in the query': ({ query }) => query.includes('_method='),
    '4 all other routes: a request for a WebSocket gets the menu': ({ headers }) => headers.upgrade === 'websocket',
    '4 all other routes: POST needs a token only with a body': request => request.method === 'POST' && !hasBody(request)
  }),
  ...broken('a bypass', {}, showing, {
    ...rows(
      FRAMEWORK_PATHS.split(' '),
      path => `4 all other routes: ${path} is open`,
      path => (request: Incoming) => request.path === path
    ),
    '4 all other routes: the favicon is a screen': ({ path }) => path === '/favicon.ico',
    '5.2: the menu is at /auth/login/': ({ path }) => path === '/auth/login/',
    '5.2: a header turns the form into the menu': ({ headers }) => headers['x-rewrite-url'] === '/menu/main',
    '5.2: another header turns the form into the menu': ({ headers }) => headers['x-original-url'] === '/menu/main'
  }),
  ...broken('a bypass', {}, beforeGuard, {
    '5.2: If-None-Match comes before the guard': ({ path, headers }) =>
      path === '/menu/main' && headers['if-none-match'] === '*' && { status: 304 },
    '7 missing token: an ETag replaces a token': ({ headers }) =>
      headers['if-none-match'] === '"the-menu"' && { status: 304 },
    '4 all other routes: a request for a WebSocket gets a 400': ({ headers }) =>
      headers.upgrade !== undefined && { status: 400 },
    '4 all other routes: OPTIONS lists the methods of a route': ({ method }) =>
      method === 'OPTIONS' && { status: 200, headers: { allow: 'GET,HEAD' }, body: 'GET,HEAD' }
  }),
  ...broken('a bypass', {}, preflight, {
    '4 all other routes: OPTIONS returns the menu, with CORS headers': ({ method, path }) =>
      method === 'OPTIONS' && path === '/menu/main',
    '4 all other routes: a preflight returns the menu': ({ headers }) =>
      headers['access-control-request-method'] !== undefined,
    '5.2: OPTIONS on the login returns the menu': ({ method, path }) => method === 'OPTIONS' && path === '/auth/login'
  }),
  ...broken('a bypass', {}, statusBeforeGuard, {
    '7 missing token: a broken body is 400 before the guard': request =>
      hasBody(request) && isJson(request) && !parses(request.body) && 400,
    '7 missing token: a body of another type is 415 before the guard': request =>
      hasBody(request) && !isJson(request) && 415,
    '7 missing token: a body of another charset is 415 before the guard': request =>
      typeOf(request).includes('charset=none') && 415,
    '7 missing token: a compressed body is 400 before the guard': ({ headers }) =>
      headers['content-encoding'] === 'gzip' && 400,
    '7 missing token: a body that is not UTF-8 is 500 before the guard': ({ body }) => body.includes('\uFFFD') && 500,
    '7 missing token: a form without a boundary is 400 before the guard': request =>
      typeOf(request) === 'multipart/form-data' && 400
  }),
  ...broken('a bypass', {}, change, {
    '5.1: a WebSocket with a token in the query': parts => ({
      ...readingToken(({ headers, query }) => headers.upgrade && new URLSearchParams(query).get('token'))(parts),
      other: request => (request.headers.upgrade ? menuOf(parts) : parts.other(request))
    }),
    '4 all other routes: a WebSocket is opened': { upgrades: true },
    '5.3.3: a 401 with the menu after its JSON': parts => ({
      missing: () => json(401, `{"error":"no"}${JSON.stringify(parts.menu(false))}`)
    }),
    '4 rule 1: a 401 with the menu as its body': parts => ({
      missing: () => ({ ...menuOf(parts), status: 401 })
    }),
    '5.3.3: the body of a rejected request is read as the next request': parts => ({
      raw({ method, body }, { socket }) {
        if (method !== 'POST' || !body.startsWith('GET ')) return false
        const form = JSON.stringify(parts.form({} as Incoming).body)
        const length = Buffer.byteLength(form)
        socket.write(
          `HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${form}`
        )
        return true
      }
    }),
    '7 missing token: the menu is cached by its URL': parts => {
      let isCached = false
      return {
        menu(isLogin, username) {
          isCached ||= !isLogin
          return parts.menu(isLogin, username)
        },
        ...opens(({ path, method }) => isCached && method === 'GET' && path === '/menu/main')(parts)
      }
    }
  }),
  ...broken('a bypass', {}, connections, {
    '5.3.1: a connection stays logged in': (known, parts) => ({
      isValid: (token, request) =>
        (token === 'open' || parts.isValid(token, request)) && known.add(request.connection) !== undefined,
      tokenOf: request => parts.tokenOf(request) ?? (known.has(request.connection) ? 'open' : undefined)
    }),
    '5.3.1: the connection of a login stays logged in': (known, parts) => ({
      readFields(request) {
        known.add(request.connection)
        return parts.readFields(request)
      },
      ...opens(({ connection, method }) => method === 'GET' && known.has(connection))(parts)
    }),
    '5.3.2: only the first token of a connection is checked': (known, parts) => ({
      isValid: (token, request) =>
        known.has(request.connection) || (parts.isValid(token, request) && known.add(request.connection) !== undefined)
    }),
    '5.3.3: a malformed login authenticates its connection': (known, parts) => ({
      readFields(request) {
        if (!parses(request.body)) known.add(request.connection)
        return parts.readFields(request)
      },
      ...opens(({ connection }) => known.has(connection))(parts)
    }),
    '5.2: after a rejected large body the next request on the connection fails': (known, parts) =>
      beforeGuard(({ body, connection, ...request }) => {
        if (body.length > 10_000) known.add(connection)
        return parts.isPublic({ ...request, body, connection }) && known.has(connection) && json(400, {})
      })(parts)
  }),

  ...broken(
    'a bypass',
    {},
    (test: (path: string) => boolean) => showing(({ path, method }) => method === 'GET' && test(path)),
    {
      '5.2: the menu without a token by %2f at the end': path => path.endsWith('%2f'),
      '5.2: the menu without a token by %2f in the middle': path => path === '/menu%2fmain',
      '5.2: the menu without a token by ..; as in Tomcat': path => path.includes('..;/'),
      '5.2: the menu without a token by a parameter of the path': path => path === '/menu/main;.css',
      '5.2: the menu without a token by a fragment': path => path.includes('#'),
      '5.2: the menu without a token by an absolute target': path => /^http:\/\/.*\/menu\/main$/.test(path),
      '5.2: the menu without a token by capitals': path => path === '/MENU/MAIN',
      '5.2: the menu without a token by two slashes': path => path === '//menu/main',
      '5.2: the menu without a token by a slash at the end': path => path === '/menu/main/',
      '5.2: the menu without a token by an extension': path => path === '/menu/main.json',
      '5.2: the menu without a token by a percent-encoded letter': path => path === '/%6Denu/main'
    }
  ),
  ...broken(
    'a bypass',
    { options: { protected: ['/screen/own'] } },
    (test: (request: Incoming) => boolean): Change =>
      parts => ({
        ...opens(request => request.path === '/screen/own' && test(request))(parts),
        other: request => (request.path === '/screen/own' ? menuOf(parts) : parts.other(request))
      }),
    {
      '5 table all other routes: the given route is open': () => true,
      '5 table all other routes: the given route is open for OPTIONS': ({ method }) => method === 'OPTIONS',
      '5 table all other routes: the given route is open for HEAD': ({ method }) => method === 'HEAD',
      '5 table all other routes: the given route is open for a WebSocket': ({ headers }) =>
        headers.upgrade !== undefined,
      '5 table all other routes: the given route accepts any token': ({ headers }) =>
        headers.authorization !== undefined
    }
  )
]
