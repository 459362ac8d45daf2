import type { FastifyRequest } from 'fastify'
import type { ScreenContract, Section } from '../../schemas/index.ts'
import { checkFunction, checkOption, isFunction, type ScreenUser } from '../shared/index.ts'
import { createTextOf, type SayMessage, type TextOf } from './messages.ts'

/**
 * The values that the person entered, unchanged. `username` and `password` are never empty. Declare a field that
 * `loginForm` adds as optional, because a client may omit it:
 * `({ username, password, code }: LoginFields & { code?: string }) => …`.
 */
export interface LoginFields {
  username: string
  password: string
}

/**
 * Checks the credentials. Return the user to accept the login, or null to reject it with the default message. Return
 * `{ error }` to reject it with your own message: plain text for the person, which known clients truncate after 42
 * characters. If your user store is down, throw an error with `statusCode: 503`, and the response is a 503. After any
 * other error or return value, the response is a 500.
 *
 * **Return the username as your store spells it, not as the person typed it**: your lookups, `revokeAll` and
 * `forgetNetworks` use that name. You may return a whole row of the user store, but the plugin keeps only `username`
 * and `displayName`, because a token carries nothing else (contract 5.5). Where you need another column, such as an id
 * or roles, look it up by `username`: see docs/recipes/user-record.js.
 *
 * @param request the login request, or the request passed to `reauthenticate`
 * @param signal aborts when the client disconnects or the login times out (`checks.timeout`)
 * @example
 * checkCredentials: async ({ username, password }, request, signal) => {
 *   const user = await db.query('SELECT … WHERE name = $1', [username], { signal })
 *   return (await verify(user?.hash ?? DUMMY, password)) ? user : null
 * }
 */
export type CheckCredentials = (
  fields: LoginFields,
  request: FastifyRequest,
  signal: AbortSignal
) => ScreenUser | null | { error: string } | Promise<ScreenUser | null | { error: string }>

/**
 * `CheckCredentials` as a method type, so that TypeScript accepts a function that expects more fields than
 * `LoginFields`.
 */
export type AnyCheckCredentials = {
  check(...args: Parameters<CheckCredentials>): ReturnType<CheckCredentials>
}['check']

export type Form = ScreenContract & { sections: Section[] }

/**
 * Returns the login form to send, for instance with a translated label or another field. `form` is a copy that you may
 * change. If the returned form has no `auth_action`, the plugin adds the URL of the login route. Keep the fields
 * `username` and `password`, unless you change `auth_action`. If the function throws or returns an invalid form, the
 * response is a 500.
 */
export type LoginForm = (form: Form, request: FastifyRequest) => ScreenContract | Promise<ScreenContract>

export interface LoginOptions {
  /** Checks the credentials. Required, unless `enabled` is false. */
  checkCredentials?: AnyCheckCredentials | undefined
  /** Name of the application, shown as the title of the login form. Default: `'Demo Company'`. */
  appName?: string | undefined
  /** Changes the login form. Default: the form stays unchanged. */
  loginForm?: LoginForm | undefined
  /** Returns the text of a login message, for instance in another language. Default: English texts. */
  message?: SayMessage | undefined
}

export interface LoginSettings {
  /** Undefined only in the no-auth mode. */
  checkCredentials: CheckCredentials
  appName: string
  loginForm: LoginForm | undefined
  textOf: TextOf
}

/** The default title of the login form (contract, configuration). */
export const DEFAULT_APP_NAME = 'Demo Company'

/**
 * @param isEnabled false in the no-auth mode
 * @throws InvalidOptionError that names the first invalid option
 */
export function checkLoginOptions(
  { checkCredentials, appName = DEFAULT_APP_NAME, loginForm, message }: LoginOptions,
  isEnabled: boolean
): LoginSettings {
  checkOption(
    isFunction(checkCredentials) || (checkCredentials === undefined && !isEnabled),
    'checkCredentials',
    'must be a function that checks what the person entered; set `enabled: false` for a server without login'
  )
  checkOption(typeof appName === 'string' && appName !== '', 'appName', 'must be a non-empty string')
  if (loginForm !== undefined) checkFunction(loginForm, 'loginForm', 'returns the changed form')
  if (message !== undefined) checkFunction(message, 'message', 'returns the text of a message')
  return {
    checkCredentials: checkCredentials as CheckCredentials,
    appName,
    loginForm,
    textOf: createTextOf(message)
  }
}
