// Servers with a guard that lets too much pass, or responds wrongly: what frameworks and proxies open, what a connection
// remembers, and what is done before the guard.
import { type Any, before, broken, type Change, change, finding, opens } from './broken-parts.ts'
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

/** Responds to every request that the guard refuses. */
const refusing = (respond: (parts: Parts) => Outgoing) => (parts: Parts) => ({
  missing: () => respond(parts),
  invalid: () => respond(parts)
})

/** Responds to a request with the menu when the test holds. */
const showing = (test: (request: Incoming) => boolean) => before((request, parts) => test(request) && menuOf(parts))

/** Responds with the menu and the headers of CORS. */
const preflight = (test: (request: Incoming) => boolean) =>
  before((request, parts) => {
    const { headers, ...response } = menuOf(parts)
    const cors = { 'access-control-allow-origin': '*', 'access-control-allow-methods': '*' }
    return test(request) && { ...response, headers: { ...headers, ...cors } }
  })

/** Responds with a status to guarded requests before the guard does. */
const early = (statusOf: (request: Incoming) => number | false) =>
  before((request, parts) => {
    const status = !parts.isPublic(request) && statusOf(request)
    return status !== false && json(status, {})
  })

/** Remembers connections. */
const connections = (make: (known: WeakSet<object>, parts: Parts) => Partial<Parts>) => (parts: Parts) =>
  make(new WeakSet(), parts)

/** Returns a row for each text. */
const rows = <Row>(texts: string[], key: (text: string) => string, row: (text: string) => Row) =>
  Object.fromEntries(texts.map(text => [key(text), row(text)]))

/** What frameworks serve by themselves. */
const FRAMEWORK_PATHS =
  '/actuator /actuator/health /actuator/env /debug/pprof/ /debug/vars /error /metrics /openapi.json /docs /redoc ' +
  '/swagger-ui/index.html /v3/api-docs /documentation/json /graphql /h2-console /server-status /.env /admin'

/** Headers with which a proxy, or a client that pretends to be one, opens a server, and how their values begin. */
const OPENING: Record<string, string> = {
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
  ...broken('the guard', {}, refusing, {
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
    '5.2: the path is normalised after the check': parts => ({
      ...opens(({ path }) => path.startsWith('/auth/login/'))(parts),
      other: request =>
        new URL(request.path, 'http://x').pathname === '/menu/main' ? menuOf(parts) : parts.other(request)
    }),
    '7 missing token: 401 for a browser is a redirect': parts => ({
      missing: request => (request.headers.accept?.includes('html') ? redirectTo('/') : parts.missing(request))
    }),
    '4 GET /auth/login: the form needs a token': parts => ({
      isPublic: request => request.method === 'POST' && parts.isPublic(request)
    }),
    '5.2: a stale token on the form is 401': parts => ({
      form: request => (request.headers.authorization === undefined ? parts.form(request) : { status: 401 })
    }),
    '4 GET /auth/login: who is logged in gets no form': parts => ({
      form: request =>
        parts.isValid(parts.tokenOf(request) ?? '', request) ? redirectTo('/menu/main') : parts.form(request)
    })
  }),
  ...broken('the guard', { form: 'jwt' }, change, {
    '7 invalid token: 500 for a token that is no JWT': {
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
    '5.2: what begins with /auth/login is public': ({ path }) => path.startsWith('/auth/login'),
    '5.2: what ends with /login is public': ({ path }) => path.endsWith('/login'),
    '5.2: what has /auth/login in its query is public': ({ query }) => query.includes('/auth/login'),
    '5.2: a Referer of the login opens': ({ headers }) => headers.referer?.endsWith('/auth/login')
  }),
  ...broken('the guard', { prefix: '/app' }, opens, {
    '4 all other routes: under a prefix, only the prefix is guarded with it twice': ({ path }) =>
      !path.startsWith('/app/menu')
  }),

  ...broken('a door', {}, opens, {
    ...rows(
      Object.keys(OPENING),
      name => `5.2: the header ${name}`,
      name =>
        ({ headers }: Incoming) =>
          headers[name] && String(headers[name]).startsWith(OPENING[name] as string)
    ),
    '4 all other routes: another host': ({ headers }) => headers.host === 'localhost',
    '4 all other routes: a method in the query': ({ query }) => query.includes('_method='),
    '4 all other routes: a request for a WebSocket gets the menu': ({ headers }) => headers.upgrade === 'websocket',
    '4 all other routes: POST needs a token only with a body': request => request.method === 'POST' && !hasBody(request)
  }),
  ...broken('a door', {}, showing, {
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
  ...broken('a door', {}, before, {
    '5.2: If-None-Match comes before the guard': ({ path, headers }) =>
      path === '/menu/main' && headers['if-none-match'] === '*' && { status: 304 },
    '7 missing token: an ETag stands for a token': ({ headers }) =>
      headers['if-none-match'] === '"the-menu"' && { status: 304 },
    '4 all other routes: a request for a WebSocket gets a 400': ({ headers }) =>
      headers.upgrade !== undefined && { status: 400 },
    '4 all other routes: OPTIONS names the methods of a route': ({ method }) =>
      method === 'OPTIONS' && { status: 200, headers: { allow: 'GET,HEAD' }, body: 'GET,HEAD' }
  }),
  ...broken('a door', {}, preflight, {
    '4 all other routes: OPTIONS brings the menu, with the headers of CORS': ({ method, path }) =>
      method === 'OPTIONS' && path === '/menu/main',
    '4 all other routes: a preflight brings the menu': ({ headers }) =>
      headers['access-control-request-method'] !== undefined,
    '5.2: OPTIONS of the login brings the menu': ({ method, path }) => method === 'OPTIONS' && path === '/auth/login'
  }),
  ...broken('a door', {}, early, {
    '7 missing token: a broken body is 400 before the guard': request =>
      hasBody(request) && isJson(request) && !parses(request.body) && 400,
    '7 missing token: a body of another type is 415 before the guard': request =>
      hasBody(request) && !isJson(request) && 415,
    '7 missing token: a body of another charset is 415 before the guard': request =>
      typeOf(request).includes('charset=none') && 415,
    '7 missing token: a compressed body is 400 before the guard': ({ headers }) =>
      headers['content-encoding'] === 'gzip' && 400,
    '7 missing token: a body that is not UTF-8 is 500 before the guard': ({ body }) => body.includes('\uFFFD') && 500,
    '7 missing token: a form without its boundary is 400 before the guard': request =>
      typeOf(request) === 'multipart/form-data' && 400
  }),
  ...broken('a door', {}, change, {
    '5.1: a WebSocket with a token in the query': parts => ({
      ...finding(({ headers, query }) => headers.upgrade && new URLSearchParams(query).get('token'))(parts),
      other: request => (request.headers.upgrade ? menuOf(parts) : parts.other(request))
    }),
    '4 all other routes: a WebSocket is opened': { upgrades: true },
    '5.3.3: a 401 with the menu behind it': parts => ({
      missing: () => json(401, `{"error":"no"}${JSON.stringify(parts.menu(false))}`)
    }),
    '4 rule 1: a 401 with the menu as its body': parts => ({
      missing: () => ({ ...menuOf(parts), status: 401 })
    }),
    '5.3.3: the body of a refused request is the next request': parts => ({
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
    '7 missing token: the menu is cached by its address': parts => {
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
  ...broken('a door', {}, connections, {
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
    '5.3.2: on a connection only the first token is checked': (known, parts) => ({
      isValid: (token, request) =>
        known.has(request.connection) || (parts.isValid(token, request) && known.add(request.connection) !== undefined)
    }),
    '5.3.3: a login that was refused opens its connection': (known, parts) => ({
      readFields(request) {
        if (!parses(request.body)) known.add(request.connection)
        return parts.readFields(request)
      },
      ...opens(({ connection }) => known.has(connection))(parts)
    }),
    '5.2: after a large body that was refused the connection is out of step': (known, parts) =>
      before(({ body, connection, ...request }) => {
        if (body.length > 10_000) known.add(connection)
        return parts.isPublic({ ...request, body, connection }) && known.has(connection) && json(400, {})
      })(parts)
  }),

  ...broken(
    'a door',
    {},
    (test: (path: string) => boolean) => showing(({ path, method }) => method === 'GET' && test(path)),
    {
      '5.2: the menu without a token by %2f at the end': path => path.endsWith('%2f'),
      '5.2: the menu without a token by %2f in the middle': path => path === '/menu%2fmain',
      '5.2: the menu without a token by ..; of Tomcat': path => path.includes('..;/'),
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
    'a door',
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
      '5 table all other routes: the given route opens a WebSocket': ({ headers }) => headers.upgrade !== undefined,
      '5 table all other routes: the given route takes any token': ({ headers }) => headers.authorization !== undefined
    }
  )
]
