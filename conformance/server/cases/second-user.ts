// Logins of two users. Each token must get the name and the menu of its own user.
import { isDeepStrictEqual } from 'node:util'
import { all, at, ifPlain, member, that } from '../checks.ts'
import { isText } from '../json.ts'
import { screen } from '../screens.ts'
import type { Check } from '../server-case.ts'
import { success } from '../statuses.ts'
import type { Values } from '../values.ts'
import { cases, expecting, needs } from './define.ts'
import { accepted, hasToken } from './login.ts'
import { get, login, menuWith, rightLogin } from './requests.ts'

const SECOND_USER = `
  second-login MUST 4 POST /auth/login: The server accepts a second user while the first user is logged in
  second-token MUST 5.4: The second user gets a different token than the first user
  second-token-admits MUST 5.3.4: The server accepts the token of the second user
  second-leaves-first MUST 5.3.4: The token of the first user stays valid after the second user logs in
  second-display-name MUST 5.6, 2.3 user_display_name:
    The menu of the first user has the name of the first user, even after the second login
  second-display-name-later MUST 5.6, 2.3 user_display_name: The menu of the second user has the name of the second user
  second-display-name-at-once MUST 5.6, 2.3 user_display_name:
    The menu has the name of its user, even if another user requests it at the same time
  second-menu MUST 5.6, 2.2 screen: The first user does not get the menu of the second user
  protected-second-display-name MUST 5.6: A screen of the given route has the name of the user of the token
`

const FIRST = 'session of the first user'
const SECOND = 'session of the second user'
const menuOf = (name: string) => (values: Values) => [menuWith(values.tokenOf(name))]
const secondLogin = ({ secondUsername, secondPassword }: Values) =>
  login({ username: secondUsername, password: secondPassword }, { login: 'second' })

const partOf = (values: Values, name: string, path: string) => at(values.responseTo(name), `screen.${path}`)
const names = (values: Values) => [FIRST, SECOND].map(name => partOf(values, name, 'user_display_name'))
const claimedNames = (values: Values) =>
  [FIRST, SECOND].map(name => Object(values.responseTo(name)?.jwt?.claims).display_name)
const areDifferent = ([one, other]: unknown[]) => one !== other
/** If the screens of both users have the same name, the names in their JWTs say whether the names are mixed up. */
const ownNames = (values: Values) =>
  !areDifferent(names(values)) && claimedNames(values).every(isText) ? claimedNames(values) : names(values)

const twoNames = that(
  values => {
    const [name] = names(values)
    return name === undefined
      ? 'a user_display_name in the screen of the login'
      : `two users with different names, but both have the name ${JSON.stringify(name)}`
  },
  (_, values) => areDifferent(ownNames(values))
)
const ownName =
  (user: 0 | 1): Check =>
  (response, values) => {
    const own = ownNames(values)[user]
    const isOwn = member('user_display_name', JSON.stringify(own), name => name === own)
    return screen(response, values) === undefined ? isOwn(response, values) : undefined
  }

const isMenuOf = (name: string, menu: unknown, values: Values) =>
  menu !== undefined && isDeepStrictEqual(menu, partOf(values, name, 'menu'))
const twoMenus = all(
  that('a menu in the screen of the login', (_, values) => partOf(values, FIRST, 'menu') !== undefined),
  that(
    'two users with different menus, but both have the same menu',
    (_, values) => !isMenuOf(SECOND, partOf(values, FIRST, 'menu'), values)
  ),
  that('a menu that stays as it was at the login', (response, values) =>
    [FIRST, SECOND].some(name => isMenuOf(name, at(response, 'menu'), values))
  )
)

export const secondUserCases = cases('second user', SECOND_USER, {
  ...needs(['second user'], {
    'second-login': { given: ifPlain('login', accepted), ...expecting(accepted, [FIRST, SECOND]) },
    'second-token': {
      requests: SECOND,
      given: hasToken,
      expect: that(
        'a token other than that of the first user',
        (response, values) => at(response, 'token') !== values.tokenOf(FIRST)
      )
    },
    'second-token-admits': expecting(success, menuOf(SECOND)),
    'second-leaves-first': expecting(success, menuOf(FIRST)),
    'second-display-name': { requests: menuOf(FIRST), given: all(screen, twoNames), expect: ownName(0) },
    'second-display-name-later': { requests: menuOf(SECOND), given: all(screen, twoNames), expect: ownName(1) },
    'second-display-name-at-once': {
      connection: 'side by side',
      judged: 'first',
      requests: values => [...menuOf(FIRST)(values), ...menuOf(SECOND)(values)],
      given: all(screen, twoNames),
      expect: ownName(0)
    },
    'second-menu': {
      requests: menuOf(FIRST),
      given: all(screen, twoMenus),
      expect: that('the menu of the first user', (response, values) => !isMenuOf(SECOND, at(response, 'menu'), values))
    }
  }),
  'protected-second-display-name': {
    needs: ['second user', 'protected'],
    given: twoNames,
    ...expecting(ownName(0), values => [get(values.path, { bearer: values.tokenOf(FIRST) })])
  }
})

export const secondUserExchanges = {
  'login of the second user': secondLogin,
  [FIRST]: (values: Values) => rightLogin(values),
  [SECOND]: secondLogin
}
