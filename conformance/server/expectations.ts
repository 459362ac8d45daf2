import type { Check, JudgedResponse } from './server-case.ts'

/** Returns the value at a path of the body, for example `screen.layout`; undefined also where there is no response. */
export function at(response: JudgedResponse | undefined, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => Object(value)[key], response?.body)
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
export const isText = (value: unknown): value is string => typeof value === 'string' && /[^ \t\r\n]/.test(value)
export const isToken = (value: unknown): value is string => typeof value === 'string' && value !== ''
export const isSuccess = (status = 0) => status >= 200 && status <= 299

/** Every one of the checks; the first that does not hold says what was expected. */
export const all =
  (...checks: Check[]): Check =>
  (response, values) => {
    for (const check of checks) {
      const expected = check(response, values)
      if (expected !== undefined) return expected
    }
    return undefined
  }

/** One of the checks. */
export const either =
  (...checks: Check[]): Check =>
  (response, values) => {
    const expected = checks.map(check => check(response, values))
    return expected.includes(undefined) ? undefined : expected.join(', or ')
  }

/** A test with words for what it expects. */
export const that =
  (words: string, test: (response: JudgedResponse) => boolean): Check =>
  response =>
    test(response) ? undefined : words

/** A test of the value at a path of the body. */
export const member =
  (path: string, words: string, test: (value: unknown) => boolean): Check =>
  response => {
    const value = at(response, path)
    if (test(value)) return undefined
    return `${path} ${words}${value === undefined ? ', which is missing' : ''}`
  }

export const status = (...allowed: number[]): Check =>
  that(`status ${allowed.join(' or ')}`, ({ status }) => allowed.includes(status))

export const success = that('a status from 200 to 299', ({ status }) => isSuccess(status))
export const noSuccess = that('a status that is no success', ({ status }) => !isSuccess(status))
export const no401 = that('another status than 401', ({ status }) => status !== 401)
export const noServerError = that('a status below 500', ({ status }) => status < 500)

export const jsonObject = that('a JSON object, in UTF-8 without a byte order mark', ({ body }) => isObject(body))
export const noJsonObject = that('no JSON object', ({ body }) => !isObject(body))
export const jsonMediaType = that('Content-Type: application/json', ({ headers }) =>
  /^[Aa]pplication\/([\w.+-]+\+)?json[ \t]*(;|$)/.test(headers['content-type'] ?? '')
)
export const html = that('a page of HTML', ({ headers }) => /^text\/html(;|$)/.test(headers['content-type'] ?? ''))

const SCREEN_MEMBERS = ['layout', 'menu', 'screen', 'sections', 'user_display_name']
const isEmpty = (value: unknown) => !value || (typeof value === 'object' && Object.keys(value).length === 0)

/** A 401 must not bring the menu with it, neither as JSON nor as text. */
const noMenu = that('no menu in the body', ({ body, text }) => {
  const menu = Object(body).menu
  const isFilled = isObject(menu) && !Object.values(menu).every(isEmpty)
  return !isFilled && !/"layout"\s*:\s*"Menu"/.test(text)
})
export const noScreen = that(
  'no screen in the body',
  ({ body }) => !(isObject(body) && SCREEN_MEMBERS.some(name => Object.hasOwn(body, name)))
)
export const noMenuScreen = all(noScreen, noMenu)

export const unauthorized = all(status(401), noMenu)
/** What HTTP itself refuses, an unknown method or too long a header for example, never reaches the guard. */
export const unauthorizedOr = (...others: number[]): Check =>
  all(
    that('status 401', ({ status }) => [401, ...others].includes(status)),
    noMenu
  )

const corsHeader = that('a header of CORS', ({ headers }) =>
  ['access-control-allow-origin', 'access-control-allow-methods'].some(name => headers[name] !== undefined)
)
export const unauthorizedOrCors = either(unauthorized, all(noScreen, either(status(501), corsHeader)))

export const challenge = that('WWW-Authenticate: Bearer', ({ headers }) =>
  /\b[Bb]earer\b/.test(headers['www-authenticate'] ?? '')
)

export const screen = all(
  jsonObject,
  member('layout', 'as a string', value => typeof value === 'string')
)
export const noLoginForm = that(
  'something else than the login form',
  ({ body }) => !(isObject(body) && body.layout === 'Card' && typeof body.auth_action === 'string')
)
export const noWayToLogin = all(
  noLoginForm,
  that('no redirect to the login', ({ headers }) => !/\/auth\/login([?#]|$)/.test(headers.location ?? ''))
)
export const card = all(
  jsonObject,
  member('layout', '"Card"', value => value === 'Card')
)

export const hasToken = that('a token', response => isToken(at(response, 'token')))
export const hasScreen = that('a screen', response => isObject(at(response, 'screen')))
export const accepted = all(
  success,
  member('success', 'true', value => value === true),
  member('token', 'as a string', isToken)
)
export const noToken = that(
  'no token, and success not true',
  response => at(response, 'success') !== true && !isToken(at(response, 'token'))
)
export const rejection = all(
  jsonObject,
  member('success', 'false', value => value === false),
  member('token', 'null', value => value === null),
  member('error', 'as a message', isText),
  member('screen', 'null', value => value === null)
)

/** A screen must have the name of its user; anything else need not. */
export const namedScreen: Check = (response, values) =>
  isSuccess(response.status) && screen(response, values) === undefined
    ? member('user_display_name', 'with the name of the user', isText)(response, values)
    : undefined
