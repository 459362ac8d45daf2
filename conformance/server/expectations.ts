import { isObject, isText } from './json.ts'
import type { Check } from './server-case.ts'
import type { JudgedResponse, Values } from './values.ts'

/** Returns the value at a path of the body (`screen.layout`); undefined if the value or the response is missing. */
function valueAt(response: JudgedResponse | undefined, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => Object(value)[key], response?.body)
}

/** Returns the value at a path of the body. Null counts as missing, because servers send it for what a screen lacks. */
export function at(response: JudgedResponse | undefined, path: string): unknown {
  return valueAt(response, path) ?? undefined
}

export const isSuccess = (status = 0) => status >= 200 && status <= 299

/** Returns a check that requires all given checks, and returns the first expectation that is not met. */
export const all =
  (...checks: Check[]): Check =>
  (response, values) => {
    for (const check of checks) {
      const unmet = check(response, values)
      if (unmet !== undefined) return unmet
    }
    return undefined
  }

/** Returns a check that requires at least one of the given checks. */
export const either =
  (...checks: Check[]): Check =>
  (response, values) => {
    const unmet = checks.flatMap(check => check(response, values) ?? [])
    return unmet.length < checks.length ? undefined : { words: unmet.map(({ words }) => words).join(', or ') }
  }

/** Requires that the response to a named exchange passes a check, so that one fault does not fail every variation. */
export const ifPlain =
  (name: string, check: Check): Check =>
  (_, values) => {
    const response = values.responseTo(name)
    return response && check(response, values)
  }

/** Returns a check that passes if `test` returns true. Otherwise the report shows `words` as the expectation. */
export const that =
  (words: string | ((values: Values) => string), test: (response: JudgedResponse, values: Values) => boolean): Check =>
  (response, values) =>
    test(response, values) ? undefined : { words: typeof words === 'string' ? words : words(values) }

const valueThat =
  (
    what: string,
    words: string,
    valueIn: (response: JudgedResponse) => unknown,
    test: (value: unknown) => boolean
  ): Check =>
  response => {
    const value = valueIn(response)
    if (test(value)) return undefined
    if (value !== undefined) return { words: `${what} ${words}` }
    return { words: `${what} ${words} (it is missing)`, missing: what.slice(what.search(/\w+$/)) }
  }

/** Returns a check for the value at a path of the body. */
export const member = (path: string, words: string, test: (value: unknown) => boolean): Check =>
  valueThat(path, words, response => valueAt(response, path), test)

/** Returns a check for a claim of the token in a response. */
export const claim = (name: string, words: string, test: (value: unknown) => boolean): Check =>
  valueThat(`the claim ${name}`, words, ({ jwt }) => jwt?.claims[name], test)

export const status = (...allowed: number[]): Check =>
  that(`status ${allowed.join(' or ')}`, ({ status }) => allowed.includes(status))

export const success = that('a status from 200 to 299', ({ status }) => isSuccess(status))
export const noSuccess = that('a status outside of 200 to 299', ({ status }) => !isSuccess(status))
export const no401 = that('a status other than 401', ({ status }) => status !== 401)
export const noServerError = that('a status below 500', ({ status }) => status < 500)

export const jsonObject = that('a JSON object, in UTF-8 without a byte order mark', ({ body }) => isObject(body))
export const jsonMediaType = that('Content-Type: application/json', ({ headers }) =>
  /^[Aa]pplication\/([\w.+-]+\+)?json[ \t]*(;|$)/.test(headers['content-type'] ?? '')
)

const SCREEN_MEMBERS = ['layout', 'menu', 'screen', 'sections', 'user_display_name']
const isEmpty = (value: unknown) => !value || (typeof value === 'object' && Object.keys(value).length === 0)

/** Rejects a body that contains the menu, as JSON or as text. A 401 must not return it. */
const noMenu = that('no menu in the body', ({ body, text }) => {
  const menu = Object(body).menu
  const isFilled = isObject(menu) && !Object.values(menu).every(isEmpty)
  return !isFilled && !/"layout"\s*:\s*"Menu"/.test(text)
})
export const noScreen = that(
  'no screen in the body',
  ({ body }) => !(isObject(body) && SCREEN_MEMBERS.some(name => body[name] != null))
)
export const noMenuScreen = all(noScreen, noMenu)

export const unauthorized = all(status(401), noMenu)
/** Allows further statuses: an HTTP server rejects some requests before the guard, for example an unknown method. */
export const unauthorizedOr = (...others: number[]): Check =>
  all(
    that('status 401', ({ status }) => [401, ...others].includes(status)),
    noMenu
  )

export const challenge = that('WWW-Authenticate: Bearer', ({ headers }) =>
  /\b[Bb]earer\b/.test(headers['www-authenticate'] ?? '')
)

export const screen = all(
  jsonObject,
  member('layout', 'as a string', value => typeof value === 'string')
)
export const noLoginForm = that(
  'a body that is not the login form',
  ({ body }) => !(isObject(body) && body.layout === 'Card' && typeof body.auth_action === 'string')
)
export const card = all(
  jsonObject,
  member('layout', '"Card"', value => value === 'Card')
)

/** Requires a display name in a valid screen. Passes every other response. */
export const namedScreen: Check = (response, values) =>
  isSuccess(response.status) && screen(response, values) === undefined
    ? member('user_display_name', 'with the name of the user', isText)(response, values)
    : undefined

/** Requires, in a valid screen, the display name of the login, if the login had one. */
export const nameOfLogin = that('the user_display_name of the login', (response, values) => {
  const name = at(values.responseTo('login'), 'screen.user_display_name')
  return name === undefined || screen(response, values) !== undefined || at(response, 'user_display_name') === name
})
