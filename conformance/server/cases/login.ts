// Logins: right credentials, and credentials that the server must reject.
import { all, at, claim, either, ifPlain, member, that } from '../checks.ts'
import { isObject, isText, isToken } from '../json.ts'
import { jsonMediaType, jsonObject } from '../screens.ts'
import type { CaseRequest, Check } from '../server-case.ts'
import { noServerError, status, success } from '../statuses.ts'
import type { JudgedResponse, Values } from '../values.ts'
import { cases, expecting, showingStatus } from './define.ts'
import { JSON_TYPE, login, rightLogin, send } from './requests.ts'

const isNull = (value: unknown) => value === null
const isTrue = member('success', 'true', value => value === true)
export const hasToken = that('a token', response => isToken(at(response, 'token')))
const hasScreen = that('a screen', response => isObject(at(response, 'screen')))
export const accepted = all(success, isTrue, member('token', 'as a string', isToken))
const noToken = that(
  'no token, and success not true',
  response => at(response, 'success') !== true && !isToken(at(response, 'token'))
)
const REJECTION = {
  success: member('success', 'false', value => value === false),
  token: member('token', 'null', isNull),
  error: member('error', 'as a message', isText),
  screen: member('screen', 'null', isNull)
}
const rejection = all(jsonObject, ...Object.values(REJECTION))

const LOGIN = `
  login-is-json MUST 4 POST /auth/login, 2.1 fields, 1 login, 5 table POST /auth/login:
    The response to right credentials in an AuthRequest is a JSON object
  login-content-type SHOULD 4 POST /auth/login: The AuthResponse has a JSON media type (RFC 8259 11)
  login-success MUST 2.2 success, 4 rule 4: On success, success is true
  login-token MUST 2.2 token, 4 rule 4: On success, token is a string
  login-error MUST 2.2 error, 4 rule 4: On success, error is null
  login-screen MUST 2.2 screen, 4 rule 4, 1 login: On success, screen is a screen
  login-screen-layout MUST 2.3 layout, 4 rule 4: The layout of the screen is Menu
  login-screen-menu MUST 2.3 menu: The screen has a menu
  login-screen-title MUST 2.3 title: The title of the screen, if it has one, is a string
  login-display-name MUST 5.6, 2.3 user_display_name: The screen has the display name of the user
  login-token-fits-header MUST 5.1: The token is a string that fits into a header
  login-token-characters SHOULD 5.1: The token has only the characters of a bearer token (RFC 6750 2.1)
  login-no-store SHOULD 2.2 token: The response with a token must not be cached (RFC 6749 5.1)
  login-token-format OBSERVED 5.5, 8 token lifetime: The format of the token: algorithm, claims and lifetime of a JWT
  jwt-exp-in-seconds SHOULD 5.3.2: The expiry of a JWT is in seconds since 1970 (RFC 7519 4.1.4)
  reference-jwt MUST 5.5: The token is a JWT signed with HS256
  reference-claims MUST 5.5: The claims of the token are sub (the username), display_name, iat and exp, and no others
  reference-display-name MUST 5.5, 5.6: The claim display_name equals the name on the screen
  reference-lifetime MUST 8 token lifetime, 5.5: The token is valid for 24 hours after the login
  reference-secret MUST SVC_AUTH_SECRET, 5.5: The token is signed with the secret in SVC_AUTH_SECRET
  login-with-stale-token MUST 5.2, 5 table POST /auth/login: Right credentials are accepted even with an invalid token
  login-charset SHOULD 4 POST /auth/login: An AuthRequest with a charset is accepted (RFC 9110 8.3.1)
  login-chunked SHOULD 4 POST /auth/login: An AuthRequest in chunks is accepted, or gets a 411 (RFC 9112 7.1)
  login-spellings MUST 2.1 fields, 4 POST /auth/login: Any order of keys, white space and escapes are accepted
  login-further-fields SHOULD 2.1 fields: The server ignores further fields, because a later form may have more
`

const ofLogin = (expect: Check, given = jsonObject) => ({ requests: 'login', given, expect })
const ofScreen = (name: string, words: string, test: (value: unknown) => boolean) =>
  ofLogin(member(`screen.${name}`, words, test), hasScreen)
const ofToken = (words: string, pattern: RegExp) =>
  ofLogin(
    member('token', words, value => pattern.test(String(value))),
    hasToken
  )
const hasJwt = that('a JWT', ({ jwt }) => jwt !== undefined)
const ofReference = (expect: Check, given = hasJwt) => ({ ...ofLogin(expect, given), needs: ['reference'] as const })
const claimsOf = (response: JudgedResponse): Record<string, unknown> => Object(response.jwt?.claims)

const CLAIMS = ['sub', 'display_name', 'iat', 'exp']
const referenceClaims = all(
  claim('sub', 'with the username', (sub, _, { username }) => sub === username),
  claim('display_name', 'as a text', isText),
  claim('iat', 'as a whole number', Number.isInteger),
  claim('exp', 'as a whole number', Number.isInteger),
  that(`no claims but ${CLAIMS.join(', ')}`, response =>
    Object.keys(claimsOf(response)).every(name => CLAIMS.includes(name))
  )
)

/** Returns a JSON string in which every UTF-16 unit is an escape sequence. */
const escaped = (text: string) =>
  `"${text.replace(/./gs, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`

const right = ({ username, password }: Values) => ({ username, password })
const sent = (body: string) => send('POST', '/auth/login', { login: 'first', headers: JSON_TYPE, body })

export const loginCases = cases('login', LOGIN, {
  'login-is-json': expecting(all(success, jsonObject), 'login'),
  'login-content-type': expecting(jsonMediaType, 'login'),
  'login-success': ofLogin(isTrue),
  'login-token': ofLogin(member('token', 'as a string', isToken)),
  'login-error': ofLogin(member('error', 'null', isNull)),
  'login-screen': ofLogin(member('screen', 'as an object', isObject)),
  'login-screen-layout': ofScreen('layout', '"Menu"', value => value === 'Menu'),
  'login-screen-menu': ofScreen('menu', 'as an object', isObject),
  'login-screen-title': ofScreen('title', 'as a string', value => value == null || typeof value === 'string'),
  'login-display-name': ofScreen('user_display_name', 'with the name of the user', isText),
  'login-token-fits-header': ofToken('of printable ASCII', /^[!-~]([ -~]*[!-~])?$/),
  'login-token-characters': ofToken('of A-Z a-z 0-9 . _ ~ + / - and = at its end', /^[A-Za-z0-9._~+/-]+=*$/),
  'login-no-store': ofLogin(
    that('Cache-Control: no-store', ({ headers }) => /no-store/.test(headers['cache-control'] ?? '')),
    hasToken
  ),
  'login-token-format': {
    requests: 'login',
    given: hasToken,
    observe: ({ jwt }) =>
      jwt ? [jwt.header.alg, jwt.claims, ...(jwt.lifetime > 0 ? [`${jwt.lifetime} s`] : [])] : 'it is not a JWT'
  },
  'jwt-exp-in-seconds': {
    requests: 'login',
    needs: ['jwt'],
    given: that('an expiry', response => claimsOf(response).exp !== undefined),
    expect: that('the claim exp in seconds', response => {
      const { exp } = claimsOf(response)
      return typeof exp === 'number' && exp < 100_000_000_000
    })
  },
  'reference-jwt': ofReference(
    that('the alg HS256', ({ jwt }) => jwt?.header.alg === 'HS256'),
    hasToken
  ),
  'reference-claims': ofReference(referenceClaims),
  'reference-display-name': {
    requests: 'login',
    given: hasScreen,
    needs: ['reference', 'jwt'],
    expect: claim('display_name', 'as on the screen', (name, one) => name === at(one, 'screen.user_display_name'))
  },
  'reference-lifetime': ofReference(
    that(
      'a lifetime of 86400 seconds, from now on',
      ({ jwt }) => jwt?.lifetime === 86_400 && Math.abs(jwt.remaining - 86_400) <= 300
    )
  ),
  'reference-secret': {
    ...ofReference(that('a signature that the given secret verifies', ({ jwt }) => jwt?.isSigned === true)),
    needs: ['reference', 'secret']
  },
  'login-with-stale-token': {
    given: ifPlain('login', all(success, isTrue)),
    ...expecting(all(success, isTrue), values => [rightLogin(values, { bearer: values.random })])
  },
  'login-charset': expecting(accepted, values => [
    rightLogin(values, { headers: { 'Content-Type': 'application/json; charset=utf-8' } })
  ]),
  'login-chunked': {
    given: that('HTTP/1.1', ({ version }) => version === '1.1'),
    ...expecting(either(accepted, status(411)), values => [rightLogin(values, { chunked: true })])
  },
  'login-spellings': {
    given: ifPlain('login', accepted),
    ...expecting(accepted, ({ username, password }) => [
      sent(JSON.stringify({ fields: { password, username } })),
      sent(
        ` {\r\n\t"fields" : {\r\n\t\t"username" : ${JSON.stringify(username)} ,\r\n\t\t"password" : ${JSON.stringify(password)}\r\n\t}\r\n}\r\n`
      ),
      sent(`{"fields":{"\\u0075sername":${escaped(username)},"password":${escaped(password)}}}`)
    ])
  },
  'login-further-fields': expecting(accepted, values => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`field${index + 1}`, '']))
    return [
      { ...right(values), [values.random]: values.random },
      { ...many, ...right(values) }
    ].map(fields => login(fields, { login: 'first' }))
  })
})

const WRONG = '7 rejected credentials, 4 rule 5'

// A server may block a user or an address after some failed logins. So where the name does not matter, it is random, and
// few right logins follow the wrong passwords of the user.
const REJECTED = `
  wrong-password MUST ${WRONG}: The response to a wrong password is a JSON object
  rejection-success MUST 2.2 success, ${WRONG}: On failure, success is false
  rejection-token MUST 2.2 token, ${WRONG}: On failure, token is null
  rejection-error MUST 2.2 error, ${WRONG}: On failure, error is a message
  rejection-screen MUST 2.2 screen, ${WRONG}: On failure, screen is null
  rejection-status OBSERVED 7 rejected credentials: The status of a rejected login
  rejection-no-server-error SHOULD 7 rejected credentials: The status of a rejected login is below 500
  rejection-no-redirect SHOULD 7 rejected credentials: A rejection is no redirect, which would lose the message
  rejection-no-echo SHOULD 7 rejected credentials: A rejection does not repeat the password
  unknown-user MUST ${WRONG}: An unknown user is rejected with an AuthResponse, even with a valid token
  password-object MUST ${WRONG}: An object, a list, a number, null or true is not accepted as a password
  guessed-password MUST ${WRONG}:
    The username, the beginning of the password, or the password in the other case is not accepted
  password-query MUST ${WRONG}: SQL, a filter or a pattern is not accepted as a password
  password-of-another MUST ${WRONG}: The password of one user is not accepted for another user
  incomplete-login MUST ${WRONG}: A login with a missing or empty username or password gets no token
  malformed-login MUST 4 rule 5: A body that is not an AuthRequest gets no token
  near-password HARDENING ${WRONG}: A wildcard or SQL gets no token
  injected-username HARDENING ${WRONG}: A username with an injected query gets no token
  login-cookie-needs-credentials HARDENING ${WRONG}: A cookie that the login sets does not replace the credentials
  long-password SHOULD 7 rejected credentials: A long password gets no token and no server error
  same-rejection SHOULD 7 rejected credentials:
    An unknown user and a wrong password get the same response, which hides whether the user exists
  padded-password SHOULD 2.1 fields: The server compares the password as entered, without trimming
  login-after-mistakes OBSERVED 4 rule 5: Right credentials are accepted after a few failed logins
  odd-credentials HARDENING ${WRONG}, 2.1 fields:
    Wrong credentials that are long or not ASCII are rejected with an AuthResponse
  incomplete-login-rejection SHOULD 7 rejected credentials:
    An empty password is rejected with an AuthResponse, so that the client can show a message
  malformed-login-refused SHOULD 4 POST /auth/login: A body that is not an AuthRequest causes no server error
`

const post = (body: string | Buffer) => send('POST', '/auth/login', { headers: JSON_TYPE, body })

/** Returns logins with wrong passwords. Replaces any password that is empty, or the right password by chance. */
const withPasswords = (
  { username, password, random }: Pick<Values, 'username' | 'password' | 'random'>,
  passwords: string[]
) => passwords.map(other => login({ username, password: ['', password].includes(other) ? random : other }))

/** Sends a right login before and after. It resets a counter of failures, and shows that the user is not locked. */
const betweenLogins = (make: (values: Values) => CaseRequest[], expect = noToken) => ({
  judged: 'between logins' as const,
  ...expecting(expect, values => [rightLogin(values), ...make(values), rightLogin(values)])
})

const withoutPassword = (username: string): CaseRequest[] => [login({ username }), login({ username, password: '' })]

const malformed = ({ random }: Values): CaseRequest[] => [
  send('POST', '/auth/login', { headers: JSON_TYPE }),
  post('{"fields":{"username":"'),
  post('null'),
  post(JSON.stringify(random)),
  send('POST', '/auth/login', { json: [{ fields: { username: random, password: random } }] }),
  send('POST', '/auth/login', { json: {} }),
  login(null),
  login([random, random]),
  login({ username: 1, password: 2 }),
  login({ username: true, password: true }),
  login({ username: { $ne: null }, password: { $ne: null } }),
  post(`${'['.repeat(2000)}${']'.repeat(2000)}`),
  post(Buffer.from('{"fields":{"username":"\xff","\xffpassword":"\xff"}}', 'latin1'))
]

/** Valid AuthRequests with unusual characters, which may break the lookup of the user. */
const unusual = ({ random }: Values): CaseRequest[] => [
  post(`\ufeff{"fields":{"username":"${random}","password":"${random}"}}`),
  post('{"fields":{"username":"\\ud800","password":"\\udfff"}}'),
  post(`{"fields":{"username":"${random}\\u0000","password":"\\u0000"}}`)
]

const ofRejection = (expect: Check) => ({ requests: 'wrong password', given: jsonObject, expect })
const noEcho = that('no password in the body', ({ text }, { random }) => !text.includes(random))
const sameRejection = that('the status and the message of a wrong password', (response, values) => {
  const wrong = values.responseTo('wrong password')
  return wrong === undefined || (wrong.status === response.status && at(wrong, 'error') === at(response, 'error'))
})

export const rejectedCases = cases('rejection', REJECTED, {
  'wrong-password': expecting(jsonObject, 'wrong password'),
  'rejection-success': ofRejection(REJECTION.success),
  'rejection-token': ofRejection(REJECTION.token),
  'rejection-error': ofRejection(REJECTION.error),
  'rejection-screen': ofRejection(REJECTION.screen),
  'rejection-status': showingStatus('wrong password'),
  'rejection-no-server-error': expecting(noServerError, 'wrong password'),
  'rejection-no-redirect': expecting(
    that('no status from 300 to 399', ({ status }) => status < 300 || status > 399),
    'wrong password'
  ),
  'rejection-no-echo': expecting(noEcho, 'wrong password'),
  'unknown-user': betweenLogins(
    ({ username, password, random, token }) => [login({ username: username + random, password }, { bearer: token })],
    rejection
  ),
  'password-object': betweenLogins(({ username, password }) =>
    [{ $ne: null }, { $gt: '' }, { $regex: '.*' }, {}, [password], [], null, true, 0].map(other =>
      login({ username, password: other })
    )
  ),
  'guessed-password': betweenLogins(values =>
    withPasswords(values, [values.altered('in the other case'), values.altered('without its end'), values.username])
  ),
  'password-query': betweenLogins(values => [
    login({ username: values.random, password: '" OR "1"="1' }),
    login({ username: `${values.username}' -- `, password: values.random }),
    login({ username: `${values.username})(|(uid=*`, password: '*' }),
    // The second password is a pattern for any text, and has the right password on a line of its own.
    ...withPasswords(values, ["' OR '1'='1", `.*|x\n${values.password}`])
  ]),
  'password-of-another': {
    needs: ['second user'],
    ...betweenLogins(values => {
      const { secondUsername: username, secondPassword: password, random } = values
      return [...withPasswords(values, [password]), ...withPasswords({ username, password, random }, [values.password])]
    })
  },
  'incomplete-login': betweenLogins(({ username, password, random }) => [
    ...[username, random, 'constructor', '__proto__', 'toString', 'hasOwnProperty'].flatMap(withoutPassword),
    login({ username: '', password }),
    login({ password }),
    login({ username: '', password: '' }),
    login({})
  ]),
  'malformed-login': betweenLogins(malformed),
  'near-password': betweenLogins(values => [
    login({ username: values.random, password: "' OR 1=1 -- " }),
    ...withPasswords(values, ['%'])
  ]),
  'injected-username': betweenLogins(({ username, password, random }) => [
    login({ username: "' OR '1'='1", password: "' OR '1'='1" }),
    login({ username: `${username}'#`, password: random }),
    login({ username: `${username}"--`, password: random }),
    ...['%', '*', '.*'].filter(other => other !== username).map(other => login({ username: other, password })),
    login({ username: { $gt: '' }, password }),
    login({ username: `${username}\u0000`, password: random })
  ]),
  'login-cookie-needs-credentials': betweenLogins(
    ({ cookies, random }) => [login({ username: random, password: random }, { headers: { Cookie: cookies } })],
    rejection
  ),
  'odd-credentials': betweenLogins(({ username, secondUsername, random }) => {
    const escaped = `"${random}-Zo\\u00eb","password":"\\u043a \\u6f22 \\ud83d\\ude00 \\"\\\\\\/\\b\\f\\n\\r\\t"`
    return [
      // With a second user, each user has fewer failures.
      login({ username: secondUsername || username, password: random + 'x'.repeat(81) }),
      login({ username: `${random}-Zoë`, password: 'pässwörd ключ 漢字 😀' }),
      post(`{"fields":{"username":${escaped}}}`)
    ]
  }, rejection),
  'long-password': expecting(all(noServerError, noToken), ({ random, long }) => [
    login({ username: random, password: long })
  ]),
  'same-rejection': expecting(sameRejection, 'unknown user'),
  'login-after-mistakes': {
    requests: values => [rightLogin(values)],
    observe: response => (at(response, 'success') === true ? 'yes' : 'no')
  },
  'padded-password': betweenLogins(({ username, password }) => [login({ username, password: `${password} ` })]),
  'incomplete-login-rejection': expecting(rejection, 'empty password'),
  'malformed-login-refused': expecting(noServerError, values => [...malformed(values), ...unusual(values)])
})

export const loginExchanges = {
  login: (values: Values) => rightLogin(values),
  'login again': (values: Values) => rightLogin(values),
  'credentials without fields': (values: Values) => send('POST', '/auth/login', { json: right(values) }),
  'wrong password': ({ username, password, random }: Values) => login({ username, password: `${password}-${random}` }),
  'unknown user': ({ username, password, random }: Values) => login({ username: username + random, password }),
  'empty password': ({ username }: Values) => login({ username, password: '' })
}
