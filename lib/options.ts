import type { FastifyRequest } from 'fastify'
import type { ScreenContract, Section } from '../schemas/index.ts'
import {
  checkGroup,
  checkOption,
  functionThat,
  nonEmptyString,
  optional,
  type Rule,
  valid
} from './base/option-rules.ts'
import type { ScreenUser } from './base/user.ts'
import { LIMIT_RULES, type LimitOptions, warnAboutConcurrency } from './limits/options.ts'
import { jwtLifetimeRule } from './tokens/jwt.ts'
import { type Secret, secretsRule } from './tokens/secrets.ts'
import { type TokenService, tokenServiceRule } from './tokens/token-service.ts'

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
 * `forgetNetworks` use that name. You may return a whole row, but the plugin keeps only `username` and `displayName`
 * (contract 5.5). Where you need another column, look it up by `username`: see docs/recipes/user-table.js.
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

/** A method, so that TypeScript accepts a function that expects more fields than `LoginFields`. */
type AnyCheckCredentials = { check(...args: Parameters<CheckCredentials>): ReturnType<CheckCredentials> }['check']

export type Form = ScreenContract & { sections: Section[] }

/**
 * Returns the login form to send, for instance with a translated label or another field. `form` is a copy that you may
 * change. If the returned form has no `auth_action`, the plugin adds the URL of the login route. Keep the fields
 * `username` and `password`, unless you change `auth_action`. If the function throws or returns an invalid form, the
 * response is a 500.
 */
export type LoginForm = (form: Form, request: FastifyRequest) => ScreenContract | Promise<ScreenContract>

/**
 * Returns the main menu, for login responses and for `GET /menu/main`. After an error or an invalid screen, the
 * response is a 500.
 *
 * @param user the logged-in user. Null in the no-auth mode: declare `ScreenUser | null` if your server may run in it
 * @param signal aborts when the client disconnects or the login times out
 */
export type MainMenu = (
  user: ScreenUser,
  request: FastifyRequest,
  signal: AbortSignal
) => ScreenContract | Promise<ScreenContract>

/**
 * The reason of a message:
 * - `wrong`: `checkCredentials` returned null
 * - `incomplete`: username or password is empty
 * - `blocked`: too many logins failed; the block ends in `seconds`
 * - `malformed`, `too-large`, `not-json`, `refused`: the status is 400, 413, 415, or any other 4xx
 * - `unavailable`: the status is 408 or a 5xx
 * - `no-password`, `wrong-password`: only from `reauthenticate`
 */
export type MessageKey =
  | 'wrong'
  | 'incomplete'
  | 'blocked'
  | 'malformed'
  | 'too-large'
  | 'not-json'
  | 'refused'
  | 'unavailable'
  | 'no-password'
  | 'wrong-password'

/** A message of the login: its reason, its English text and, with `blocked`, the seconds until the block ends. */
export type Message =
  | { key: Exclude<MessageKey, 'blocked'>; text: string; seconds?: undefined }
  | { key: 'blocked'; text: string; seconds: number }

/**
 * Returns the text of a message, for instance a translation. Known clients truncate it after 42 characters. If the
 * function throws or does not return a non-empty string, the plugin logs an error and sends the English text.
 *
 * @example
 * message: ({ key, text }, request) => (speaksDanish(request) ? danish[key] : text)
 */
export type SayMessage = (message: Message, request: FastifyRequest) => string

interface CommonOptions extends LimitOptions {
  /** Name of the application, shown as the title of the login form. Default: `'Demo Company'`. */
  appName?: string | undefined
  /** Changes the login form. Default: the form stays unchanged. */
  loginForm?: LoginForm | undefined
  /** Returns the text of a login message, for instance in another language. Default: English texts. */
  message?: SayMessage | undefined
  /** Returns the main menu. Required. */
  mainMenu: MainMenu
  /** Signing key of the JWTs. In an array, the first signs and all verify (rotation). Default: 32 random bytes. */
  secret?: Secret | readonly Secret[] | undefined
  /** Whole seconds that a JWT lasts, at most ten years. Not with `tokens`. Default: 86,400 (24 hours, contract 8). */
  tokenLifetime?: number | undefined
  /** Issues and verifies tokens; `secret` is then unused. Default: `jwtTokens({ secret, lifetime: tokenLifetime })`. */
  tokens?: TokenService | undefined
  /** Prefix of the paths of the three routes, as for any Fastify plugin. Default: no prefix. */
  prefix?: string
}

/**
 * The options of the plugin. `enabled: false` is the no-auth mode (contract 5.7): no guard, no login routes, and
 * `checkCredentials` is optional.
 */
export type ScreenAuthOptions = CommonOptions &
  (
    | { enabled: false; checkCredentials?: AnyCheckCredentials | undefined }
    | { enabled?: boolean | undefined; checkCredentials: AnyCheckCredentials }
  )

/** The checked options, with their defaults. */
export type Settings = ReturnType<typeof checkOptions>

/** The default title of the login form (contract, configuration). */
export const DEFAULT_APP_NAME = 'Demo Company'

const credentialsRule = functionThat<CheckCredentials>(
  'checks what the person entered; set `enabled: false` for a server without login'
)
const prefixRule = valid<string>(
  value => typeof value === 'string' && /^(\/(?!\/)[^?#]*)?$/.test(value),
  'must be a path that starts with one / and has no ? or #, for example /api',
  ''
)

/** The rule of each option, in the order of the names in the message for an unknown one. */
const OPTION_RULES = {
  // Undefined only in the no-auth mode.
  checkCredentials: optional(credentialsRule) as Rule<CheckCredentials>,
  appName: nonEmptyString('', DEFAULT_APP_NAME),
  loginForm: optional(functionThat<LoginForm>('returns the changed form')),
  message: optional(functionThat<SayMessage>('returns the text of a message')),
  mainMenu: functionThat<MainMenu>('returns the main menu screen'),
  enabled: valid<boolean>(value => typeof value === 'boolean', 'must be true or false', true),
  secret: optional(secretsRule),
  tokenLifetime: jwtLifetimeRule,
  tokens: optional(tokenServiceRule),
  ...LIMIT_RULES,
  prefix: prefixRule,
  // Fastify checks these.
  logLevel: value => value,
  logSerializers: value => value
} satisfies Record<keyof ScreenAuthOptions | 'logLevel' | 'logSerializers', Rule<unknown>>

/** @throws InvalidOptionError if an option is missing, invalid or unknown */
export function checkOptions(given: ScreenAuthOptions) {
  const settings = checkGroup(given, 'register.options', OPTION_RULES)
  const { enabled, tokens, tokenLifetime } = settings
  if (enabled) credentialsRule(settings.checkCredentials, 'checkCredentials')
  const fix = 'set the lifetime in your `tokens` instead, as in `opaqueTokens({ store, lifetime: 600 })`'
  checkOption(!tokens || tokenLifetime === undefined, 'tokenLifetime', `is for the default tokens; ${fix}`)
  warnAboutConcurrency(settings)
  return settings
}
