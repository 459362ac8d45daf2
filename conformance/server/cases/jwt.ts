import { success, unauthorized, unauthorizedOr } from '../expectations.ts'
import type { Bearer, JwtChange } from '../server-case.ts'
import type { Values } from '../values.ts'
import { get, hardened, menuWith, must, observed, rightLogin, send, should } from './define.ts'

const CLAUSES = ['5.3.2', '7 invalid token']
const TABLE = '5 table all other routes'
const jwt = (signature: JwtChange['signature'], change: Omit<JwtChange, 'signature'> = {}) => ({
  jwt: { signature, ...change }
})
const alg = (signature: JwtChange['signature'], name: string | null, more: object = {}) =>
  jwt(signature, { header: { alg: name, ...more } })
const now = () => Math.floor(Date.now() / 1000)
const expired = (secondsAgo: number) =>
  jwt('right key', { claims: { iat: now() - secondsAgo - 7200, exp: now() - secondsAgo } })
const toUnknownRoute = (bearer: Bearer, { random }: Pick<Values, 'random'>) =>
  ['GET', 'POST'].map(method => send(method, `/${random}`, { bearer }))

/** Requests the menu at once, and twice after the lifetime plus `more` seconds. Judges only the last response. */
const afterLifetime = (name: string, more: number) => ({
  judged: 'last' as const,
  requests: (values: Values) => {
    const token = values.tokenOf(name)
    return [menuWith(token), { ...menuWith(token), pause: values.lifetime + more }, menuWith(token)]
  },
  expect: unauthorized
})

export const jwtExchanges = {
  'session that ends': (values: Values) => rightLogin(values),
  'session that ends later': (values: Values) => rightLogin(values)
}

export const jwtCases = [
  must('login-with-expired-token', ['5.2', '5.8'], 'The login routes stay public with an expired token', {
    needs: ['jwt', 'key'],
    requests: values => [get('/auth/login', { bearer: expired(1200) }), rightLogin(values, { bearer: expired(1200) })],
    expect: success
  }),
  must('jwt-other-claims', CLAUSES, 'A JWT with changed claims or a changed header is not valid', {
    needs: ['jwt'],
    requests: ({ random }) => [
      menuWith(jwt('kept', { claims: { sub: random } })),
      menuWith(jwt('kept', { claims: { exp: now() + 999_999 } })),
      menuWith(jwt('kept', { claims: { admin: true } })),
      menuWith(jwt('kept', { header: { kid: random } }))
    ],
    expect: unauthorized
  }),
  must('jwt-alg-none', CLAUSES, 'A JWT with the alg none is not valid (RFC 8725 3.1)', {
    needs: ['jwt'],
    requests: [
      ...['none', 'None', 'NONE', 'nOnE'].flatMap(name => [alg('empty', name), alg('kept', name)]),
      alg('missing', 'none')
    ].map(menuWith),
    expect: unauthorized
  }),
  must('jwt-unsigned', CLAUSES, 'A JWT without a signature is not valid', {
    needs: ['jwt'],
    requests: [jwt('empty'), jwt('missing'), alg('empty', null)].map(menuWith),
    expect: unauthorized
  }),
  must('jwt-other-key', CLAUSES, 'A JWT signed with another key is not valid', {
    needs: ['jwt'],
    requests: [
      alg('other key', 'HS256'),
      alg('empty key', 'HS256'),
      alg('other key', 'HS512'),
      jwt('other key'),
      alg('empty key', 'HS256', { kid: '/dev/null' }),
      alg('empty key', 'HS256', { kid: '../../../../../../dev/null' })
    ].map(menuWith),
    expect: unauthorized
  }),
  hardened('jwt-weak-key', CLAUSES, 'A JWT signed with an easily guessed secret is not valid', {
    needs: ['jwt'],
    requests: ({ username, appName, random }) =>
      ['secret', 'your-256-bit-secret', 'changeme', 'password', 'jwt', 'test', username, appName].map(secret =>
        menuWith(jwt('guessed secret', { header: { alg: 'HS256' }, claims: { jti: random }, secret }))
      ),
    expect: unauthorized
  }),
  must('jwt-own-key', CLAUSES, 'A JWT signed with a key in its own header is not valid (RFC 8725 3.5)', {
    needs: ['jwt'],
    requests: menuWith(jwt('own key')),
    expect: unauthorized
  }),
  must(
    'jwt-key-confusion',
    CLAUSES,
    'A JWT signed with the public key as its HMAC secret is not valid (RFC 8725 2.1)',
    {
      needs: ['jwt', 'asymmetric', 'public key'],
      requests: ['HS256', 'HS512']
        .flatMap(name => [
          alg('public key', name),
          alg('public key without its last line break', name),
          alg('public key, DER', name)
        ])
        .map(menuWith),
      expect: unauthorized
    }
  ),
  must('jwt-changed-signature', CLAUSES, 'A JWT with a changed signature is not valid', {
    needs: ['jwt'],
    requests: ({ random }) =>
      [
        jwt('other case'),
        jwt('start changed'),
        jwt('zeros'),
        ...[random, 'hs256', 'HS256 ', 'EdDSA', 'RS256', ''].map(name => alg('zeros', name))
      ].map(menuWith),
    expect: unauthorized
  }),
  must('jwt-expired', [...CLAUSES, '5.8', 'SVC_AUTH_SECRET'], 'An expired JWT is not valid', {
    needs: ['jwt', 'key'],
    requests: () => [expired(1200), expired(86_400), jwt('right key', { claims: { exp: 0 } })].map(menuWith),
    expect: unauthorized
  }),
  must('jwt-expired-on-unknown', [...CLAUSES, TABLE], 'An expired JWT is not valid for any route or method', {
    needs: ['jwt', 'key'],
    requests: values => [
      ...toUnknownRoute(expired(3600), values),
      send('POST', '/menu/main', { bearer: expired(3600) })
    ],
    expect: unauthorized
  }),
  must('expired-token', ['7 invalid token', '5.3.2'], 'The expired token is not valid for any route or method', {
    needs: ['expired token'],
    requests: ({ expiredToken: bearer, random }) => [
      menuWith(bearer),
      ...toUnknownRoute(bearer, { random }),
      ...['POST', 'HEAD'].map(method => send(method, '/menu/main', { bearer }))
    ],
    expect: unauthorizedOr(501)
  }),
  observed('lifetime', '7 invalid token', 'The server rejects a token as soon as its lifetime is over', {
    needs: ['lifetime'],
    ...afterLifetime('session that ends', 2)
  }),
  must(
    'lifetime-is-over',
    ['7 invalid token', '5.3.2'],
    'The server rejects a token at most a minute after its lifetime is over (RFC 7519 4.1.4 allows for clock skew)',
    {
      needs: ['lifetime'],
      unless: 'lifetime',
      ...afterLifetime('session that ends later', 65)
    }
  ),
  should(
    'jwt-without-expiry',
    '5.3.2',
    'A JWT without an expiry, or with an expiry that is not a number, is not valid',
    {
      needs: ['jwt', 'key'],
      requests: [null, 'tomorrow'].map(exp => menuWith(jwt('right key', { claims: { exp } }))),
      expect: unauthorized
    }
  ),
  should('jwt-not-yet-valid', '5.3.2', 'A JWT before its nbf is not valid (RFC 7519 4.1.5)', {
    needs: ['jwt', 'key'],
    requests: () => [menuWith(jwt('right key', { claims: { nbf: now() + 3600 } }))],
    expect: unauthorized
  }),
  should(
    'jwt-other-algorithm',
    '5.3.2',
    'A JWT signed with the right key but another algorithm is not valid (RFC 8725 3.1)',
    {
      needs: ['jwt', 'key'],
      requests: menuWith(jwt('right key, other algorithm')),
      expect: unauthorized
    }
  ),
  should('jwt-critical-header', '5.3.2', 'A JWT with an unknown critical header is not valid (RFC 7515 4.1.11)', {
    needs: ['jwt', 'key'],
    requests: ({ random }) => [menuWith(jwt('right key', { header: { crit: [random], [random]: true } }))],
    expect: unauthorized
  })
]
