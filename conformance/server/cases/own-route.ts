// Cases for the routes of `--protected`. Each case runs once per route.
import {
  all,
  namedScreen,
  no401,
  noSuccess,
  unauthorized,
  unauthorizedOr,
  unauthorizedOrCors
} from '../expectations.ts'
import type { Bearer, Need } from '../server-case.ts'
import { base64, encode, get, hardened, must, send, upgrade } from './define.ts'
import { nameOfLogin } from './token.ts'

const TABLE = '5 table all other routes'
const needs: readonly Need[] = ['protected']
const withBearer = (path: string, bearer: Bearer) => get(path, { bearer })

export const ownRouteCases = [
  must('protected-with-token', ['5.3.4', TABLE], 'The given route accepts a valid token', {
    needs,
    requests: ({ path, token }) => [get(path, { bearer: token })],
    expect: no401
  }),
  must('protected-display-name', '5.6', 'A screen that the given route returns has the display name of the user', {
    needs,
    requests: ({ path, token }) => [get(path, { bearer: token })],
    expect: all(namedScreen, nameOfLogin('login'))
  }),
  must('protected-without-token', [TABLE, '4 all other routes'], 'The given route needs a token', {
    needs,
    requests: ({ path, random }) => [
      ...['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].map(method => send(method, path)),
      get(path, { bearer: random }),
      get(path, { bearer: { token: 'end changed' } })
    ],
    expect: unauthorizedOr(501)
  }),
  must(
    'protected-options',
    [TABLE, '4 all other routes'],
    'OPTIONS on the given route needs a token, unless the server responds with CORS headers',
    {
      needs,
      requests: ({ path }) => [send('OPTIONS', path)],
      expect: unauthorizedOrCors
    }
  ),
  must('protected-upgrade', [TABLE, '4 all other routes'], 'A WebSocket request to the given route needs a token', {
    needs,
    requests: ({ path }) => [upgrade(path)],
    expect: unauthorizedOr(501)
  }),
  must('protected-token-elsewhere', ['5.1', '5.3.1'], 'The given route accepts a token only in Authorization: Bearer', {
    needs,
    requests: ({ path, token, cookies, username, password }) => [
      ...[['token', 'access_token', 'session', 'sid', 'jwt'].map(name => `${name}=${token}`).join('; '), cookies].map(
        Cookie => get(path, { headers: { Cookie } })
      ),
      get(`${path}${path.includes('?') ? '&' : '?'}token=${encode(token)}&access_token=${encode(token)}`),
      ...[token, `Basic ${base64(`${username}:${password}`)}`].map(Authorization =>
        get(path, { headers: { Authorization } })
      )
    ],
    expect: unauthorizedOr(400, 413, 414, 431)
  }),
  must('protected-with-forged-token', ['5.3.2', TABLE, '7 invalid token'], 'The given route rejects a forged JWT', {
    needs: ['jwt', ...needs],
    requests: ({ path, random }) => [
      withBearer(path, { jwt: { signature: 'kept', claims: { sub: random } } }),
      withBearer(path, { jwt: { signature: 'other key', header: { alg: 'HS256' } } }),
      withBearer(path, { jwt: { signature: 'empty', header: { alg: 'none' } } })
    ],
    expect: unauthorized
  }),
  must('protected-with-expired-jwt', ['5.3.2', TABLE], 'The given route rejects an expired JWT', {
    needs: ['jwt', 'key', ...needs],
    requests: ({ path }) => [withBearer(path, { jwt: { signature: 'right key', claims: { iat: 1, exp: 7200 } } })],
    expect: unauthorized
  }),
  must('protected-with-expired-token', ['7 invalid token', TABLE], 'The given route rejects the expired token', {
    needs: ['expired token', ...needs],
    requests: ({ path, expiredToken }) => [get(path, { bearer: expiredToken })],
    expect: unauthorized
  }),
  hardened(
    'protected-spellings',
    '4 all other routes',
    'Another spelling of the given route does not bypass the guard',
    {
      needs,
      requests: ({ path }) => ['/', '.json', '%20', ';x', '%00', '.css', '?x=/auth/login'].map(end => get(path + end)),
      expect: noSuccess
    }
  )
]
