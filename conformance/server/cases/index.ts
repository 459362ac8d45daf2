import type { CaseRequest, ServerCase } from '../server-case.ts'
import type { Values } from '../values.ts'
import { connectionCases } from './connection.ts'
import { get, menu } from './define.ts'
import { formCases } from './form.ts'
import { guardCases, menuWithoutToken } from './guard.ts'
import { jwtCases, jwtExchanges } from './jwt.ts'
import { loginCases, loginExchanges } from './login.ts'
import { noAuthCases } from './no-auth.ts'
import { ownRouteCases } from './own-route.ts'
import { rejectedCases, rejectedExchanges } from './rejected.ts'
import { secondUserCases, secondUserExchanges } from './second-user.ts'
import { tokenCases } from './token.ts'

/** The cases for servers, in order. Cases with a wrong password run late, because they may lead to a lockout. */
export const serverCases: readonly ServerCase[] = [
  menuWithoutToken,
  ...formCases,
  ...loginCases,
  ...tokenCases,
  ...connectionCases,
  ...secondUserCases,
  ...guardCases,
  ...ownRouteCases,
  ...jwtCases,
  ...rejectedCases,
  ...noAuthCases
]

/** Named requests that several cases share. A run sends each request once. */
export const exchanges: Record<string, (values: Values) => CaseRequest> = {
  'menu without token': () => menu(),
  form: () => get('/auth/login'),
  menu: ({ token }) => menu({ bearer: token }),
  ...loginExchanges,
  ...jwtExchanges,
  ...rejectedExchanges,
  ...secondUserExchanges
}
