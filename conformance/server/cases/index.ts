import type { CaseRequest, ServerCase } from '../server-case.ts'
import type { Values } from '../values.ts'
import { formCases, noAuthCases } from './form.ts'
import { guardCases, ownRouteCases } from './guard.ts'
import { loginCases, loginExchanges, rejectedCases } from './login.ts'
import { get, menu } from './requests.ts'
import { secondUserCases, secondUserExchanges } from './second-user.ts'
import { connectionCases, jwtCases, tokenCases, tokenExchanges } from './token.ts'

/** The cases for servers, in order. Cases with a wrong password run late, because they may lead to a lockout. */
export const serverCases: readonly ServerCase[] = [
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
  ...loginExchanges,
  ...secondUserExchanges,
  ...tokenExchanges
}
