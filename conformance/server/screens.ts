import { all, at, member, that } from './checks.ts'
import { isObject, isText } from './json.ts'
import type { Check } from './server-case.ts'
import { isSuccess } from './statuses.ts'

export const jsonObject = that('a JSON object, in UTF-8 without a byte order mark', ({ body }) => isObject(body))
export const jsonMediaType = that('Content-Type: application/json', ({ headers }) =>
  /^[Aa]pplication\/([\w.+-]+\+)?json[ \t]*(;|$)/.test(headers['content-type'] ?? '')
)

const SCREEN_MEMBERS = ['layout', 'menu', 'screen', 'sections', 'user_display_name']
export const noScreen = that(
  'no screen in the body',
  ({ body }) => !(isObject(body) && SCREEN_MEMBERS.some(name => body[name] != null))
)

const withLayout = (words: string, test: (layout: unknown) => boolean) => all(jsonObject, member('layout', words, test))
export const screen = withLayout('as a string', layout => typeof layout === 'string')
export const card = withLayout('"Card"', layout => layout === 'Card')

export const noLoginForm = that(
  'a body that is not the login form',
  ({ body }) => !(isObject(body) && body.layout === 'Card' && typeof body.auth_action === 'string')
)

/** Requires a display name in a valid screen. Passes every other response. */
export const namedScreen: Check = (response, values) =>
  isSuccess(response.status) && screen(response, values) === undefined
    ? member('user_display_name', 'with the name of the user', isText)(response, values)
    : undefined

export const nameOfLogin = that('the user_display_name of the login', (response, values) => {
  const name = at(values.responseTo('login'), 'screen.user_display_name')
  return name === undefined || screen(response, values) !== undefined || at(response, 'user_display_name') === name
})
