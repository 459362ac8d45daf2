// Two users: each user gets their own name, menu and token.
import { isDeepStrictEqual } from 'node:util'
import { accepted, at, hasScreen, hasToken, screen, success } from '../expectations.ts'
import type { Check, Need } from '../server-case.ts'
import type { Values } from '../values.ts'
import { get, login, menuWith, must, rightLogin, should } from './define.ts'
import { nameOfLogin } from './token.ts'

const FIRST = 'session of the first user'
const SECOND = 'session of the second user'
const NAME = ['5.6', '2.3 user_display_name']
const needs: readonly Need[] = ['second user']
const menuOf = (name: string) => (values: Values) => [menuWith(values.tokenOf(name))]
const second = ({ secondUsername, secondPassword }: Values) =>
  login({ username: secondUsername, password: secondPassword }, { login: 'second' })

export const secondUserExchanges = {
  'login of the second user': second,
  [FIRST]: (values: Values) => rightLogin(values),
  [SECOND]: second
}

const partOf = (values: Values, name: string, path: string) => at(values.responseTo(name), `screen.${path}`)
const ownMenu: Check = (response, values) => {
  const menu = at(response, 'menu')
  const isOfSecond = isDeepStrictEqual(menu, partOf(values, SECOND, 'menu'))
  return !isOfSecond || isDeepStrictEqual(menu, partOf(values, FIRST, 'menu'))
    ? undefined
    : 'the menu of the first user'
}
const firstName: Check = (response, values) =>
  at(response, 'screen.user_display_name') === partOf(values, FIRST, 'user_display_name')
    ? undefined
    : 'screen.user_display_name of the first user'

export const secondUserCases = [
  must(
    'second-login',
    '4 POST /auth/login',
    'The server accepts the credentials of a second user while the first user is logged in',
    {
      needs,
      requests: [FIRST, SECOND],
      expect: accepted
    }
  ),
  must('second-token', '5.4', 'The second user gets a different token than the first user', {
    needs,
    requests: SECOND,
    given: hasToken,
    expect: (response, values) =>
      at(response, 'token') === values.tokenOf(FIRST) ? 'a token other than that of the first user' : undefined
  }),
  must('second-token-admits', '5.3.4', 'The server accepts the token of the second user', {
    needs,
    requests: menuOf(SECOND),
    expect: success
  }),
  must('second-leaves-first', '5.3.4', 'The token of the first user stays valid after the second user logs in', {
    needs,
    requests: menuOf(FIRST),
    expect: success
  }),
  must(
    'second-display-name',
    NAME,
    'The menu of the first user has the name of the first user, even after the second login',
    {
      needs,
      requests: menuOf(FIRST),
      given: screen,
      expect: nameOfLogin(FIRST)
    }
  ),
  must('second-display-name-later', NAME, 'The menu of the second user has the name of the second user', {
    needs,
    requests: menuOf(SECOND),
    given: screen,
    expect: nameOfLogin(SECOND)
  }),
  must(
    'second-display-name-at-once',
    NAME,
    'The menu has the name of its user, even if another user requests it at the same time',
    {
      needs,
      connection: 'side by side',
      judged: 'first',
      requests: values => [...menuOf(FIRST)(values), ...menuOf(SECOND)(values)],
      given: screen,
      expect: nameOfLogin(FIRST)
    }
  ),
  must('second-menu', ['5.6', '2.2 screen'], 'The first user does not get the menu of the second user', {
    needs,
    requests: menuOf(FIRST),
    given: screen,
    expect: ownMenu
  }),
  should('second-name', '5.6', 'Two users have different display names', {
    needs,
    requests: SECOND,
    given: hasScreen,
    expect: (response, values) =>
      firstName(response, values) === undefined ? 'a name other than that of the first user' : undefined
  }),
  must(
    'protected-second-display-name',
    '5.6',
    'A screen that the given route returns has the display name of the user of the token',
    {
      needs: ['second user', 'protected'],
      requests: values => [get(values.path, { bearer: values.tokenOf(FIRST) })],
      expect: nameOfLogin(FIRST)
    }
  )
]
