// Two users: a name, a menu and a token belong to their user.
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
    'The credentials of a second user are accepted while the first is logged in',
    {
      needs,
      requests: [FIRST, SECOND],
      expect: accepted
    }
  ),
  must('second-token', '5.4', 'The second user gets another token', {
    needs,
    requests: SECOND,
    given: hasToken,
    expect: (response, values) =>
      at(response, 'token') === values.tokenOf(FIRST) ? 'another token than that of the first user' : undefined
  }),
  must('second-token-admits', '5.3.4', 'The token of the second user is let through', {
    needs,
    requests: menuOf(SECOND),
    expect: success
  }),
  must('second-leaves-first', '5.3.4', 'The token of the first user is valid also after the login of a second', {
    needs,
    requests: menuOf(FIRST),
    expect: success
  }),
  must(
    'second-display-name',
    NAME,
    'The display name belongs to the token: the menu of the first user has the name of the first',
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
  must('second-display-name-at-once', NAME, 'The menu has the name of its user also while another menu is on its way', {
    needs,
    connection: 'side by side',
    judged: 'first',
    requests: values => [...menuOf(FIRST)(values), ...menuOf(SECOND)(values)],
    given: screen,
    expect: nameOfLogin(FIRST)
  }),
  must(
    'second-menu',
    ['5.6', '2.2 screen'],
    'The menu belongs to the token: the first user does not get that of the second',
    {
      needs,
      requests: menuOf(FIRST),
      given: screen,
      expect: ownMenu
    }
  ),
  should('second-name', '5.6', 'Two users have two display names', {
    needs,
    requests: SECOND,
    given: hasScreen,
    expect: (response, values) =>
      firstName(response, values) === undefined ? 'another name than that of the first user' : undefined
  }),
  must(
    'protected-second-display-name',
    '5.6',
    'A screen of the given route has the display name of the user of its token',
    {
      needs: ['second user', 'protected'],
      requests: values => [get(values.path, { bearer: values.tokenOf(FIRST) })],
      expect: nameOfLogin(FIRST)
    }
  )
]
