// Servers whose guard lets a request pass without a valid token, or responds wrongly.
import { broken, change, opens, readingToken } from './broken.ts'
import { beforeGuard, type Change, type Incoming, json, type Parts } from './minimal-server.ts'

const typeOf = ({ headers }: Incoming) => headers['content-type'] ?? ''
const isJson = (request: Incoming) => typeOf(request).startsWith('application/json')
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

const statusBeforeGuard = (statusOf: (request: Incoming) => number | false) =>
  beforeGuard((request, parts) => {
    const status = !parts.isPublic(request) && statusOf(request)
    return status !== false && json(status, {})
  })

/** Requires no token on a connection after a request that passes the test. */
const trusting =
  (test: (request: Incoming, parts: Parts) => boolean): Change =>
  parts => {
    const trusted = new WeakSet()
    return {
      isPublic(request) {
        if (test(request, parts)) trusted.add(request.connection)
        return parts.isPublic(request)
      },
      tokenOf: request => parts.tokenOf(request) ?? (trusted.has(request.connection) ? 'open' : undefined),
      isValid: (token, request) => token === 'open' || parts.isValid(token, request)
    }
  }

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
    'menu-without-token: a redirect to the login': { missing: () => json(302, '', { location: '/auth/login' }) },
    'menu-without-token: the login form in place of 401': parts => ({ missing: parts.form }),
    'challenge: a 401 without a scheme': { missing: () => ({ status: 401 }) },
    'invalid-token-challenge: a 401 for an invalid token without a scheme': { invalid: () => ({ status: 401 }) },
    'invalid-token invalid-token-on-unknown token-elsewhere: 403 for a wrong or a misplaced token': parts => ({
      invalid: () => ({ status: 403 }),
      missing: request => (request.query.includes('token=') ? { status: 403 } : parts.missing(request))
    }),
    'browser-without-token: a browser gets a redirect': parts => ({
      missing: request => (request.headers.accept?.includes('html') ? { status: 302 } : parts.missing(request))
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
    }),
    'connection-after-token-invalid: only the first token of a connection is checked': parts => {
      const known = new WeakSet()
      const isFirstValid: Parts['isValid'] = (...given) => parts.isValid(...given) && !!known.add(given[1].connection)
      return { isValid: (token, request) => known.has(request.connection) || isFirstValid(token, request) }
    },
    'form-after-refused-body: the request after a rejected large body fails': parts => {
      const known = new WeakSet()
      return beforeGuard(request => {
        if (request.body.length > 10_000) known.add(request.connection)
        return parts.isPublic(request) && known.has(request.connection) && json(400, {})
      })(parts)
    }
  }),
  ...broken(opens)({
    'menu-without-token: no guard at all': () => true,
    'methods: HEAD is open': ({ method }) => method === 'HEAD',
    'options: OPTIONS is open': ({ method }) => method === 'OPTIONS',
    'methods: POST is open': ({ method }) => method === 'POST',
    'methods: DELETE is open': ({ method, path }) => method === 'DELETE' && path !== '/auth/login',
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
    'upgrade: a WebSocket of a framework is open': ({ path }) => path === '/socket.io/',
    'empty-token: the scheme is enough': ({ headers }) => headers.authorization === 'Bearer'
  }),
  ...broken(opens, { prefix: '/app' })({
    'unknown-without-token: under a prefix, only the menu is protected': ({ path }) => !path.startsWith('/app/menu')
  }),
  ...broken(showing)({
    ...rows(OPEN_PATHS, path => (request: Incoming) => request.path === path),
    'menu-spellings: the path is normalised after the guard': ({ path }) =>
      path.startsWith('/auth/login/') && new URL(path, 'http://x').pathname === '/menu/main',
    'menu-odd-spellings: an absolute target': ({ path }) => /^http:\/\/.*\/menu\/main$/.test(path),
    'other-methods: PROPFIND returns the menu': ({ method }) => method === 'PROPFIND',
    'forwarded-path: a header turns the form into the menu': ({ headers }) => headers['x-rewrite-url'] === '/menu/main'
  }),
  ...broken(beforeGuard)({
    'root-without-token: an empty page': ({ path }) => path === '/' && { status: 200 },
    'misleading-headers: If-None-Match comes before the guard': ({ path, headers }) =>
      path === '/menu/main' && headers['if-none-match'] === '*' && { status: 304 },
    'method-override menu-odd-spellings: a method in the query gets its response before the guard': ({ query }) =>
      query.includes('_method=') && { status: 204 },
    'known-etag: an ETag replaces a token': ({ headers }) =>
      headers['if-none-match'] === '"the-menu"' && { status: 304 },
    'upgrade: a request for a WebSocket gets a 400': ({ headers }) => headers.upgrade !== undefined && { status: 400 },
    'options cors-preflight-brings-no-screen: OPTIONS returns the menu, with CORS headers': ({ method }, parts) =>
      method === 'OPTIONS' && json(200, parts.menu(false), { 'access-control-allow-origin': '*' })
  }),
  ...broken(statusBeforeGuard)({
    'broken-body: broken JSON is 400 before the guard': one => isJson(one) && !parses(one.body) && 400,
    'broken-body: a body of another type is 415 before the guard': one => one.body !== '' && !isJson(one) && 415,
    'broken-body: another charset is 415 before the guard': one => typeOf(one).includes('charset=none') && 415,
    'broken-body: gzip is 400 before the guard': ({ headers }) => headers['content-encoding'] === 'gzip' && 400,
    'broken-body: a body that is not UTF-8 is 500 before the guard': ({ body }) => body.includes('\uFFFD') && 500,
    'broken-body: a form without a boundary is 400 before the guard': one =>
      typeOf(one) === 'multipart/form-data' && 400
  }),
  ...broken(trusting)({
    'connection-after-token pipelined-after-token: a connection stays logged in': (request, parts) =>
      parts.isValid(parts.tokenOf(request) ?? '', request),
    'connection-after-login: the connection of a login stays logged in': ({ body }) => body.includes('"password"'),
    'connection-after-broken-login: a malformed login authenticates its connection': ({ body }) =>
      body.includes('"fields"') && !parses(body)
  }),
  ...broken(ownRoute, { options: { protected: ['/screen/own?page=1'] } })({
    'protected-without-token protected-spellings: the given route is open': () => true,
    'protected-options: the given route is open for OPTIONS': ({ method }) => method === 'OPTIONS',
    'protected-without-token: the given route is open for HEAD': ({ method }) => method === 'HEAD',
    'protected-upgrade: the given route is open for a WebSocket': ({ headers }) => headers.upgrade !== undefined,
    'protected-token-elsewhere protected-without-token: any token': ({ headers }) => headers.authorization !== undefined
  })
]
