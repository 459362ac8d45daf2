// Requests with a token. The server must always accept a valid token, and never accept an invalid token.
import { isDeepStrictEqual } from 'node:util'
import {
  all,
  at,
  challenge,
  jsonObject,
  namedScreen,
  no401,
  noLoginForm,
  noServerError,
  noSuccess,
  screen,
  success,
  unauthorized,
  unauthorizedOr
} from '../expectations.ts'
import type { Check } from '../server-case.ts'
import type { TokenChange } from '../tokens.ts'
import {
  authorized,
  base64,
  encode,
  FORM_TYPE,
  get,
  hardened,
  menu,
  menuWith,
  must,
  observed,
  send,
  should,
  words
} from './define.ts'

const INVALID = '7 invalid token'
const TABLE = '5 table all other routes'
const TOKEN_ELSEWHERE = ['5.1', '5.3.1', '7 missing token']
const NAMES = words('auth_token auth authorization bearer jwt id_token session api_key key t sid')

const changedTokens = (...changes: TokenChange[]) => changes.map(token => menuWith({ token }))

/** Expects the display name from the screen of the named login. */
export const nameOfLogin =
  (name: string): Check =>
  (response, values) => {
    const own = at(values.responseTo(name), 'screen.user_display_name')
    const isScreen = screen(response, values) === undefined
    return !isScreen || at(response, 'user_display_name') === own ? undefined : 'the user_display_name of the login'
  }

const sameAsLogin: Check = (response, values) =>
  isDeepStrictEqual(response.body, at(values.responseTo('login'), 'screen')) ? undefined : 'the screen of the login'

export const tokenCases = [
  must('token-admits', ['5.3.4', '4 GET /menu/main', '5.1'], 'GET /menu/main accepts a valid token', {
    requests: 'menu',
    expect: success
  }),
  must('token-admits-again', ['5.4', '5.3.4'], 'The token stays valid for many requests', {
    requests: ({ token }) => Array.from({ length: 40 }, () => menuWith(token)),
    expect: success
  }),
  must(
    'token-admits-whatever-else',
    ['5.3.4', '5.1'],
    'GET /menu/main accepts a valid token, whatever the query and the other headers are',
    {
      requests: ({ token, random, origin }) => [
        ...['?query=a', `?${random}=1&b=%20`, '?', '?token=x'].map(query =>
          get(`/menu/main${query}`, { bearer: token })
        ),
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
      ],
      expect: success
    }
  ),
  must('every-login-admits', ['5.3.4', '2.2 token'], 'The server accepts the token of a second login', {
    requests: values => [menuWith(values.tokenOf('login again'))],
    expect: success
  }),
  must('menu-is-json', '1', 'The main menu is a JSON object', { requests: 'menu', expect: jsonObject }),
  must('menu-is-no-login', '5.3.4', 'The main menu is not a login form', { requests: 'menu', expect: noLoginForm }),
  should('menu-is-screen', '4 GET /menu/main', 'The main menu is a screen, as in the response to the login', {
    requests: 'menu',
    expect: screen
  }),
  must('menu-display-name', ['5.6', '2.3 user_display_name'], 'The main menu has the display name of the user', {
    requests: 'menu',
    expect: all(namedScreen, nameOfLogin('login'))
  }),
  observed('menu-is-login-screen', '4 GET /menu/main', 'The main menu equals the screen in the response to the login', {
    requests: 'menu',
    expect: sameAsLogin
  }),
  must('unknown-with-token', '5.3.4', 'Every route and method accepts a valid token', {
    requests: ({ token, random }) => [
      get(`/${random}`, { bearer: token }),
      ...['POST', 'PUT', 'PATCH'].map(method => send(method, `/${random}`, { bearer: token, json: {} })),
      send('DELETE', `/${random}/1`, { bearer: token }),
      get(`/screen/${random}?page=2`, { bearer: token }),
      ...['HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].map(method =>
        send(method, '/menu/main', { bearer: token })
      )
    ],
    expect: no401
  }),
  should(
    'scheme-case',
    '5.1',
    'The name and the scheme of the Authorization header are case-insensitive (RFC 9110 5.1, 11.1)',
    {
      requests: ({ token }) => [
        authorized(`bearer ${token}`),
        authorized(`BEARER ${token}`),
        ...['authorization', 'AUTHORIZATION'].map(name => menu({ headers: { [name]: `Bearer ${token}` } }))
      ],
      expect: success
    }
  ),
  must(
    'token-elsewhere',
    TOKEN_ELSEWHERE,
    'A token in the query, a cookie, another header or the body is not accepted',
    {
      requests: ({ token }) => {
        const inUrl = encode(token)
        return [
          get(`/menu/main?token=${inUrl}&access_token=${inUrl}`),
          get(`/menu/main?${NAMES.map(name => `${name}=${inUrl}`).join('&')}`),
          get(`/menu/main?authorization=Bearer%20${inUrl}`),
          ...[
            `token=${token}; access_token=${token}`,
            NAMES.map(name => `${name}=${token}`).join('; '),
            `authorization=Bearer%20${token}`
          ].map(Cookie => menu({ headers: { Cookie } })),
          ...['', 'Bearer '].flatMap(scheme => [
            menu({ headers: { 'X-Auth-Token': scheme + token, 'X-Access-Token': scheme + token } }),
            menu({
              headers: Object.fromEntries(
                ['X-Token', 'Token', 'X-Api-Key', 'X-Authorization', 'Proxy-Authorization', 'Auth'].map(name => [
                  name,
                  scheme + token
                ])
              )
            })
          ]),
          send('POST', '/menu/main', {
            json: Object.fromEntries(['token', 'access_token', ...NAMES].map(name => [name, token]))
          }),
          send('POST', '/menu/main', {
            headers: FORM_TYPE,
            body: ['token', 'access_token', ...NAMES].map(name => `${name}=${inUrl}`).join('&')
          })
        ]
      },
      expect: unauthorizedOr(400, 413, 414, 431, 501)
    }
  ),
  must('cookie-of-login', TOKEN_ELSEWHERE, 'A cookie that the login sets does not replace the token', {
    requests: ({ cookies }) => [menu({ headers: { Cookie: cookies } })],
    expect: unauthorized
  }),
  must(
    'token-with-other-scheme',
    TOKEN_ELSEWHERE,
    'A token with a scheme other than Bearer, or without a scheme, is not accepted',
    {
      requests: ({ token, username, password }) => [
        ...[
          '',
          'Basic ',
          'Token ',
          'JWT ',
          'Digest ',
          'Bear ',
          'XBearer ',
          'BearerToken ',
          'Bearer',
          'Bearer:',
          'Bearer=',
          'Bearer,'
        ].map(scheme => authorized(scheme + token)),
        authorized(`Basic ${base64(`${username}:${password}`)}`),
        authorized(`Basic ${base64(`${username}:${token}`)}`)
      ],
      expect: unauthorized
    }
  ),
  must('token-as-last-word', TOKEN_ELSEWHERE, 'A token that does not directly follow Bearer is not accepted', {
    requests: ({ token, random }) =>
      [`Bearer ${random} `, `Basic ${random} Bearer `, `Basic ${random}, Bearer `, `Bearer ${random}, Bearer `].map(
        before => authorized(before + token)
      ),
    expect: unauthorized
  }),
  must('empty-token', ['5.3.3', '7 missing token', '5.3'], 'A header without a token gets a 401', {
    requests: ['', 'Bearer', 'Bearer ', 'Bearer    '].map(authorized),
    expect: unauthorized
  }),
  should('words-around-token', '5.1', 'A token among other words, or in quotes, is not accepted (RFC 6750 2.1)', {
    requests: ({ token, random }) => [authorized(`Bearer ${token} ${random}`), authorized(`Bearer "${token}"`)],
    expect: unauthorized
  }),
  observed(
    'two-headers',
    '5.1',
    'The status of a request with two Authorization headers, of which the first is right',
    {
      requests: ({ token, random }) => [authorized([`Bearer ${token}`, `Bearer ${random}`])],
      observe: ({ status }) => status
    }
  ),
  must('invalid-token', [INVALID, '5.3.2', '5.3.3', '4 GET /menu/main', '5.4'], 'An invalid token gets a 401', {
    requests: ({ random, username, password }) =>
      [
        ...words('x null undefined true 0 - .. a.b.c constructor __proto__ * %00 ../../etc/passwd e30.e30.e30'),
        ...words('eyJhbGciOiJIUzI1NiJ9.e30. eyJhbGciOiJIUzI1NiJ9.bnVsbA.AAAA'),
        ...['[object Object]', "' OR '1'='1", random, `${random}.${random}.${random}`],
        ...[username, password].filter(text => /^[!-~]+$/.test(text)),
        ...[username, `${username}:${password}`].map(base64)
      ].map(menuWith),
    expect: unauthorized
  }),
  hardened('invalid-odd-token', [INVALID, '5.3.2', '5.3.3'], 'Further invalid tokens get a 401', {
    requests: words(`
      a.b.c.d .... bnVsbA.bnVsbA.bnVsbA eyJhbGciOiJIUzI1NiJ9.W10.AAAA eyJhbGciOiJIUzI1NiJ9.eyJzdWIi.AAAA % admin test demo
      eyJhbGciOm51bGx9.e30.AAAA ~!*()'@:,;="{} secret token Bearer dev 1 false {} debug
    `).map(menuWith),
    expect: unauthorized
  }),
  must('long-token', [INVALID, '5.3.2'], 'A request with a very long token does not succeed', {
    requests: ({ long }) => [
      ...[100, 300, 1000, 2000, 4000].map(length => menuWith(long.slice(0, length))),
      menu({ bearer: long, mayClose: true }),
      menu({ bearer: `${long}.${long.slice(0, 400)}.x`, mayClose: true })
    ],
    expect: noSuccess
  }),
  must('non-ascii-token', INVALID, 'A request with a token that is not ASCII does not succeed', {
    requests: authorized('Bearer tökéÿn'),
    expect: noSuccess
  }),
  should(
    'odd-token-no-server-error',
    INVALID,
    'A very long token, or a token that is not ASCII, causes no server error',
    {
      requests: ({ long }) => [menuWith(long), authorized('Bearer tökéÿn')],
      expect: noServerError
    }
  ),
  must(
    'invalid-token-on-unknown',
    [TABLE, '4 all other routes'],
    'No route or method accepts an invalid or changed token',
    {
      requests: ({ random }) => [
        get(`/${random}`, { bearer: random }),
        send('POST', `/${random}`, { bearer: random }),
        send('HEAD', '/menu/main', { bearer: random }),
        send('DELETE', '/auth/login', { bearer: random }),
        ...['GET', 'POST'].map(method => send(method, `/${random}`, { bearer: { token: 'end changed' } })),
        get(`/${random}`, { bearer: { jwt: { signature: 'kept', claims: { sub: random } } } })
      ],
      expect: unauthorizedOr(501)
    }
  ),
  should(
    'invalid-token-challenge',
    INVALID,
    'A 401 for an invalid token names the scheme in WWW-Authenticate (RFC 9110 11.6.1)',
    {
      requests: ({ random }) => [menuWith(random)],
      given: unauthorized,
      expect: challenge
    }
  ),
  must('changed-token', ['5.3.2', INVALID], 'A token with a changed or added character is not valid', {
    requests: changedTokens(
      'first changed',
      'middle changed',
      'end changed',
      'last changed',
      'two swapped',
      'content changed',
      'number changed',
      'appended',
      'prepended'
    ),
    expect: unauthorized
  }),
  must('shortened-token', ['5.3.2', INVALID], 'A part of a token is not valid', {
    requests: changedTokens('first half', 'second half', 'first character', 'end cut'),
    expect: unauthorized
  }),
  should('lengthened-token', '5.3.2', 'A token with a part appended is not valid', {
    requests: changedTokens('part appended'),
    expect: unauthorized
  }),
  must('token-in-other-case', ['5.3.2', INVALID], 'A token with the case of its letters changed is not valid', {
    requests: changedTokens('other case'),
    expect: unauthorized
  }),
  should('token-with-symbol', '5.3.2', 'A token with a symbol inserted is not valid', {
    requests: changedTokens('symbol inserted'),
    expect: unauthorized
  })
]
