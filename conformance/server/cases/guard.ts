// Requests without a token: routes, methods, bodies and headers that must not bypass the guard.
import { SkipError } from '../../report/report.ts'
import { all, either, that } from '../checks.ts'
import { isObject } from '../json.ts'
import { card, namedScreen, nameOfLogin, noScreen } from '../screens.ts'
import type { CaseRequest } from '../server-case.ts'
import { challenge, no401, noMenu, noSuccess, status, unauthorized, unauthorizedOr } from '../statuses.ts'
import type { Values } from '../values.ts'
import { cases, elsewhere, expecting, expiry, header, needs, showingStatus, spelling } from './define.ts'
import { get, JSON_TYPE, menu, menuWith, send, upgrade } from './requests.ts'
import { base64, encode, pairs, withNames, words } from './texts.ts'

const GUARD = `
  challenge SHOULD 7 missing token: A 401 names the scheme in WWW-Authenticate (RFC 9110 11.6.1)
  body-of-401 OBSERVED 7 missing token, 7 invalid token:
    The body of a 401: the contract needs none, and known clients ignore it
  browser-without-token MUST 7 missing token: A request without a token gets a 401, whatever its Accept header
  unknown-without-token MUST 4 all other routes, 5 table all other routes, 7 missing token:
    An unknown route without a token gets a 401
  common-routes MUST 4 all other routes:
    Without a token, common routes (administration, documentation, metrics, debugging) return a 401 or a redirect
  framework-routes HARDENING 4 all other routes: Without a token, routes that frameworks add return a 401 or a redirect
  health-routes OBSERVED 4 all other routes:
    The status of health routes without a token (a public one is the host’s own decision)
  favicon MUST 4 all other routes: /favicon.ico without a token returns a 401, or no JSON object
  root-without-token MUST 4 all other routes, 5 table all other routes:
    The root without a token returns a 401, or the HTML page of a client
  below-login MUST 5.2, 4 all other routes: A route below /auth/login, or with a similar path, is not public
  login-with-slash MUST 5.2: GET /auth/login/, with a trailing slash, returns the login form or does not succeed
  menu-spellings MUST 5.2: Another spelling of /menu/main does not bypass the guard
  menu-odd-spellings HARDENING 5.2: Further spellings of /menu/main do not bypass the guard
  methods MUST 4 all other routes, 5 table all other routes, 5.2:
    Every method needs a token on every route, except GET, POST and HEAD on /auth/login
  options MUST 4 all other routes, 5.2: OPTIONS needs a token, unless the server responds with CORS headers
  other-methods HARDENING 4 all other routes: PROPFIND and TRACE without a token do not succeed
  upgrade MUST 4 all other routes: A WebSocket request without a token gets a 401, or the server closes the connection
  upgrade-with-token-elsewhere HARDENING 5.1, 5.3.1, 7 missing token:
    A WebSocket request with a token in its query or protocol gets a 401
  broken-body MUST 7 missing token, 5.3.3, 4 all other routes: Without a token, an invalid body gets a 401, too
  forwarding-headers MUST 5.2, 4 all other routes: Headers that a proxy adds do not replace a token
  misleading-headers HARDENING 5.2: A header that names a public route, a monitor or a test does not replace a token
  method-override HARDENING 4 all other routes, 7 missing token: Overriding the method does not replace a token
  other-host HARDENING 4 all other routes, 7 missing token: Another Host header does not replace a token
  forwarded-path HARDENING 5.2, 4 all other routes: A header that names the menu does not make GET /auth/login return it
  cors-preflight OBSERVED 4 all other routes: The status of a CORS preflight
  cors-preflight-brings-no-screen MUST 4 all other routes: A CORS preflight returns no screen
  known-etag HARDENING 7 missing token, 4 rule 1: The ETag of the menu does not replace a token
`

const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE']
const noJsonObject = that('a body that is not a JSON object', ({ body }) => !isObject(body))
const html = that('an HTML page', ({ headers }) => /^text\/html(;|$)/.test(headers['content-type'] ?? ''))
const corsHeader = that('a CORS header', ({ headers }) =>
  ['access-control-allow-origin', 'access-control-allow-methods'].some(name => headers[name] !== undefined)
)
const unauthorizedOrCors = either(unauthorized, all(noScreen, either(status(501), corsHeader)))

const orRedirect = unauthorizedOr(301, 302, 303, 307, 308)

const gets =
  (paths: string) =>
  ({ random }: Values) =>
    words(paths).map(path => get(path.replaceAll('*', random)))

const withHeaders = (...all: Record<string, string>[]) => all.map(headers => menu({ headers }))

/** Bodies that a parser rejects. The guard must reject the request before the body is parsed. */
const invalidBodies = (path: string, random: string): CaseRequest[] => [
  send('POST', path, { headers: JSON_TYPE, body: '{"changes":' }),
  send('POST', path, { headers: JSON_TYPE, body: Buffer.from('7b226368616e676573223a22fffe227d', 'hex') }),
  send('POST', path, { headers: { 'Content-Type': 'application/json; charset=none' }, body: '{}' }),
  send('POST', path, { headers: { 'Content-Type': `application/${random}` }, body: random }),
  send('POST', path, { headers: { ...JSON_TYPE, 'Content-Encoding': 'gzip' }, body: random }),
  send('POST', path, { headers: { 'Content-Type': 'multipart/form-data' }, body: random })
]

const preflight = (path: string) =>
  send('OPTIONS', path, {
    headers: {
      Origin: 'http://client.example',
      'Access-Control-Request-Method': 'GET',
      'Access-Control-Request-Headers': 'authorization'
    }
  })

const override = (method: string) => withNames('X-HTTP-Method-Override X-Method-Override X-HTTP-Method', method)

export const guardCases = cases('guard', GUARD, {
  challenge: { requests: 'menu without token', given: unauthorized, expect: challenge },
  'body-of-401': {
    requests: ({ random }) => ['menu without token', menuWith(random)],
    given: status(401),
    observe: ({ text, headers }) => (text === '' ? 'none' : `${text.length} characters of ${headers['content-type']}`)
  },
  'browser-without-token': expecting(
    unauthorized,
    withHeaders({ Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }, { Accept: 'text/html' })
  ),
  'unknown-without-token': expecting(
    unauthorized,
    gets('/* /menu /menu/* /screen/* /auth /auth/* /index.html /static/* /static/app.js /*.js /*.css /*.png')
  ),
  'common-routes': expecting(
    orRedirect,
    gets(`
      /admin /admin/ /admin/users /internal /debug /test /dev /setup /backup /export /upload /api /api/status
      /api/users /users /user /me /profile /settings /config /.env /.git/config /auth/logout /logout /auth/register
      /register /signup /auth/refresh /auth/token /auth/status /login /menu/list /menu/admin /screen/main /screens
      /files/1 /download /assets/* /public/* /graphql /console /metrics /docs /openapi.json /swagger /swagger.json
      /swagger-ui/ /server-status /phpinfo.php /info.php /actuator /actuator/env /h2-console /error /debug/pprof/
    `)
  ),
  'framework-routes': expecting(
    orRedirect,
    gets(`
      /actuator/health /debug/vars /redoc /swagger-ui/index.html /swagger-ui.html /v3/api-docs /api-docs
      /documentation/json /q/health /auth/forgot-password /openapi.yaml /docs/* /uploads/* /files/* /images/* /media/*
      /locales/*.json /administrator /manage /management /dashboard /private /secret /old /beta /v1 /v2 /server-info
      /trace /env /dump /logs /log /db /sql /data /dump.json /config.json /package.json /assets/*.png /*.svg /*.ico
      /*.jpg /*.woff2 /*.map /*.txt /*.xml /*.html /*.pdf
    `)
  ),
  // The contract lists the public routes, but the host may add a public health route, so this case never fails.
  'health-routes': showingStatus(
    gets('/health /healthz /health/live /livez /readyz /ready /ping /status /version /info')
  ),
  favicon: expecting(either(unauthorized, noJsonObject), get('/favicon.ico')),
  'root-without-token': expecting(either(unauthorized, all(status(200), html)), get('/')),
  'below-login': expecting(unauthorized, values => [
    ...gets('/auth/login/* /auth/login* /auth/login.json /*/login /*/auth/login')(values),
    send('POST', `/auth/login/${values.random}`)
  ]),
  'login-with-slash': expecting(either(noSuccess, card), get('/auth/login/')),
  'menu-spellings': spelling(
    noSuccess,
    words(`
      /menu/main/ /MENU/MAIN /%6Denu/main //menu/main /./menu/main /auth/login/../../menu/main
      /auth/login/..%2f..%2fmenu/main /menu/main;/auth/login /menu/main.json /menu/main.css /menu/main?x=/auth/login
      /menu/main?/auth/login /menu/main%20 /menu//main
    `).map(path => get(path))
  ),
  'menu-odd-spellings': spelling(noSuccess, [
    ...words(`
      /menu/%6Dain /menu/./main /auth/login/%2e%2e/%2e%2e/menu/main /menu/main%00 /menu/main%2f /menu%2fmain
      /menu/main;.css /menu/main#/auth/login /auth/login/..;/..;/menu/main /auth/../menu/main /menu/main%0a
      /menu/main%0d%0a /menu/main%09 /menu/main. /menu/main/. /menu\\main /%256Denu/main
      /auth/login/%252e%252e/%252e%252e/menu/main /auth/login\\..\\..\\menu\\main /auth/login/..%5c..%5cmenu/main
      /index.php/menu/main /api/menu/main /v1/menu/main /menu/main?_method=OPTIONS
    `).map(path => get(path)),
    menu({ absolute: true })
  ]),
  methods: expecting(unauthorizedOr(501), ({ random }) => [
    ...['/menu/main', `/${random}`].flatMap(path => [...METHODS, 'HEAD'].map(method => send(method, path))),
    ...['PUT', 'PATCH', 'DELETE'].map(method => send(method, '/auth/login'))
  ]),
  options: expecting(unauthorizedOrCors, ({ random }) =>
    ['/menu/main', `/${random}`, '/auth/login'].map(path => send('OPTIONS', path))
  ),
  'other-methods': expecting(
    noSuccess,
    ['PROPFIND', 'TRACE'].map(method => send(method, '/menu/main'))
  ),
  upgrade: expecting(unauthorizedOr(501), ({ random }) =>
    words(`/menu/main /${random} /ws /live /socket /socket.io/?EIO=4&transport=websocket /events /cable`).map(path =>
      upgrade(path)
    )
  ),
  'upgrade-with-token-elsewhere': elsewhere(unauthorizedOr(400, 413, 414, 431, 501), ({ token }) =>
    ['/ws', '/menu/main'].flatMap(path => [
      upgrade(path, token),
      upgrade(path, `bearer, ${token}`),
      upgrade(`${path}?${pairs('token access_token', encode(token), '&')}`)
    ])
  ),
  'broken-body': expecting(unauthorizedOr(501), ({ random }) => [
    ...invalidBodies('/menu/main', random),
    ...invalidBodies(`/${random}`, random),
    send('POST', '/menu/main', { headers: { ...JSON_TYPE, Expect: '100-continue' }, body: '{}' })
  ]),
  'forwarding-headers': header(unauthorized, ({ username }) =>
    withHeaders(
      {
        ...withNames('X-Forwarded-For X-Real-IP X-Client-IP', '127.0.0.1'),
        Forwarded: 'for=127.0.0.1;host=localhost;proto=https'
      },
      { 'X-Forwarded-Host': 'localhost', 'X-Forwarded-Proto': 'https', 'X-Forwarded-Port': '443' },
      // Percent-encoded, because a header cannot carry every character.
      withNames('X-Forwarded-User X-Auth-Request-User Remote-User X-Remote-User X-User', encode(username))
    )
  ),
  'misleading-headers': header(unauthorized, ({ origin, base, username }) =>
    withHeaders(
      { Referer: `${origin}${base}/auth/login`, Origin: origin },
      { 'X-Original-URL': `${base}/auth/login` },
      { 'X-Rewrite-URL': `${base}/auth/login` },
      withNames('X-Forwarded-Uri X-Forwarded-Path', `${base}/auth/login`),
      { 'X-Forwarded-Prefix': `${base}/auth/login` },
      { 'X-HTTP-Method-Override': 'POST' },
      { ...override('OPTIONS'), 'X-Forwarded-Method': 'OPTIONS' },
      { 'If-None-Match': '*' },
      { 'If-Modified-Since': 'Fri, 31 Dec 2100 23:59:59 GMT' },
      { 'User-Agent': 'kube-probe/1.30' },
      { 'User-Agent': 'ELB-HealthChecker/2.0' },
      { 'X-Requested-With': 'XMLHttpRequest' },
      { Accept: 'text/event-stream' },
      { Accept: 'image/*' },
      { Range: 'bytes=0-9' },
      { 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Dest': 'document' },
      { 'Content-Type': 'application/grpc' },
      { 'X-Debug': '1', 'X-Test': '1' },
      withNames('X-Forwarded-For True-Client-IP CF-Connecting-IP', '127.0.0.1'),
      withNames('X-Forwarded-Preferred-Username X-Authenticated-User X-User-Id X-WEBAUTH-USER', username),
      {
        'X-Forwarded-Client-Cert': `By=spiffe://x;Subject="CN=${username}"`,
        'X-SSL-Client-Verify': 'SUCCESS',
        'X-Internal': 'true'
      }
    )
  ),
  'method-override': header(unauthorizedOrCors, [
    send('POST', '/menu/main', { headers: override('GET') }),
    send('OPTIONS', '/menu/main', { headers: override('GET') }),
    send('POST', '/menu/main?_method=GET'),
    get('/menu/main?_method=OPTIONS')
  ]),
  'other-host': header(either(unauthorized, all(noScreen, noMenu)), ({ random }) =>
    ['localhost', '127.0.0.1', `${random}.internal`].map(Host => menu({ headers: { Host } }))
  ),
  'forwarded-path': header(
    that('no menu', ({ body }) => Object(body).layout !== 'Menu'),
    ({ base }) =>
      ['X-Original-URL', 'X-Rewrite-URL', 'X-Forwarded-Uri'].map(name =>
        get('/auth/login', { headers: { [name]: `${base}/menu/main` } })
      )
  ),
  'cors-preflight': showingStatus(preflight('/menu/main')),
  'cors-preflight-brings-no-screen': expecting(either(unauthorized, noScreen), ({ random }) => [
    preflight('/menu/main'),
    preflight(`/${random}`)
  ]),
  'known-etag': expecting(unauthorized, values => {
    const { etag } = values.responseTo('menu')?.headers ?? {}
    if (etag === undefined) throw new SkipError('the response with the menu has no ETag', 'unseen')
    return withHeaders({ 'If-None-Match': etag })
  })
})

// The routes of `--protected`. Each case runs once per route.
const OWN_ROUTE = `
  protected-with-token MUST 5.3.4, 5 table all other routes: The given route accepts a valid token
  protected-display-name MUST 5.6: A screen that the given route returns has the display name of the user
  protected-without-token MUST 5 table all other routes, 4 all other routes: The given route needs a token
  protected-options MUST 5 table all other routes, 4 all other routes:
    OPTIONS on the given route needs a token, unless the server responds with CORS headers
  protected-upgrade MUST 5 table all other routes, 4 all other routes: A WebSocket request to the route needs a token
  protected-token-elsewhere MUST 5.1, 5.3.1: The given route accepts a token only in Authorization: Bearer
  protected-with-forged-token MUST 5.3.2, 5 table all other routes, 7 invalid token: The route rejects a forged JWT
  protected-with-expired-jwt MUST 5.3.2, 5 table all other routes: The given route rejects an expired JWT
  protected-with-expired-token MUST 7 invalid token, 5 table all other routes: The given route rejects the expired token
  protected-spellings HARDENING 4 all other routes: Another spelling of the given route does not bypass the guard
`

const ownRoute = ({ path, token }: Values) => [get(path, { bearer: token })]

export const ownRouteCases = cases('guard', OWN_ROUTE, {
  ...needs(['protected'], {
    'protected-with-token': {
      given: that(
        ({ path }) => `the route ${path} to exist`,
        ({ status }) => status !== 404
      ),
      ...expecting(no401, ownRoute)
    },
    'protected-display-name': expecting(all(namedScreen, nameOfLogin), ownRoute),
    'protected-without-token': expecting(unauthorizedOr(501), ({ path, random }) => [
      ...['GET', 'HEAD', ...METHODS].map(method => send(method, path)),
      get(path, { bearer: random }),
      get(path, { bearer: { token: 'end changed' } })
    ]),
    'protected-options': expecting(unauthorizedOrCors, ({ path }) => [send('OPTIONS', path)]),
    'protected-upgrade': expecting(unauthorizedOr(501), ({ path }) => [upgrade(path)]),
    'protected-token-elsewhere': elsewhere(unauthorizedOr(400, 413, 414, 431), values => {
      const { path, token, cookies, username, password } = values
      const ownCookies = pairs('token access_token session sid jwt', token, '; ')
      return [
        ...[ownCookies, cookies].map(Cookie => get(path, { headers: { Cookie } })),
        get(`${path}${path.includes('?') ? '&' : '?'}${pairs('token access_token', encode(token), '&')}`),
        ...[token, `Basic ${base64(`${username}:${password}`)}`].map(value =>
          get(path, { headers: { Authorization: value } })
        )
      ]
    }),
    'protected-spellings': spelling(noSuccess, ({ path }) =>
      ['/', '.json', '%20', ';x', '%00', '.css', '?x=/auth/login'].map(end => get(path + end))
    )
  }),
  'protected-with-forged-token': {
    needs: ['jwt', 'protected'],
    ...expecting(unauthorized, ({ path, random }) => [
      get(path, { bearer: { jwt: { signature: 'kept', claims: { sub: random } } } }),
      get(path, { bearer: { jwt: { signature: 'other key', header: { alg: 'HS256' } } } }),
      get(path, { bearer: { jwt: { signature: 'empty', header: { alg: 'none' } } } })
    ])
  },
  'protected-with-expired-jwt': {
    needs: ['jwt', 'key', 'protected'],
    ...expiry(unauthorized, ({ path }) => [
      get(path, { bearer: { jwt: { signature: 'right key', claims: { iat: 1, exp: 7200 } } } })
    ])
  },
  'protected-with-expired-token': {
    needs: ['expired token', 'protected'],
    ...expiry(unauthorized, ({ path, expiredToken }) => [get(path, { bearer: expiredToken })])
  }
})
