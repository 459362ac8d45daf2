// Cases with right credentials.
import {
  accepted,
  all,
  at,
  either,
  hasScreen,
  hasToken,
  isObject,
  isText,
  isToken,
  jsonMediaType,
  jsonObject,
  member,
  status,
  success,
  that
} from '../expectations.ts'
import type { Check, JudgedResponse } from '../server-case.ts'
import type { Values } from '../values.ts'
import { encode, FORM_TYPE, JSON_TYPE, login, must, observed, rightLogin, send, should } from './define.ts'

const ofLogin = { requests: 'login', given: jsonObject }
const withScreen = { requests: 'login', given: hasScreen }
const withToken = { requests: 'login', given: hasToken }
const claimsOf = (response: JudgedResponse): Record<string, unknown> => Object(response.jwt?.claims)
const aJwt = that('a JWT', ({ jwt }) => jwt !== undefined)

const referenceClaims: Check = (response, { username }) => {
  const { sub, display_name, iat, exp, ...others } = claimsOf(response)
  const isRight = sub === username && isText(display_name) && Number.isInteger(iat) && Number.isInteger(exp)
  return isRight && Object.keys(others).length === 0
    ? undefined
    : 'the claims sub (the username), display_name, iat and exp as whole numbers, and no others'
}

/** Returns a JSON string in which every UTF-16 unit is an escape sequence. */
function escaped(text: string): string {
  const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index))
  return `"${units.map(unit => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`
}

const right = ({ username, password }: Values) => ({ username, password })
const sent = (body: string) => send('POST', '/auth/login', { login: 'first', headers: JSON_TYPE, body })

export const loginExchanges = {
  login: (values: Values) => rightLogin(values),
  'login again': (values: Values) => rightLogin(values),
  'credentials without fields': (values: Values) => send('POST', '/auth/login', { json: right(values) }),
  'credentials as a form': ({ username, password }: Values) =>
    send('POST', '/auth/login', {
      headers: FORM_TYPE,
      body: `username=${encode(username)}&password=${encode(password)}`
    })
}

export const loginCases = [
  must(
    'login-is-json',
    ['4 POST /auth/login', '2.1 fields', '1 login', '5 table POST /auth/login'],
    'The response to right credentials in an AuthRequest is a JSON object',
    { requests: 'login', expect: all(success, jsonObject) }
  ),
  should('login-content-type', '4 POST /auth/login', 'The AuthResponse has a JSON media type (RFC 8259 11)', {
    requests: 'login',
    expect: jsonMediaType
  }),
  must('login-success', ['2.2 success', '4 rule 4'], 'On success, success is true', {
    ...ofLogin,
    expect: member('success', 'true', value => value === true)
  }),
  must('login-token', ['2.2 token', '4 rule 4'], 'On success, token is a string', {
    ...ofLogin,
    expect: member('token', 'as a string', isToken)
  }),
  must('login-error', ['2.2 error', '4 rule 4'], 'On success, error is null', {
    ...ofLogin,
    expect: member('error', 'null', value => value === null)
  }),
  must('login-screen', ['2.2 screen', '4 rule 4', '1 login'], 'On success, screen is a screen', {
    ...ofLogin,
    expect: member('screen', 'as an object', isObject)
  }),
  must('login-screen-layout', ['2.3 layout', '4 rule 4'], 'The layout of the screen is Menu', {
    ...withScreen,
    expect: member('screen.layout', '"Menu"', value => value === 'Menu')
  }),
  must('login-screen-menu', '2.3 menu', 'The screen has a menu', {
    ...withScreen,
    expect: member('screen.menu', 'as an object', isObject)
  }),
  must('login-screen-title', '2.3 title', 'The title of the screen, if it has one, is a string', {
    ...withScreen,
    expect: member('screen.title', 'as a string', value => value == null || typeof value === 'string')
  }),
  must('login-display-name', ['5.6', '2.3 user_display_name'], 'The screen has the display name of the user', {
    ...withScreen,
    expect: member('screen.user_display_name', 'with the name of the user', isText)
  }),
  must('login-token-fits-header', '5.1', 'The token is a string that fits into a header', {
    ...withToken,
    expect: member('token', 'of printable ASCII', value => /^[!-~]([ -~]*[!-~])?$/.test(String(value)))
  }),
  should('login-token-characters', '5.1', 'The token has only the characters of a bearer token (RFC 6750 2.1)', {
    ...withToken,
    expect: member('token', 'of A-Z a-z 0-9 . _ ~ + / - and = at its end', value =>
      /^[A-Za-z0-9._~+/-]+=*$/.test(String(value))
    )
  }),
  should('login-no-store', '2.2 token', 'The response with a token must not be cached (RFC 6749 5.1)', {
    ...withToken,
    expect: that('Cache-Control: no-store', ({ headers }) => /no-store/.test(headers['cache-control'] ?? ''))
  }),
  observed(
    'login-token-format',
    ['5.5', '8 token lifetime'],
    'The algorithm, the claims and the lifetime of the token, if it is a JWT',
    {
      requests: 'login',
      observe: ({ jwt }) => jwt && [jwt.header.alg, jwt.claims, jwt.lifetime]
    }
  ),
  should('jwt-exp-in-seconds', '5.3.2', 'The expiry of a JWT is in seconds since 1970 (RFC 7519 4.1.4)', {
    requests: 'login',
    needs: ['jwt'],
    given: that('an expiry', response => claimsOf(response).exp !== undefined),
    expect: that('the claim exp in seconds', response => {
      const { exp } = claimsOf(response)
      return typeof exp === 'number' && exp < 100_000_000_000
    })
  }),
  must('reference-jwt', '5.5', 'The token is a JWT signed with HS256', {
    ...withToken,
    needs: ['reference'],
    expect: that('the alg HS256', ({ jwt }) => jwt?.header.alg === 'HS256')
  }),
  must(
    'reference-claims',
    '5.5',
    'The claims of the token are sub (the username), display_name, iat and exp, and no others',
    {
      ...withToken,
      needs: ['reference'],
      expect: all(aJwt, referenceClaims)
    }
  ),
  must('reference-display-name', ['5.5', '5.6'], 'The claim display_name equals the name on the screen', {
    ...withScreen,
    needs: ['reference', 'jwt'],
    expect: that(
      'the claim display_name as on the screen',
      response => claimsOf(response).display_name === at(response, 'screen.user_display_name')
    )
  }),
  must('reference-lifetime', ['8 token lifetime', '5.5'], 'The token is valid for 24 hours after the login', {
    ...withToken,
    needs: ['reference'],
    expect: that(
      'a lifetime of 86400 seconds, from now on',
      ({ jwt }) => jwt?.lifetime === 86_400 && Math.abs(jwt.remaining - 86_400) <= 300
    )
  }),
  must('reference-secret', ['SVC_AUTH_SECRET', '5.5'], 'The token is signed with the secret in SVC_AUTH_SECRET', {
    ...withToken,
    needs: ['reference', 'secret'],
    expect: that('a signature that the given secret verifies', ({ jwt }) => jwt?.signed === true)
  }),
  must(
    'login-with-stale-token',
    ['5.2', '5 table POST /auth/login'],
    'Right credentials are accepted even with an invalid token',
    {
      requests: values => [rightLogin(values, { bearer: values.random })],
      expect: all(
        success,
        member('success', 'true', value => value === true)
      )
    }
  ),
  should(
    'login-charset',
    '4 POST /auth/login',
    'The server accepts an AuthRequest whose media type names a charset (RFC 9110 8.3.1)',
    {
      requests: values => [rightLogin(values, { headers: { 'Content-Type': 'application/json; charset=utf-8' } })],
      expect: accepted
    }
  ),
  should(
    'login-chunked',
    '4 POST /auth/login',
    'The server accepts an AuthRequest in chunks (RFC 9112 7.1), or responds with 411',
    {
      requests: values => [rightLogin(values, { chunked: true })],
      given: that('HTTP/1.1', ({ version }) => version === '1.1'),
      expect: either(accepted, status(411))
    }
  ),
  must(
    'login-spellings',
    ['2.1 fields', '4 POST /auth/login'],
    'The server accepts an AuthRequest with any order of keys, white space and escapes',
    {
      requests: ({ username, password }) => [
        sent(`{"fields":{"password":${JSON.stringify(password)},"username":${JSON.stringify(username)}}}`),
        sent(
          ` {\r\n\t"fields" : {\r\n\t\t"username" : ${JSON.stringify(username)} ,\r\n\t\t"password" : ${JSON.stringify(password)}\r\n\t}\r\n}\r\n`
        ),
        sent(`{"fields":{"\\u0075sername":${escaped(username)},"password":${escaped(password)}}}`)
      ],
      expect: accepted
    }
  ),
  should(
    'login-further-fields',
    '2.1 fields',
    'The server ignores further fields, because a later form may have more',
    {
      requests: values => [
        login({ ...right(values), [values.random]: values.random }, { login: 'first' }),
        login(
          {
            ...Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`field${index + 1}`, ''])),
            ...right(values)
          },
          { login: 'first' }
        )
      ],
      expect: accepted
    }
  )
]
