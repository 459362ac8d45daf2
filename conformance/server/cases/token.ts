// Requests with a token. The server must always accept a valid token, and never accept an invalid token.
import { all, ifPlain } from '../checks.ts'
import type { Bearer, JwtChange } from '../jwt.ts'
import { jsonObject, namedScreen, nameOfLogin, noLoginForm, screen } from '../screens.ts'
import type { CaseRequest, ServerCase } from '../server-case.ts'
import { challenge, no401, noServerError, noSuccess, success, unauthorized, unauthorizedOr } from '../statuses.ts'
import type { TokenChange } from '../tokens.ts'
import type { Values } from '../values.ts'
import { cases, elsewhere, expecting, expiry, needs } from './define.ts'
import { authorized, get, JSON_TYPE, menu, menuWith, rightLogin, send } from './requests.ts'
import { base64, encode, pairs, withNames, words } from './texts.ts'

const TOKEN = `
  token-admits MUST 5.3.4, 4 GET /menu/main, 5.1: GET /menu/main accepts a valid token
  token-admits-again MUST 5.4, 5.3.4: The token stays valid for many requests
  token-admits-whatever-else MUST 5.3.4, 5.1: The menu accepts a valid token with any query and any other headers
  every-login-admits MUST 5.3.4, 2.2 token: The server accepts the token of a second login
  menu-is-json MUST 1: The main menu is a JSON object
  menu-is-no-login MUST 5.3.4: The main menu is not a login form
  menu-is-screen SHOULD 4 GET /menu/main: The main menu is a screen, as in the response to the login
  menu-display-name MUST 5.6, 2.3 user_display_name: The main menu has the display name of the user
  unknown-with-token MUST 5.3.4: Every route and method accepts a valid token
  header-name-case MUST 5.1: The name of the Authorization header may be in any case (RFC 9110 5.1)
  scheme-case SHOULD 5.1: The scheme of the Authorization header may be in any case (RFC 9110 11.1)
  token-elsewhere MUST 5.1, 5.3.1, 7 missing token: A token in a query, a cookie, another header or a body is not valid
  cookie-of-login MUST 5.1, 5.3.1, 7 missing token: A cookie that the login sets does not replace the token
  token-with-other-scheme MUST 5.1, 5.3.1, 7 missing token: A token with another scheme, or with none, is not valid
  token-as-last-word MUST 5.1, 5.3.1, 7 missing token: A token that does not directly follow Bearer is not accepted
  empty-token MUST 5.3.3, 7 missing token, 5.3: A header without a token gets a 401
  words-around-token SHOULD 5.1: A token among other words, or in quotes, is not accepted (RFC 6750 2.1)
  invalid-token MUST 7 invalid token, 5.3.2, 5.3.3, 4 GET /menu/main, 5.4: An invalid token gets a 401
  invalid-odd-token HARDENING 7 invalid token, 5.3.2, 5.3.3: Further invalid tokens get a 401
  long-token MUST 7 invalid token, 5.3.2: A request with a very long token does not succeed
  non-ascii-token MUST 7 invalid token: A request with a token that is not ASCII does not succeed
  odd-token-no-server-error SHOULD 7 invalid token: A token that is very long or not ASCII causes no server error
  invalid-token-on-unknown MUST 5 table all other routes, 4 all other routes:
    No route or method accepts an invalid or changed token
  invalid-token-challenge SHOULD 7 invalid token: The 401 for an invalid token names the scheme (RFC 9110 11.6.1)
  changed-token MUST 5.3.2, 7 invalid token: A token with a changed or added character is not valid
  shortened-token MUST 5.3.2, 7 invalid token: A part of a token is not valid
  lengthened-token SHOULD 5.3.2: A token with a part appended is not valid
  token-in-other-case MUST 5.3.2, 7 invalid token: A token with the case of its letters changed is not valid
  token-with-symbol SHOULD 5.3.2: A token with a symbol inserted is not valid
`

const NAMES = 'auth_token auth authorization bearer jwt id_token session api_key key t sid'
const ALL_NAMES = `token access_token ${NAMES}`
const SCHEMES = [
  ...words('Basic Token JWT Digest Bear XBearer BearerToken').map(scheme => `${scheme} `),
  ...words('Bearer Bearer: Bearer= Bearer,')
]

const changedTokens = (...changes: TokenChange[]) => changes.map(token => menuWith({ token }))

export const tokenCases = cases('token', TOKEN, {
  'token-admits': expecting(success, 'menu'),
  'token-admits-again': expecting(success, ({ token }) => Array.from({ length: 40 }, () => menuWith(token))),
  'token-admits-whatever-else': expecting(success, ({ token, random, origin }) => [
    ...['?query=a', `?${random}=1&b=%20`, '?', '?token=x'].map(query => get(`/menu/main${query}`, { bearer: token })),
    ...[
      { Origin: 'http://client.example' },
      { Origin: origin, Referer: `${origin}/`, 'Sec-Fetch-Mode': 'cors', 'Sec-Fetch-Site': 'cross-site' },
      { 'Accept-Language': 'de-DE,de;q=0.9' },
      { 'Accept-Language': 'ja' },
      { Accept: '*/*' },
      { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' },
      { 'Accept-Encoding': 'gzip' },
      { 'X-Requested-With': 'XMLHttpRequest' },
      { Cookie: `theme=dark; ${random}=1` },
      { 'Cache-Control': 'no-cache', Pragma: 'no-cache' }
    ].map(headers => menu({ bearer: token, headers }))
  ]),
  'every-login-admits': expecting(success, values => [menuWith(values.tokenOf('login again'))]),
  'menu-is-json': expecting(jsonObject, 'menu'),
  'menu-is-no-login': expecting(noLoginForm, 'menu'),
  'menu-is-screen': expecting(screen, 'menu'),
  'menu-display-name': expecting(all(namedScreen, nameOfLogin), 'menu'),
  'unknown-with-token': expecting(no401, ({ token, random }) => [
    get(`/${random}`, { bearer: token }),
    ...['POST', 'PUT', 'PATCH'].map(method => send(method, `/${random}`, { bearer: token, json: {} })),
    send('DELETE', `/${random}/1`, { bearer: token }),
    get(`/screen/${random}?page=2`, { bearer: token }),
    ...words('HEAD POST PUT PATCH DELETE OPTIONS').map(method => send(method, '/menu/main', { bearer: token }))
  ]),
  'header-name-case': expecting(success, ({ token }) =>
    ['authorization', 'AUTHORIZATION'].map(name => menu({ headers: { [name]: `Bearer ${token}` }, token: 'valid' }))
  ),
  'scheme-case': expecting(success, ({ token }) =>
    ['bearer', 'BEARER'].map(scheme => authorized(`${scheme} ${token}`, 'valid'))
  ),
  'token-elsewhere': elsewhere(unauthorizedOr(400, 413, 414, 431, 501), ({ token }) => {
    const inUrl = encode(token)
    return [
      ...['token access_token', NAMES].flatMap(names => [
        get(`/menu/main?${pairs(names, inUrl, '&')}`),
        menu({ headers: { Cookie: pairs(names, token, '; ') } })
      ]),
      get(`/menu/main?authorization=Bearer%20${inUrl}`),
      menu({ headers: { Cookie: `authorization=Bearer%20${token}` } }),
      ...[token, `Bearer ${token}`].flatMap(value => [
        menu({ headers: withNames('X-Auth-Token X-Access-Token', value) }),
        menu({ headers: withNames('X-Token Token X-Api-Key X-Authorization Proxy-Authorization Auth', value) })
      ]),
      send('POST', '/menu/main', { json: withNames(ALL_NAMES, token) }),
      send('POST', '/menu/main', {
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: pairs(ALL_NAMES, inUrl, '&')
      })
    ]
  }),
  'cookie-of-login': elsewhere(unauthorized, ({ cookies }) => [menu({ headers: { Cookie: cookies } })]),
  'token-with-other-scheme': elsewhere(unauthorized, ({ token, username, password }) => [
    ...['', ...SCHEMES].map(scheme => authorized(scheme + token)),
    ...[password, token].map(secret => authorized(`Basic ${base64(`${username}:${secret}`)}`))
  ]),
  'token-as-last-word': elsewhere(unauthorized, ({ token, random }) =>
    [`Bearer ${random} `, `Basic ${random} Bearer `, `Basic ${random}, Bearer `, `Bearer ${random}, Bearer `].map(
      before => authorized(before + token)
    )
  ),
  'empty-token': expecting(
    unauthorized,
    ['', 'Bearer', 'Bearer ', 'Bearer    '].map(value => authorized(value, 'none'))
  ),
  'words-around-token': expecting(unauthorized, ({ token, random }) => [
    authorized(`Bearer ${token} ${random}`),
    authorized(`Bearer "${token}"`)
  ]),
  'invalid-token': expecting(unauthorized, ({ random, username, password }) =>
    [
      ...words('x null undefined true 0 - .. a.b.c constructor __proto__ * %00 ../../etc/passwd e30.e30.e30'),
      ...words('eyJhbGciOiJIUzI1NiJ9.e30. eyJhbGciOiJIUzI1NiJ9.bnVsbA.AAAA'),
      ...['[object Object]', "' OR '1'='1", random, `${random}.${random}.${random}`],
      ...[username, password].filter(text => /^[!-~]+$/.test(text)),
      ...[username, `${username}:${password}`].map(base64)
    ].map(menuWith)
  ),
  'invalid-odd-token': expecting(
    unauthorized,
    words(`
      a.b.c.d .... bnVsbA.bnVsbA.bnVsbA eyJhbGciOiJIUzI1NiJ9.W10.AAAA eyJhbGciOiJIUzI1NiJ9.eyJzdWIi.AAAA % admin test
      demo eyJhbGciOm51bGx9.e30.AAAA ~!*()'@:,;="{} secret token Bearer dev 1 false {} debug
    `).map(menuWith)
  ),
  'long-token': expecting(noSuccess, ({ long }) => [
    ...[100, 300, 1000, 2000, 4000].map(length => menuWith(long.slice(0, length))),
    menu({ bearer: long, mayClose: true }),
    menu({ bearer: `${long}.${long.slice(0, 400)}.x`, mayClose: true })
  ]),
  'non-ascii-token': expecting(noSuccess, authorized('Bearer tökéÿn')),
  'odd-token-no-server-error': expecting(noServerError, ({ long }) => [menuWith(long), authorized('Bearer tökéÿn')]),
  'invalid-token-on-unknown': expecting(unauthorizedOr(501), ({ random }) => [
    get(`/${random}`, { bearer: random }),
    send('POST', `/${random}`, { bearer: random }),
    send('HEAD', '/menu/main', { bearer: random }),
    send('DELETE', '/auth/login', { bearer: random }),
    ...['GET', 'POST'].map(method => send(method, `/${random}`, { bearer: { token: 'end changed' } })),
    get(`/${random}`, { bearer: jwt('kept', { claims: { sub: random } }) })
  ]),
  'invalid-token-challenge': { given: unauthorized, ...expecting(challenge, ({ random }) => [menuWith(random)]) },
  'changed-token': expecting(
    unauthorized,
    changedTokens(
      'first changed',
      'middle changed',
      'end changed',
      'last changed',
      'two swapped',
      'content changed',
      'number changed',
      'appended',
      'prepended'
    )
  ),
  'shortened-token': expecting(unauthorized, changedTokens('first half', 'second half', 'first character', 'end cut')),
  'lengthened-token': expecting(unauthorized, changedTokens('part appended')),
  'token-in-other-case': expecting(unauthorized, changedTokens('other case')),
  'token-with-symbol': expecting(unauthorized, changedTokens('symbol inserted'))
})

// Several requests on one connection: the token of one request must not authenticate the next.
const CONNECTION = `
  connection-keeps-token MUST 5.3.4, 5.1: The server accepts a valid token on every request of a connection
  connection-after-token MUST 5.3.1, 7 missing token, 4 all other routes:
    A request without a token gets a 401 even after a request with a token on its connection
  connection-after-token-invalid MUST 5.3.2, 7 invalid token:
    An invalid token gets a 401 even after a valid token on its connection
  connection-after-login MUST 5.3.1, 7 missing token, 4 all other routes:
    A request without a token gets a 401 even after a login on its connection
  pipelined-after-token HARDENING 5.3.1, 7 missing token, 4 all other routes:
    A request without a token gets a 401 even if it is pipelined after a request with a token
  connection-after-broken-login HARDENING 5.3.3, 7 missing token, 4 all other routes:
    A request without a token gets a 401 even after a malformed login on its connection
  connection-after-refused-body HARDENING 5.3.3, 7 missing token, 4 all other routes:
    The server does not read the body of a refused request as the next request
  form-after-refused-body HARDENING 5.2, 4 GET /auth/login:
    The login form stays public after the server rejects a large request on the connection
`

const brokenLogin = () => send('POST', '/auth/login', { headers: JSON_TYPE, body: '{"fields":{"username":"' })
const rejectedBody = ({ random, base }: Values) =>
  send('POST', `/${random}`, {
    headers: { 'Content-Type': 'text/plain' },
    body: `GET ${base}/auth/login HTTP/1.1\r\nHost: localhost\r\n\r\n`
  })
const largeBody = ({ long }: Values) => send('POST', '/menu/main', { json: { changes: { text: long.repeat(5) } } })
const menuWithToken = ({ token }: Values) => menuWith(token)

const after = (
  first: (values: Values) => CaseRequest,
  { second = () => menu(), ...more }: Partial<ServerCase> & { second?: typeof first } = {}
) => ({
  connection: 'kept alive' as const,
  judged: 'last' as const,
  expect: unauthorized,
  requests: (values: Values) => [first(values), second(values)],
  ...more
})

export const connectionCases = cases('connection', CONNECTION, {
  'connection-keeps-token': {
    connection: 'kept alive',
    ...expecting(success, ({ token }) => [menuWith(token), menuWith(token), menuWith(token)])
  },
  'connection-after-token': after(menuWithToken),
  'connection-after-token-invalid': after(menuWithToken, { second: ({ random }) => menuWith(random) }),
  'connection-after-login': after(rightLogin),
  'pipelined-after-token': after(menuWithToken, { connection: 'pipelined' }),
  'connection-after-broken-login': after(brokenLogin),
  'connection-after-refused-body': after(rejectedBody),
  'form-after-refused-body': after(largeBody, { second: () => get('/auth/login'), expect: success })
})

const JWT = `
  login-with-expired-token MUST 5.2, 5.8: The login routes stay public with an expired token
  jwt-other-claims MUST 5.3.2, 7 invalid token: A JWT with changed claims or a changed header is not valid
  jwt-alg-none MUST 5.3.2, 7 invalid token: A JWT with the alg none is not valid (RFC 8725 3.1)
  jwt-unsigned MUST 5.3.2, 7 invalid token: A JWT without a signature is not valid
  jwt-other-key MUST 5.3.2, 7 invalid token: A JWT signed with another key is not valid
  jwt-weak-key HARDENING 5.3.2, 7 invalid token: A JWT signed with an easily guessed secret is not valid
  jwt-own-key MUST 5.3.2, 7 invalid token: A JWT signed with a key in its own header is not valid (RFC 8725 3.5)
  jwt-key-confusion MUST 5.3.2, 7 invalid token: A JWT with the public key as HMAC secret is not valid (RFC 8725 2.1)
  jwt-changed-signature MUST 5.3.2, 7 invalid token: A JWT with a changed signature is not valid
  jwt-expired MUST 5.3.2, 7 invalid token, 5.8, SVC_AUTH_SECRET: An expired JWT is not valid
  jwt-expired-on-unknown MUST 5.3.2, 7 invalid token, 5 table all other routes:
    An expired JWT is not valid for any route or method
  expired-token MUST 7 invalid token, 5.3.2: The expired token is not valid for any route or method
  lifetime-is-over MUST 7 invalid token, 5.3.2:
    The server rejects a token at most a minute after its lifetime is over (RFC 7519 4.1.4 allows for clock skew)
  jwt-without-expiry SHOULD 5.3.2: A JWT without an expiry, or with an expiry that is not a number, is not valid
  jwt-not-yet-valid SHOULD 5.3.2: A JWT before its nbf is not valid (RFC 7519 4.1.5)
  jwt-other-algorithm SHOULD 5.3.2: A JWT signed with the right key but another algorithm is not valid (RFC 8725 3.1)
  jwt-critical-header SHOULD 5.3.2: A JWT with an unknown critical header is not valid (RFC 7515 4.1.11)
`

const jwt = (signature: JwtChange['signature'], change: Omit<JwtChange, 'signature'> = {}) => ({
  jwt: { signature, ...change }
})
const alg = (signature: JwtChange['signature'], name: string | null, more: object = {}) =>
  jwt(signature, { header: { alg: name, ...more } })
const PUBLIC_KEYS = ['public key', 'public key without its last line break', 'public key, DER'] as const
const now = () => Math.floor(Date.now() / 1000)
const expired = (secondsAgo: number) =>
  jwt('right key', { claims: { iat: now() - secondsAgo - 7200, exp: now() - secondsAgo } })
const toUnknownRoute = (bearer: Bearer, { random }: Values) =>
  ['GET', 'POST'].map(method => send(method, `/${random}`, { bearer }))

export const jwtCases = cases('token', JWT, {
  ...needs(['jwt'], {
    'jwt-other-claims': expecting(unauthorized, ({ random }) =>
      [
        ...[{ sub: random }, { exp: now() + 999_999 }, { admin: true }].map(claims => jwt('kept', { claims })),
        jwt('kept', { header: { kid: random } })
      ].map(menuWith)
    ),
    'jwt-alg-none': expecting(
      unauthorized,
      [
        ...['none', 'None', 'NONE', 'nOnE'].flatMap(name => [alg('empty', name), alg('kept', name)]),
        alg('missing', 'none')
      ].map(menuWith)
    ),
    'jwt-unsigned': expecting(unauthorized, [jwt('empty'), jwt('missing'), alg('empty', null)].map(menuWith)),
    'jwt-other-key': expecting(
      unauthorized,
      [
        alg('other key', 'HS256'),
        alg('empty key', 'HS256'),
        alg('other key', 'HS512'),
        jwt('other key'),
        alg('empty key', 'HS256', { kid: '/dev/null' }),
        alg('empty key', 'HS256', { kid: '../../../../../../dev/null' })
      ].map(menuWith)
    ),
    'jwt-weak-key': expecting(unauthorized, ({ username, appName, random }) =>
      [...words('secret your-256-bit-secret changeme password jwt test'), username, appName].map(secret =>
        menuWith(jwt('guessed secret', { header: { alg: 'HS256' }, claims: { jti: random }, secret }))
      )
    ),
    'jwt-own-key': expecting(unauthorized, menuWith(jwt('own key'))),
    'jwt-changed-signature': expecting(unauthorized, ({ random }) =>
      [
        ...(['other case', 'start changed', 'zeros'] as const).map(signature => jwt(signature)),
        ...[random, 'hs256', 'HS256 ', 'EdDSA', 'RS256', ''].map(name => alg('zeros', name))
      ].map(menuWith)
    )
  }),
  ...needs(['jwt', 'key'], {
    'login-with-expired-token': expecting(success, values => [
      get('/auth/login', { bearer: expired(1200) }),
      rightLogin(values, { bearer: expired(1200) })
    ]),
    'jwt-expired': expiry(unauthorized, () =>
      [expired(1200), expired(86_400), jwt('right key', { claims: { exp: 0 } })].map(menuWith)
    ),
    'jwt-expired-on-unknown': expiry(unauthorized, values => [
      ...toUnknownRoute(expired(3600), values),
      send('POST', '/menu/main', { bearer: expired(3600) })
    ]),
    'jwt-without-expiry': expecting(
      unauthorized,
      [null, 'tomorrow'].map(exp => menuWith(jwt('right key', { claims: { exp } })))
    ),
    'jwt-not-yet-valid': expecting(unauthorized, () => [menuWith(jwt('right key', { claims: { nbf: now() + 3600 } }))]),
    'jwt-other-algorithm': expecting(unauthorized, menuWith(jwt('right key, other algorithm'))),
    'jwt-critical-header': expecting(unauthorized, ({ random }) => [
      menuWith(jwt('right key', { header: { crit: [random], [random]: true } }))
    ])
  }),
  'jwt-key-confusion': {
    needs: ['jwt', 'asymmetric', 'public key'],
    ...expecting(
      unauthorized,
      ['HS256', 'HS512'].flatMap(name => PUBLIC_KEYS.map(key => menuWith(alg(key, name))))
    )
  },
  'expired-token': {
    needs: ['expired token'],
    ...expiry(unauthorizedOr(501), values => [
      menuWith(values.expiredToken),
      ...toUnknownRoute(values.expiredToken, values),
      ...['POST', 'HEAD'].map(method => send(method, '/menu/main', { bearer: values.expiredToken }))
    ])
  },
  'lifetime-is-over': {
    needs: ['lifetime'],
    judged: 'until met',
    given: ifPlain('menu of the session that ends', success),
    ...expiry(unauthorized, values => {
      const request = menuWith(values.tokenOf('session that ends'))
      const later = [values.lifetime + 2, 63].map(pause => ({ ...request, pause }))
      return ['menu of the session that ends', ...later]
    })
  }
})

export const tokenExchanges = {
  menu: ({ token }: Values) => menuWith(token),
  'session that ends': (values: Values) => rightLogin(values),
  'menu of the session that ends': (values: Values) => menuWith(values.tokenOf('session that ends'))
}
