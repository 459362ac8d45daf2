// Requests without a token: routes, methods, bodies and headers that must not bypass the guard.
import {
  all,
  card,
  challenge,
  either,
  html,
  noJsonObject,
  noMenuScreen,
  noScreen,
  noSuccess,
  status,
  that,
  unauthorized,
  unauthorizedOr,
  unauthorizedOrCors
} from '../expectations.ts'
import type { CaseRequest } from '../server-case.ts'
import type { Values } from '../values.ts'
import { encode, get, hardened, JSON_TYPE, menu, must, observed, send, should, upgrade, words } from './define.ts'

const OTHER_ROUTES = '4 all other routes'
const TABLE = '5 table all other routes'
const REDIRECTS = [301, 302, 303, 307, 308]
const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE']

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

const override = (method: string) => ({
  'X-HTTP-Method-Override': method,
  'X-Method-Override': method,
  'X-HTTP-Method': method
})

export const menuWithoutToken = must(
  'menu-without-token',
  ['4 rule 1', '4 GET /menu/main', '7 missing token', '1'],
  'GET /menu/main without a token gets a 401',
  { requests: 'menu without token', expect: unauthorized }
)

export const guardCases = [
  should('challenge', '7 missing token', 'A 401 names the scheme in WWW-Authenticate (RFC 9110 11.6.1)', {
    requests: 'menu without token',
    given: unauthorized,
    expect: challenge
  }),
  must('browser-without-token', '7 missing token', 'A request without a token gets a 401, whatever its Accept header', {
    requests: withHeaders({ Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }, { Accept: 'text/html' }),
    expect: unauthorized
  }),
  must(
    'unknown-without-token',
    [OTHER_ROUTES, TABLE, '7 missing token'],
    'An unknown route without a token gets a 401',
    {
      requests: gets(`
        /* /menu /menu/* /screen/* /auth /auth/* /index.html /static/* /static/app.js /*.js /*.css /*.png
      `),
      expect: unauthorized
    }
  ),
  must(
    'common-routes',
    OTHER_ROUTES,
    'Without a token, common routes (administration, documentation, metrics, debugging) return a 401 or a redirect',
    {
      requests: gets(`
        /admin /admin/ /admin/users /internal /debug /test /dev /setup /backup /export /upload /api /api/status
        /api/users /users /user /me /profile /settings /config /.env /.git/config /auth/logout /logout /auth/register
        /register /signup /auth/refresh /auth/token /auth/status /login /menu/list /menu/admin /screen/main /screens
        /files/1 /download /assets/* /public/* /graphql /console /metrics /docs /openapi.json /swagger /swagger.json
        /swagger-ui/ /server-status /phpinfo.php /info.php /actuator /actuator/env /h2-console /error /debug/pprof/
      `),
      expect: unauthorizedOr(...REDIRECTS)
    }
  ),
  hardened('framework-routes', OTHER_ROUTES, 'Without a token, routes that frameworks add return a 401 or a redirect', {
    requests: gets(`
      /actuator/health /debug/vars /redoc /swagger-ui/index.html /swagger-ui.html /v3/api-docs /api-docs
      /documentation/json /q/health /auth/forgot-password /openapi.yaml /docs/* /uploads/* /files/* /images/* /media/*
      /locales/*.json /administrator /manage /management /dashboard /private /secret /old /beta /v1 /v2 /server-info
      /trace /env /dump /logs /log /db /sql /data /dump.json /config.json /package.json /assets/*.png /*.svg /*.ico
      /*.jpg /*.woff2 /*.map /*.txt /*.xml /*.html /*.pdf
    `),
    expect: unauthorizedOr(...REDIRECTS)
  }),
  // The contract lists the public routes, but the host may add a public health route, so this case never fails.
  observed(
    'health-routes',
    OTHER_ROUTES,
    'The status of health routes such as /health without a token (a public one is the host’s own decision)',
    {
      requests: gets(`
      /health /healthz /health/live /livez /readyz /ready /ping /status /version /info
    `),
      observe: ({ status }) => status
    }
  ),
  must('favicon', OTHER_ROUTES, '/favicon.ico without a token returns a 401, or no JSON object', {
    requests: get('/favicon.ico'),
    expect: either(unauthorized, noJsonObject)
  }),
  must(
    'root-without-token',
    [OTHER_ROUTES, TABLE],
    'The root without a token returns a 401, or the HTML page of a client',
    {
      requests: get('/'),
      expect: either(unauthorized, all(status(200), html))
    }
  ),
  must('below-login', ['5.2', OTHER_ROUTES], 'A route below /auth/login, or with a similar path, is not public', {
    requests: ({ random }) => [
      ...gets(`/auth/login/* /auth/login* /auth/login.json /*/login /*/auth/login`)({ random } as Values),
      send('POST', `/auth/login/${random}`)
    ],
    expect: unauthorized
  }),
  must(
    'login-with-slash',
    '5.2',
    'GET /auth/login/, with a trailing slash, returns the login form or does not succeed',
    {
      requests: get('/auth/login/'),
      expect: either(noSuccess, card)
    }
  ),
  must('menu-spellings', '5.2', 'Another spelling of /menu/main does not bypass the guard', {
    requests: words(`
      /menu/main/ /MENU/MAIN /%6Denu/main //menu/main /./menu/main /auth/login/../../menu/main
      /auth/login/..%2f..%2fmenu/main /menu/main;/auth/login /menu/main.json /menu/main.css /menu/main?x=/auth/login
      /menu/main?/auth/login /menu/main%20 /menu//main
    `).map(path => get(path)),
    expect: noSuccess
  }),
  hardened('menu-odd-spellings', '5.2', 'Further spellings of /menu/main do not bypass the guard', {
    requests: [
      ...words(`
        /menu/%6Dain /menu/./main /auth/login/%2e%2e/%2e%2e/menu/main /menu/main%00 /menu/main%2f /menu%2fmain
        /menu/main;.css /menu/main#/auth/login /auth/login/..;/..;/menu/main /auth/../menu/main /menu/main%0a
        /menu/main%0d%0a /menu/main%09 /menu/main. /menu/main/. /menu\\main /%256Denu/main
        /auth/login/%252e%252e/%252e%252e/menu/main /auth/login\\..\\..\\menu\\main /auth/login/..%5c..%5cmenu/main
        /index.php/menu/main /api/menu/main /v1/menu/main /menu/main?_method=OPTIONS
      `).map(path => get(path)),
      menu({ absolute: true })
    ],
    expect: noSuccess
  }),
  must('menu-methods', [OTHER_ROUTES, TABLE], 'Every method on /menu/main needs a token', {
    requests: [...METHODS, 'HEAD'].map(method => send(method, '/menu/main')),
    expect: unauthorizedOr(501)
  }),
  must('unknown-methods', OTHER_ROUTES, 'Every method on an unknown route needs a token', {
    requests: ({ random }) => [...METHODS, 'HEAD'].map(method => send(method, `/${random}`)),
    expect: unauthorizedOr(501)
  }),
  must(
    'login-methods',
    ['5.2', OTHER_ROUTES],
    'Every method on /auth/login other than GET, POST and HEAD needs a token',
    {
      requests: ['PUT', 'PATCH', 'DELETE'].map(method => send(method, '/auth/login')),
      expect: unauthorizedOr(501)
    }
  ),
  must('options', [OTHER_ROUTES, '5.2'], 'OPTIONS needs a token, unless the server responds with CORS headers', {
    requests: ({ random }) => ['/menu/main', `/${random}`, '/auth/login'].map(path => send('OPTIONS', path)),
    expect: unauthorizedOrCors
  }),
  hardened('other-methods', OTHER_ROUTES, 'PROPFIND and TRACE without a token do not succeed', {
    requests: ['PROPFIND', 'TRACE'].map(method => send(method, '/menu/main')),
    expect: noSuccess
  }),
  must('upgrade', OTHER_ROUTES, 'A WebSocket request without a token gets a 401, or the server closes the connection', {
    requests: ({ random }) =>
      [
        '/menu/main',
        `/${random}`,
        '/ws',
        '/live',
        '/socket',
        '/socket.io/?EIO=4&transport=websocket',
        '/events',
        '/cable'
      ].map(path => upgrade(path)),
    expect: unauthorizedOr(501)
  }),
  hardened(
    'upgrade-with-token-elsewhere',
    ['5.1', '5.3.1', '7 missing token'],
    'A WebSocket request with a token in its query or protocol gets a 401',
    {
      requests: ({ token }) =>
        ['/ws', '/menu/main'].flatMap(path => [
          upgrade(path, token),
          upgrade(path, `bearer, ${token}`),
          upgrade(`${path}?token=${encode(token)}&access_token=${encode(token)}`)
        ]),
      expect: unauthorizedOr(400, 413, 414, 431, 501)
    }
  ),
  must(
    'broken-body',
    ['7 missing token', '5.3.3', OTHER_ROUTES],
    'A request without a token gets a 401 even if its body is invalid',
    {
      requests: ({ random }) => [
        ...invalidBodies('/menu/main', random),
        ...invalidBodies(`/${random}`, random),
        send('POST', '/menu/main', { headers: { ...JSON_TYPE, Expect: '100-continue' }, body: '{}' })
      ],
      expect: unauthorizedOr(501)
    }
  ),
  must('forwarding-headers', ['5.2', OTHER_ROUTES], 'Headers that a proxy adds do not replace a token', {
    requests: values => {
      // Percent-encoded, because a header cannot carry every character.
      const username = encode(values.username)
      return withHeaders(
        {
          'X-Forwarded-For': '127.0.0.1',
          'X-Real-IP': '127.0.0.1',
          'X-Client-IP': '127.0.0.1',
          Forwarded: 'for=127.0.0.1;host=localhost;proto=https'
        },
        { 'X-Forwarded-Host': 'localhost', 'X-Forwarded-Proto': 'https', 'X-Forwarded-Port': '443' },
        {
          'X-Forwarded-User': username,
          'X-Auth-Request-User': username,
          'Remote-User': username,
          'X-Remote-User': username,
          'X-User': username
        }
      )
    },
    expect: unauthorized
  }),
  hardened(
    'misleading-headers',
    '5.2',
    'A header that names a public route, a monitor or a test does not replace a token',
    {
      requests: ({ origin, base, username }) =>
        withHeaders(
          { Referer: `${origin}${base}/auth/login`, Origin: origin },
          { 'X-Original-URL': `${base}/auth/login` },
          { 'X-Rewrite-URL': `${base}/auth/login` },
          { 'X-Forwarded-Uri': `${base}/auth/login`, 'X-Forwarded-Path': `${base}/auth/login` },
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
          { 'X-Forwarded-For': '127.0.0.1', 'True-Client-IP': '127.0.0.1', 'CF-Connecting-IP': '127.0.0.1' },
          {
            'X-Forwarded-Preferred-Username': username,
            'X-Authenticated-User': username,
            'X-User-Id': username,
            'X-WEBAUTH-USER': username
          },
          {
            'X-Forwarded-Client-Cert': `By=spiffe://x;Subject="CN=${username}"`,
            'X-SSL-Client-Verify': 'SUCCESS',
            'X-Internal': 'true'
          }
        ),
      expect: unauthorized
    }
  ),
  hardened(
    'method-override',
    [OTHER_ROUTES, '7 missing token'],
    'A header or query that overrides the method does not replace a token',
    {
      requests: [
        send('POST', '/menu/main', { headers: override('GET') }),
        send('OPTIONS', '/menu/main', { headers: override('GET') }),
        send('POST', '/menu/main?_method=GET'),
        get('/menu/main?_method=OPTIONS')
      ],
      expect: unauthorizedOrCors
    }
  ),
  hardened('other-host', [OTHER_ROUTES, '7 missing token'], 'Another Host header does not replace a token', {
    requests: ({ random }) => ['localhost', '127.0.0.1', `${random}.internal`].map(Host => menu({ headers: { Host } })),
    expect: either(unauthorized, noMenuScreen)
  }),
  hardened(
    'forwarded-path',
    ['5.2', OTHER_ROUTES],
    'A header that names the menu does not make GET /auth/login return it',
    {
      requests: ({ base }) =>
        ['X-Original-URL', 'X-Rewrite-URL', 'X-Forwarded-Uri'].map(name =>
          get('/auth/login', { headers: { [name]: `${base}/menu/main` } })
        ),
      expect: that('no menu', ({ body }) => Object(body).layout !== 'Menu')
    }
  ),
  observed('cors-preflight', OTHER_ROUTES, 'The status of a CORS preflight', {
    requests: preflight('/menu/main'),
    observe: ({ status }) => status
  }),
  must('cors-preflight-brings-no-screen', OTHER_ROUTES, 'A CORS preflight returns no screen', {
    requests: ({ random }) => [preflight('/menu/main'), preflight(`/${random}`)],
    expect: either(unauthorized, noScreen)
  }),
  hardened('known-etag', ['7 missing token', '4 rule 1'], 'The ETag of the menu does not replace a token', {
    requests: values => {
      const { etag } = values.responseTo('menu')?.headers ?? {}
      return etag === undefined ? [] : withHeaders({ 'If-None-Match': etag })
    },
    expect: unauthorized
  })
]
