// Several requests on one connection: what one of them had must not stand for the next.
import { success, unauthorized } from '../expectations.ts'
import type { CaseRequest } from '../server-case.ts'
import type { Values } from '../values.ts'
import { get, hardened, JSON_TYPE, menu, menuWith, must, rightLogin, send } from './define.ts'

const CLAUSES = ['7 missing token', '4 all other routes']
const brokenLogin = () => send('POST', '/auth/login', { headers: JSON_TYPE, body: '{"fields":{"username":"' })
const refusedBody = ({ random, base }: Values) =>
  send('POST', `/${random}`, {
    headers: { 'Content-Type': 'text/plain' },
    body: `GET ${base}/auth/login HTTP/1.1\r\nHost: localhost\r\n\r\n`
  })

/** The second of two requests is judged. */
const afterwards = (
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
  must('connection-keeps-token', ['5.3.4', '5.1'], 'A valid token is let through for each request of a connection', {
    connection: 'kept alive',
    requests: ({ token }) => [menuWith(token), menuWith(token), menuWith(token)],
    expect: success
  }),
  must(
    'connection-after-token',
    ['5.3.1', ...CLAUSES],
    'A request without a token gets a 401 also on the connection of one that had a token',
    afterwards('kept alive', ({ token }) => menuWith(token))
  ),
  must(
    'connection-after-token-invalid',
    ['5.3.2', '7 invalid token'],
    'An invalid token gets a 401 also on the connection of one that was valid',
    {
      ...afterwards('kept alive', ({ token }) => menuWith(token)),
      requests: ({ token, random }) => [menuWith(token), menuWith(random)]
    }
  ),
  must(
    'connection-after-login',
    ['5.3.1', ...CLAUSES],
    'A request without a token gets a 401 also on the connection of the login',
    afterwards('kept alive', rightLogin)
  ),
  hardened(
    'pipelined-after-token',
    ['5.3.1', ...CLAUSES],
    'A request without a token gets a 401 also when it is sent right behind one that has it',
    afterwards('pipelined', ({ token }) => menuWith(token))
  ),
  hardened(
    'connection-after-broken-login',
    ['5.3.3', ...CLAUSES],
    'A request without a token gets a 401 also on the connection of a login that was refused',
    afterwards('kept alive', brokenLogin)
  ),
  hardened(
    'connection-after-refused-body',
    ['5.3.3', ...CLAUSES],
    'The body of a refused request is not taken for the next request',
    afterwards('kept alive', refusedBody)
  ),
  hardened(
    'form-after-refused-body',
    ['5.2', '4 GET /auth/login'],
    'The login form is public also on the connection of a request that was refused with its body',
    {
      ...afterwards(
        'kept alive',
        ({ long }) => send('POST', '/menu/main', { json: { changes: { text: long.repeat(5) } } }),
        () => get('/auth/login')
      ),
      expect: success
    }
  )
]
