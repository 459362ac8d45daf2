// Several requests on one connection: the token of one request must not authenticate the next.
import { success, unauthorized } from '../expectations.ts'
import type { CaseRequest } from '../server-case.ts'
import type { Values } from '../values.ts'
import { get, hardened, JSON_TYPE, menu, menuWith, must, rightLogin, send } from './define.ts'

const CLAUSES = ['7 missing token', '4 all other routes']
const brokenLogin = () => send('POST', '/auth/login', { headers: JSON_TYPE, body: '{"fields":{"username":"' })
const rejectedBody = ({ random, base }: Values) =>
  send('POST', `/${random}`, {
    headers: { 'Content-Type': 'text/plain' },
    body: `GET ${base}/auth/login HTTP/1.1\r\nHost: localhost\r\n\r\n`
  })

/** Sends two requests, and judges the response to the second request. */
const secondOf = (
  connection: 'kept alive' | 'pipelined',
  first: (values: Values) => CaseRequest,
  second = () => menu()
) => ({
  connection,
  judged: 'last' as const,
  requests: (values: Values) => [first(values), second()],
  expect: unauthorized
})

export const connectionCases = [
  must(
    'connection-keeps-token',
    ['5.3.4', '5.1'],
    'The server accepts a valid token on every request of a connection',
    {
      connection: 'kept alive',
      requests: ({ token }) => [menuWith(token), menuWith(token), menuWith(token)],
      expect: success
    }
  ),
  must(
    'connection-after-token',
    ['5.3.1', ...CLAUSES],
    'A request without a token gets a 401 even after a request with a token on its connection',
    secondOf('kept alive', ({ token }) => menuWith(token))
  ),
  must(
    'connection-after-token-invalid',
    ['5.3.2', '7 invalid token'],
    'An invalid token gets a 401 even after a valid token on its connection',
    {
      ...secondOf('kept alive', ({ token }) => menuWith(token)),
      requests: ({ token, random }) => [menuWith(token), menuWith(random)]
    }
  ),
  must(
    'connection-after-login',
    ['5.3.1', ...CLAUSES],
    'A request without a token gets a 401 even after a login on its connection',
    secondOf('kept alive', rightLogin)
  ),
  hardened(
    'pipelined-after-token',
    ['5.3.1', ...CLAUSES],
    'A request without a token gets a 401 even if it is pipelined after a request with a token',
    secondOf('pipelined', ({ token }) => menuWith(token))
  ),
  hardened(
    'connection-after-broken-login',
    ['5.3.3', ...CLAUSES],
    'A request without a token gets a 401 even after a malformed login on its connection',
    secondOf('kept alive', brokenLogin)
  ),
  hardened(
    'connection-after-refused-body',
    ['5.3.3', ...CLAUSES],
    'The server does not read the body of a refused request as the next request',
    secondOf('kept alive', rejectedBody)
  ),
  hardened(
    'form-after-refused-body',
    ['5.2', '4 GET /auth/login'],
    'The login form stays public after the server rejects a large request on the connection',
    {
      ...secondOf(
        'kept alive',
        ({ long }) => send('POST', '/menu/main', { json: { changes: { text: long.repeat(5) } } }),
        () => get('/auth/login')
      ),
      expect: success
    }
  )
]
