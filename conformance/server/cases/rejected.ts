// Logins that must fail. The core cases send few such logins, because a server may count each login with a username and
// a password as a failure of the user or of the address.
import { all, at, isText, jsonObject, member, noServerError, noToken, rejection, that } from '../expectations.ts'
import type { CaseRequest, Check } from '../server-case.ts'
import type { Values } from '../values.ts'
import { hardened, JSON_TYPE, login, must, observed, rightLogin, send, should } from './define.ts'

const REJECTED = '7 rejected credentials'
const CLAUSES = [REJECTED, '4 rule 5']
const post = (body: string | Buffer) => send('POST', '/auth/login', { headers: JSON_TYPE, body })

/** Returns logins with wrong passwords. Replaces any password that is the right password by chance. */
const withPasswords = (
  { username, password, random }: Pick<Values, 'username' | 'password' | 'random'>,
  passwords: string[]
) => passwords.map(other => login({ username, password: other === password ? random : other }))

/** Sends a right login first. It resets a counter of consecutive failures, and shows that the user is not locked. */
const afterLogin = (make: (values: Values) => CaseRequest[]) => ({
  judged: 'rest' as const,
  requests: (values: Values) => [rightLogin(values), ...make(values)],
  expect: noToken
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

export const rejectedExchanges = {
  'wrong password': ({ username, password, random }: Values) => login({ username, password: `${password}-${random}` }),
  'unknown user': ({ username, password, random }: Values) => login({ username: username + random, password }),
  'empty password': ({ username }: Values) => login({ username, password: '' })
}

const rejected = { requests: 'wrong password', given: jsonObject }
const sameRejection: Check = (response, values) => {
  const wrong = values.responseTo('wrong password')
  const isSame = wrong?.status === response.status && at(wrong, 'error') === at(response, 'error')
  return wrong === undefined || isSame ? undefined : 'the status and the message of a wrong password'
}

export const rejectedCases = [
  must('wrong-password', CLAUSES, 'The response to a wrong password is a JSON object', {
    requests: 'wrong password',
    expect: jsonObject
  }),
  must('rejection-success', ['2.2 success', ...CLAUSES], 'On failure, success is false', {
    ...rejected,
    expect: member('success', 'false', value => value === false)
  }),
  must('rejection-token', ['2.2 token', ...CLAUSES], 'On failure, token is null', {
    ...rejected,
    expect: member('token', 'null', value => value === null)
  }),
  must('rejection-error', ['2.2 error', ...CLAUSES], 'On failure, error is a message', {
    ...rejected,
    expect: member('error', 'as a message', isText)
  }),
  must('rejection-screen', ['2.2 screen', ...CLAUSES], 'On failure, screen is null', {
    ...rejected,
    expect: member('screen', 'null', value => value === null)
  }),
  observed('rejection-status', REJECTED, 'The status of a rejected login', {
    requests: 'wrong password',
    observe: ({ status }) => status
  }),
  should('rejection-no-server-error', REJECTED, 'The status of a rejected login is below 500', {
    requests: 'wrong password',
    expect: noServerError
  }),
  should(
    'rejection-no-redirect',
    REJECTED,
    'A rejected login is not redirected: a client that follows a redirect loses the message',
    {
      requests: 'wrong password',
      expect: that('no status from 300 to 399', ({ status }) => status < 300 || status > 399)
    }
  ),
  should('rejection-no-echo', REJECTED, 'A rejection does not repeat the password', {
    requests: 'wrong password',
    expect: ({ text }, { random }) => (text.includes(random) ? 'no password in the body' : undefined)
  }),
  must('unknown-user', CLAUSES, 'An unknown user is rejected with an AuthResponse, even with a valid token', {
    requests: ({ username, password, random, token }) => [
      login({ username: username + random, password }, { bearer: token })
    ],
    expect: rejection
  }),
  must('password-object', CLAUSES, 'An object, a list, a number, null or true is not accepted as a password', {
    ...afterLogin(({ username, password }) =>
      [{ $ne: null }, { $gt: '' }, { $regex: '.*' }, {}, [password], [], null, true, 0].map(other =>
        login({ username, password: other })
      )
    )
  }),
  must(
    'guessed-password',
    CLAUSES,
    'The username, half of the password, or the password in the other case is not accepted',
    {
      ...afterLogin(values =>
        withPasswords(values, [values.altered('first half'), values.altered('in the other case'), values.username])
      )
    }
  ),
  must('password-query', CLAUSES, 'SQL, a wildcard, a pattern or a filter is not accepted as a password', {
    ...afterLogin(values => [
      ...withPasswords(values, ["' OR '1'='1", '" OR "1"="1', '%', '*', '.*']),
      login({ username: `${values.username}' -- `, password: values.random }),
      login({ username: `${values.username})(|(uid=*`, password: '*' })
    ])
  }),
  must('password-of-another', CLAUSES, 'The password of one user is not accepted for another user', {
    needs: ['second user'],
    ...afterLogin(values => [
      ...withPasswords(values, [values.secondPassword]),
      ...withPasswords({ username: values.secondUsername, password: values.secondPassword, random: values.random }, [
        values.password
      ])
    ])
  }),
  must('incomplete-login', CLAUSES, 'A login with a missing or empty username or password gets no token', {
    ...afterLogin(({ username, password, random }) => [
      ...[username, random, 'constructor', '__proto__', 'toString', 'hasOwnProperty'].flatMap(withoutPassword),
      login({ username: '', password }),
      login({ password }),
      login({ username: '', password: '' }),
      login({})
    ])
  }),
  must('malformed-login', '4 rule 5', 'A body that is not an AuthRequest gets no token', {
    requests: malformed,
    expect: noToken
  }),
  hardened('near-password', CLAUSES, 'A password that is almost right, or another SQL injection, gets no token', {
    ...afterLogin(values => {
      const changes = ['without its end', 'without its beginning', 'backwards', 'on a second line'] as const
      return withPasswords(values, [...changes.map(change => values.altered(change)), "' OR 1=1 -- "])
    })
  }),
  hardened('injected-username', CLAUSES, 'A username with an injected query gets no token', {
    requests: ({ username, password, random }) => [
      login({ username: "' OR '1'='1", password: "' OR '1'='1" }),
      login({ username: `${username}'#`, password: random }),
      login({ username: `${username}"--`, password: random }),
      ...['%', '*', '.*'].filter(other => other !== username).map(other => login({ username: other, password })),
      login({ username: { $gt: '' }, password }),
      login({ username: `${username}\u0000`, password: random })
    ],
    expect: noToken
  }),
  hardened('login-cookie-needs-credentials', CLAUSES, 'A cookie that the login sets does not replace the credentials', {
    requests: ({ cookies, random }) => [
      login({ username: random, password: random }, { headers: { Cookie: cookies } })
    ],
    expect: rejection
  }),
  hardened(
    'odd-credentials',
    [...CLAUSES, '2.1 fields'],
    'Wrong credentials that are long or not ASCII are rejected with an AuthResponse',
    {
      requests: ({ username, random }) => [
        login({ username, password: random + 'x'.repeat(81) }),
        login({ username: `${random}-Zoë`, password: 'pässwörd ключ 漢字 😀' }),
        post(
          `{"fields":{"username":"${random}-Zo\\u00eb","password":"\\u043a \\u6f22 \\ud83d\\ude00 \\"\\\\\\/\\b\\f\\n\\r\\t"}}`
        )
      ],
      expect: rejection
    }
  ),
  should('long-password', REJECTED, 'A long password gets no token and no server error', {
    requests: ({ random, long }) => [login({ username: random, password: long })],
    expect: all(noServerError, noToken)
  }),
  should(
    'same-rejection',
    REJECTED,
    'An unknown user and a wrong password get the same response, which hides whether the user exists',
    {
      requests: 'unknown user',
      expect: sameRejection
    }
  ),
  should('padded-password', '2.1 fields', 'The server compares the password as entered, without trimming', {
    ...afterLogin(({ username, password }) => [' ', '\n'].map(end => login({ username, password: password + end })))
  }),
  observed('login-after-mistakes', '4 rule 5', 'Right credentials are accepted after a few failed logins', {
    requests: values => [rightLogin(values)],
    expect: member('success', 'true', value => value === true)
  }),
  should(
    'incomplete-login-rejection',
    REJECTED,
    'An empty password is rejected with an AuthResponse, so that the client can show a message',
    {
      requests: 'empty password',
      expect: rejection
    }
  ),
  should('malformed-login-refused', '4 POST /auth/login', 'A body that is not an AuthRequest causes no server error', {
    requests: values => [...malformed(values), ...unusual(values)],
    expect: noServerError
  })
]
