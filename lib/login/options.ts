import type { FastifyRequest } from 'fastify'
import type { ScreenContract, Section } from '../../schemas/index.ts'
import { checkFunction, checkOption, isFunction, type ScreenUser } from '../shared/index.ts'
import { messages, type Say, type SayMessage } from './messages.ts'

/**
 * What the person entered, unchanged; neither is empty. A field that `loginForm` adds is there too, and may be missing:
 * `({ username, password, code }: LoginFields & { code?: string }) => …`.
 */
export interface LoginFields {
  username: string
  password: string
}

/**
 * Decides whether the credentials are right. Null rejects the login with the default message, `{ error }` with the
 * host's own (plain text, shown to the person; known clients cut it after 42 characters). A throw of an error with
 * `statusCode: 503` says that the directory is down, and is a 503; another throw or return value is a 500.
 *
 * **Return the username as your store spells it, not as it was typed**: roles, `revokeAll` and `forgetNetworks` go by it.
 * Of a user only `username` and `displayName` are kept, because a token carries nothing else (contract 5.5). A whole row
 * of the user store may be returned: its other columns, an id or roles for instance, are dropped. Look them up by
 * `username` where you need them: see docs/recipes/user-record.js.
 *
 * @param signal aborted when nobody waits any more: the client has gone, or the time is over
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

/** The same, but of a method: TypeScript lets it name more fields than there must be. */
export type AnyCheckCredentials = {
  check(...args: Parameters<CheckCredentials>): ReturnType<CheckCredentials>
}['check']

/** A screen that has sections. */
export type Form = ScreenContract & { sections: Section[] }

/**
 * Changes the login form before it is sent: translates a label, adds a field. `form` is a fresh object; an `auth_action`
 * that the returned form lacks is put back, so that the form stays one that logs in.
 */
export type LoginForm = (form: Form, request: FastifyRequest) => ScreenContract | Promise<ScreenContract>

export interface LoginOptions {
  /** Checks what the person entered. Required, unless `enabled` is false. */
  checkCredentials?: AnyCheckCredentials | undefined
  /** Application name: the title of the login form. Default: `'Demo Company'`. */
  appName?: string | undefined
  /** Changes the login form. Default: the form as it is. */
  loginForm?: LoginForm | undefined
  /** Says the messages of the login in other words, or in another language. Default: in English. */
  message?: SayMessage | undefined
}

/** The options after checking, with every default filled in. */
export interface LoginSettings {
  /** Undefined only in the no-auth mode, where nothing calls it. */
  checkCredentials: CheckCredentials
  appName: string
  /** Undefined when the form is sent as it is. */
  loginForm: LoginForm | undefined
  say: Say
}

/** The title of the login form when none is given (contract, configuration). */
export const DEFAULT_APP_NAME = 'Demo Company'

/**
 * @param isEnabled whether there is a login
 * @throws InvalidOptionError naming the first option that is wrong
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
    say: messages(message)
  }
}
