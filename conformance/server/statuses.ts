import { all, that } from './checks.ts'
import { isObject } from './json.ts'
import type { Check } from './server-case.ts'

export const isSuccess = (status = 0) => status >= 200 && status <= 299

export const status = (...allowed: number[]): Check =>
  that(`status ${allowed.join(' or ')}`, ({ status }) => allowed.includes(status))

export const success = that('a status from 200 to 299', ({ status }) => isSuccess(status))
export const noSuccess = that('a status outside of 200 to 299', ({ status }) => !isSuccess(status))
export const no401 = that('a status other than 401', ({ status }) => status !== 401)
export const noServerError = that('a status below 500', ({ status }) => status < 500)

const isEmpty = (value: unknown) => !value || (typeof value === 'object' && Object.keys(value).length === 0)

/** Rejects a body that contains the menu, as JSON or as text. A 401 must not return it. */
export const noMenu = that('no menu in the body', ({ body, text }) => {
  const menu = Object(body).menu
  const isFilled = isObject(menu) && !Object.values(menu).every(isEmpty)
  return !isFilled && !/"layout"\s*:\s*"Menu"/.test(text)
})

/** Allows further statuses: an HTTP server rejects some requests before the guard, for example an unknown method. */
export const unauthorizedOr = (...others: number[]): Check =>
  all(
    that('status 401', ({ status }) => [401, ...others].includes(status)),
    noMenu
  )
export const unauthorized = unauthorizedOr()

export const challenge = that('WWW-Authenticate: Bearer', ({ headers }) =>
  /\b[Bb]earer\b/.test(headers['www-authenticate'] ?? '')
)
