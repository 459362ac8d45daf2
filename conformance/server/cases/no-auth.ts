import { jsonObject, no401, noLoginForm, noLoginFormOrRedirect, screen, success } from '../expectations.ts'
import { authorized, get, login, menu, menuWith, must, observed, send, should, upgrade } from './define.ts'

const mode = 'no-auth' as const
const METHODS = ['HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

export const noAuthCases = [
  must('open-menu', ['5.7', '1', 'SVC_AUTH'], 'GET /menu/main needs no token', {
    mode,
    requests: menu(),
    expect: success
  }),
  must('open-menu-is-json', '1', 'The main menu is a JSON object', { mode, requests: menu(), expect: jsonObject }),
  should('open-menu-is-screen', '1', 'The main menu is a screen', { mode, requests: menu(), expect: screen }),
  must('open-menu-is-no-login', ['5.7', '1'], 'The main menu is not a login form', {
    mode,
    requests: menu(),
    expect: noLoginForm
  }),
  must('open-menu-with-stale-token', '5.7', 'GET /menu/main ignores old and invalid tokens', {
    mode,
    requests: ({ random }) => [
      ...[random, 'eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjF9.AAAA'].map(menuWith),
      ...['Bearer', 'Basic e30='].map(authorized),
      menu({ headers: { Accept: 'text/html' } })
    ],
    expect: success
  }),
  must('open-unknown', '5.7', 'No route or method responds with 401', {
    mode,
    requests: ({ random }) => [
      ...['/', `/${random}`, `/menu/${random}`, `/auth/${random}`, '/auth/login'].map(path => get(path)),
      ...METHODS.flatMap(method => [`/${random}`, '/menu/main'].map(path => send(method, path))),
      ...METHODS.filter(method => method !== 'POST').map(method => send(method, '/auth/login')),
      get(`/${random}`, { bearer: random }),
      get(`/${random}`, { headers: { Accept: 'text/html' } }),
      upgrade('/ws')
    ],
    expect: no401
  }),
  must('open-unknown-is-no-login', ['5.7', '1'], 'An unknown route returns no login form and no redirect to it', {
    mode,
    requests: ({ random }) => ['/', `/${random}`].map(path => get(path)),
    expect: noLoginFormOrRedirect
  }),
  must('open-protected', '5.7', 'The given route needs no token', {
    mode,
    needs: ['protected'],
    requests: ({ path, random }) => [
      ...['GET', ...METHODS].map(method => send(method, path)),
      get(path, { bearer: random })
    ],
    expect: no401
  }),
  observed('open-login-status', '5.7', 'The status of GET and POST /auth/login', {
    mode,
    requests: ({ random }) => [get('/auth/login'), login({ username: random, password: random })],
    observe: ({ status }) => status
  })
]
