// Servers whose guard lets a request pass without a valid token, or responds wrongly.
import { broken, change, opens, readingToken } from './broken.ts'
import { beforeGuard, type Change, type Incoming, json, type Outgoing, type Parts } from './minimal-server.ts'

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

const showing = (test: (request: Incoming) => boolean) =>
  beforeGuard((request, parts) => test(request) && menuOf(parts))

const preflight = (test: (request: Incoming) => boolean) =>
  beforeGuard((request, parts) => {
    const { headers, ...response } = menuOf(parts)
    const cors = { 'access-control-allow-origin': '*', 'access-control-allow-methods': '*' }
    return test(request) && { ...response, headers: { ...headers, ...cors } }
  })

const statusBeforeGuard = (statusOf: (request: Incoming) => number | false) =>
  beforeGuard((request, parts) => {
    const status = !parts.isPublic(request) && statusOf(request)
    return status !== false && json(status, {})
  })

/** Gives the change a set of connections, to which it can add one. */
const connections = (make: (known: WeakSet<object>, parts: Parts) => Partial<Parts>) => (parts: Parts) =>
  make(new WeakSet(), parts)

/** The guarded route of `--protected`, which some requests reach without a valid token. */
const ownRoute =
  (test: (request: Incoming) => boolean): Change =>
  parts => ({
    ...opens(request => request.path === '/screen/own' && test(request))(parts),
    other: request => (request.path === '/screen/own' ? menuOf(parts) : parts.other(request))
  })

/** Returns a row for each word, with the id of its case in the key. */
const rows = <Row>(words: Record<string, string>, row: (word: string) => Row) =>
  Object.fromEntries(
    Object.entries(words).flatMap(([id, texts]) => texts.split(' ').map(text => [`${id}: ${text}`, row(text)]))
  )

const OPEN_PATHS = {
  'common-routes':
    '/actuator /actuator/env /debug/pprof/ /error /metrics /openapi.json /docs /graphql /h2-console /server-status ' +
    '/.env /admin',
  'framework-routes': '/actuator/health /debug/vars /redoc /swagger-ui/index.html /v3/api-docs /documentation/json',
  'unknown-without-token': '/index.html',
  'root-without-token': '/',
  favicon: '/favicon.ico',
  'login-with-slash': '/auth/login/',
  'below-login': '/auth/login.json',
  'menu-spellings': '/MENU/MAIN //menu/main /menu/main/ /menu/main.json /%6Denu/main',
  'menu-odd-spellings':
    '/menu/main%2f /menu%2fmain /auth/login/..;/..;/menu/main /menu/main;.css /menu/main#/auth/login'
}

const BYPASSING_HEADERS = {
  'forwarding-headers': 'x-forwarded-for x-real-ip forwarded x-forwarded-host x-forwarded-user remote-user',
  'misleading-headers':
    'referer cf-connecting-ip x-original-url x-rewrite-url x-forwarded-uri x-forwarded-prefix x-http-method-override ' +
    'x-forwarded-method x-requested-with x-user-id x-ssl-client-verify x-internal'
}

export const brokenGuards = [
  ...broken(change)({
    'menu-without-token: 403 in place of 401': { missing: () => ({ status: 403 }) },
    'menu-without-token: a redirect to the login': { missing: () => redirectTo('/auth/login') },
    'menu-without-token: the login form in place of 401': parts => ({ missing: parts.form }),
    'challenge: a 401 without a scheme': { missing: () => ({ status: 401 }) },
    'invalid-token-challenge: a 401 for an invalid token without a scheme': { invalid: () => ({ status: 401 }) },
    'invalid-token invalid-token-on-unknown: 401 without a token, 403 with a wrong one': {
      invalid: () => ({ status: 403 })
    },
    'menu-spellings: the path is normalised after the guard': parts => ({
      ...opens(({ path }) => path.startsWith('/auth/login/'))(parts),
      other: request =>
        new URL(request.path, 'http://x').pathname === '/menu/main' ? menuOf(parts) : parts.other(request)
    }),
    'browser-without-token: a browser gets a redirect': parts => ({
      missing: request => (request.headers.accept?.includes('html') ? redirectTo('/') : parts.missing(request))
    }),
    'upgrade-with-token-elsewhere: a WebSocket with a token in the query': parts => ({
      ...readingToken(({ headers, query }) => headers.upgrade && new URLSearchParams(query).get('token'))(parts),
      other: request => (request.headers.upgrade ? menuOf(parts) : parts.other(request))
    }),
    'menu-without-token: a 401 with the menu after its JSON': parts => ({
      missing: () => json(401, `{"error":"no"}${JSON.stringify(parts.menu(false))}`)
    }),
    'menu-without-token: a 401 with the menu as its body': parts => ({
      missing: () => ({ ...menuOf(parts), status: 401 })
    }),
    'connection-after-refused-body: the body of a rejected request is read as the next request': parts => ({
      raw({ method, body }, { socket }) {
        if (method !== 'POST' || !body.startsWith('GET ')) return false
        const form = JSON.stringify(parts.form({} as Incoming).body)
        const length = Buffer.byteLength(form)
        socket.write(
          `HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${form}`
        )
        return true
      }
    })
  }),
  ...broken(opens)({
    'menu-without-token: no guard at all': () => true,
    'methods: HEAD is open': ({ method }) => method === 'HEAD',
    'options: OPTIONS is open': ({ method }) => method === 'OPTIONS',
    'methods: POST is open': ({ method }) => method === 'POST',
    'methods: DELETE is open': ({ method }) => method === 'DELETE',
    'unknown-without-token: unknown routes are 404 without a token': ({ path }) => path !== '/menu/main',
    'methods: all methods of /auth/login are public': ({ path }) => path === '/auth/login',
    'menu-spellings: every query with /auth/login is public': ({ query }) => query.includes('/auth/login'),
    ...rows(
      BYPASSING_HEADERS,
      name =>
        ({ headers }: Incoming) =>
          name in headers
    ),
    'misleading-headers: a monitor needs no token': ({ headers }) => headers['user-agent']?.startsWith('kube-probe'),
    'other-host: another host': ({ headers }) => headers.host === 'localhost',
    'method-override: a method in the query': ({ query }) => query.includes('_method='),
    'upgrade: a request for a WebSocket gets the menu': ({ headers }) => headers.upgrade === 'websocket',
    'methods: POST needs a token only with a body': request => request.method === 'POST' && !hasBody(request),
    'empty-token: the scheme is enough': ({ headers }) => headers.authorization === 'Bearer'
  }),
  ...broken(opens, { prefix: '/app' })({
    'unknown-without-token: under a prefix, only the menu is protected': ({ path }) => !path.startsWith('/app/menu')
  }),
  ...broken(showing)({
    ...rows(OPEN_PATHS, path => (request: Incoming) => request.path === path),
    'menu-odd-spellings: an absolute target': ({ path }) => /^http:\/\/.*\/menu\/main$/.test(path),
    'other-methods: PROPFIND returns the menu': ({ method }) => method === 'PROPFIND',
    'forwarded-path: a header turns the form into the menu': ({ headers }) => headers['x-rewrite-url'] === '/menu/main'
  }),
  ...broken(beforeGuard)({
    'root-without-token: an empty page': ({ path }) => path === '/' && { status: 200 },
    'misleading-headers: If-None-Match comes before the guard': ({ path, headers }) =>
      path === '/menu/main' && headers['if-none-match'] === '*' && { status: 304 },
    'known-etag: an ETag replaces a token': ({ headers }) =>
      headers['if-none-match'] === '"the-menu"' && { status: 304 },
    'upgrade: a request for a WebSocket gets a 400': ({ headers }) => headers.upgrade !== undefined && { status: 400 }
  }),
  ...broken(preflight)({
    'options: OPTIONS returns the menu, with CORS headers': ({ method, path }) =>
      method === 'OPTIONS' && path === '/menu/main',
    'cors-preflight-brings-no-screen: a preflight returns the menu': ({ headers }) =>
      headers['access-control-request-method'] !== undefined,
    'options: OPTIONS on the login returns the menu': ({ method, path }) =>
      method === 'OPTIONS' && path === '/auth/login'
  }),
  ...broken(statusBeforeGuard)({
    'broken-body: a broken body is 400 before the guard': request =>
      hasBody(request) && isJson(request) && !parses(request.body) && 400,
    'broken-body: a body of another type is 415 before the guard': request =>
      hasBody(request) && !isJson(request) && 415,
    'broken-body: a body of another charset is 415 before the guard': request =>
      typeOf(request).includes('charset=none') && 415,
    'broken-body: a compressed body is 400 before the guard': ({ headers }) =>
      headers['content-encoding'] === 'gzip' && 400,
    'broken-body: a body that is not UTF-8 is 500 before the guard': ({ body }) => body.includes('\uFFFD') && 500,
    'broken-body: a form without a boundary is 400 before the guard': request =>
      typeOf(request) === 'multipart/form-data' && 400
  }),
  ...broken(connections)({
    'connection-after-token pipelined-after-token: a connection stays logged in': (known, parts) => ({
      isValid: (token, request) =>
        (token === 'open' || parts.isValid(token, request)) && known.add(request.connection) !== undefined,
      tokenOf: request => parts.tokenOf(request) ?? (known.has(request.connection) ? 'open' : undefined)
    }),
    'connection-after-login: the connection of a login stays logged in': (known, parts) => ({
      readFields(request) {
        known.add(request.connection)
        return parts.readFields(request)
      },
      ...opens(({ connection, method }) => method === 'GET' && known.has(connection))(parts)
    }),
    'connection-after-token-invalid: only the first token of a connection is checked': (known, parts) => ({
      isValid: (token, request) =>
        known.has(request.connection) || (parts.isValid(token, request) && known.add(request.connection) !== undefined)
    }),
    'connection-after-broken-login: a malformed login authenticates its connection': (known, parts) => ({
      readFields(request) {
        if (!parses(request.body)) known.add(request.connection)
        return parts.readFields(request)
      },
      ...opens(({ connection }) => known.has(connection))(parts)
    }),
    'form-after-refused-body: the request after a rejected large body fails': (known, parts) =>
      beforeGuard(({ body, connection, ...request }) => {
        if (body.length > 10_000) known.add(connection)
        return parts.isPublic({ ...request, body, connection }) && known.has(connection) && json(400, {})
      })(parts)
  }),
  ...broken(ownRoute, { options: { protected: ['/screen/own?page=1'] } })({
    'protected-without-token protected-spellings: the given route is open': () => true,
    'protected-options: the given route is open for OPTIONS': ({ method }) => method === 'OPTIONS',
    'protected-without-token: the given route is open for HEAD': ({ method }) => method === 'HEAD',
    'protected-upgrade: the given route is open for a WebSocket': ({ headers }) => headers.upgrade !== undefined,
    'protected-token-elsewhere: the given route accepts any token': ({ headers }) => headers.authorization !== undefined
  })
]
