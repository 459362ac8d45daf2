import { randomBytes } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { ScreenContract } from '../schemas/index.ts'
import { type CheckLimits, type CheckSettings, checkLimits } from './limits/check-queue.ts'
import { checkThrottle, type ThrottleOptions, type ThrottleSettings } from './limits/options.ts'
import { demand, demandLifetime, isFunction } from './shared/option-rules.ts'
import type { ScreenUser } from './shared/user.ts'
import type { TokenService } from './tokens/token-service.ts'

/** What the person entered, unchanged. Both names are present and not empty; further fields are the host's own. */
export interface LoginFields {
  username: string
  password: string
  [id: string]: string
}

/**
 * Decides whether the credentials are right. Null rejects the login with the default message, `{ error }` with the
 * host's own (plain text, shown to the person; known clients cut it after 42 characters). A throw, or anything else,
 * refuses the login with 500. `signal` is aborted when nobody waits any more: the client has gone, or the time is over.
 *
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
 * Makes the first screen after the login, also served at `/menu/main`. The user is null in the no-auth mode. `signal` is
 * aborted when nobody waits any more; at `/menu/main`, that of a function that names it as its third parameter.
 */
export type MainMenu = (
  user: ScreenUser | null,
  request: FastifyRequest,
  signal: AbortSignal
) => ScreenContract | Promise<ScreenContract>

/**
 * Changes the login form before it goes out: translates a label, adds a field. `form` is a fresh object; an
 * `auth_action` that the answer lacks is put back, so that the form stays one that logs in.
 */
export type LoginForm = (
  form: ScreenContract,
  request: FastifyRequest
) => ScreenContract | Promise<ScreenContract>

/** A signing key: at least 32 bytes, a string counted as UTF-8 (RFC 7518 3.2). */
export type Secret = string | Buffer

interface CommonOptions {
  /** Makes the main menu. Required. */
  mainMenu: MainMenu
  /** Signing key of the JWTs; of several, the first signs and all verify (rotation). Default: 32 random bytes. */
  secret?: Secret | readonly Secret[] | undefined
  /** Application name: the title of the login form. Default: `'Demo Company'`. */
  appName?: string | undefined
  /** Lifetime of a JWT in whole seconds. Default: 86,400, which is 24 hours (contract 8). */
  tokenLifetime?: number | undefined
  /** Changes the login form. Default: the form as it is. */
  loginForm?: LoginForm | undefined
  /** Replaces the JWTs; `secret` and `tokenLifetime` are then unused. Default: JWTs signed with HS256. */
  tokens?: TokenService | undefined
  /** Limits failed logins; false lets everyone guess for ever. Default: on, as {@link ThrottleOptions} says. */
  throttle?: ThrottleOptions | false | undefined
  /** Bounds the checks at a time and the time of a login. Default: as {@link CheckLimits} says. */
  checks?: CheckLimits | undefined
  /** Put before the paths of the three routes, as for any Fastify plugin. Default: none. */
  prefix?: string
}

/**
 * The options of the plugin.
 *
 * `enabled: false` is the no-auth mode (contract 5.7): no guard, no login routes, and `checkCredentials` may be left
 * out.
 */
export type ScreenAuthOptions = CommonOptions &
  (
    | { enabled: false; checkCredentials?: CheckCredentials | undefined }
    | { enabled?: boolean | undefined; checkCredentials: CheckCredentials }
  )

/** The options after checking, with every default filled in. */
export interface Settings {
  enabled: boolean
  /** Undefined only in the no-auth mode, where nothing calls it. */
  checkCredentials: CheckCredentials
  mainMenu: MainMenu
  secrets: Buffer[]
  isSecretRandom: boolean
  appName: string
  tokenLifetime: number
  /** Undefined when the form goes out as it is. */
  loginForm: LoginForm | undefined
  tokens: TokenService | undefined
  /** Null when failed logins are not limited. */
  throttle: ThrottleSettings | null
  checks: CheckSettings
  prefix: string
}

/** The title of the login form when none is given (contract, configuration). */
export const DEFAULT_APP_NAME = 'Demo Company'

/** Fewest bytes of an HS256 key (RFC 7518 3.2). */
const SECRET_BYTES = 32

/** @throws InvalidOptionError naming the first option that is wrong */
export function checkOptions(options: ScreenAuthOptions): Settings {
  const {
    enabled = true,
    checkCredentials,
    mainMenu,
    secret,
    appName = DEFAULT_APP_NAME,
    tokenLifetime = 86_400,
    loginForm,
    tokens,
    throttle,
    checks,
    prefix = ''
  } = options

  demand(typeof enabled === 'boolean', 'enabled', 'must be true or false')
  demand(isFunction(mainMenu), 'mainMenu', 'must be a function that makes the main menu screen')
  demand(
    isFunction(checkCredentials) || (checkCredentials === undefined && !enabled),
    'checkCredentials',
    'must be a function that checks what the person entered; set `enabled: false` for a server without login'
  )
  demand(typeof appName === 'string' && appName !== '', 'appName', 'must be a non-empty string')
  demandLifetime(tokenLifetime, 'tokenLifetime')
  demand(
    loginForm === undefined || isFunction(loginForm),
    'loginForm',
    'must be a function that answers the changed form'
  )
  demand(
    tokens === undefined || (isFunction(tokens?.issue) && isFunction(tokens.verify)),
    'tokens',
    'must be an object with the functions issue and verify'
  )
  demand(
    typeof prefix === 'string' && /^(\/(?!\/)[^?#]*)?$/.test(prefix),
    'prefix',
    'must be a path that starts with one / and has no ? or #, for example /api'
  )

  return {
    enabled,
    checkCredentials: checkCredentials as CheckCredentials,
    mainMenu,
    secrets: secret === undefined ? [randomBytes(SECRET_BYTES)] : checkSecrets(secret),
    isSecretRandom: secret === undefined && tokens === undefined,
    appName,
    tokenLifetime,
    loginForm,
    tokens,
    throttle: checkThrottle(throttle),
    checks: checkLimits(checks),
    prefix
  }
}

/** Whether a key is long enough for HS256. */
export function isLongEnough(secret: Secret): boolean {
  return Buffer.byteLength(secret) >= SECRET_BYTES
}

function checkSecrets(secret: Secret | readonly Secret[]): Buffer[] {
  const secrets = [secret].flat() as Secret[]
  demand(
    secrets.length > 0 &&
      secrets.every(one => (typeof one === 'string' || Buffer.isBuffer(one)) && isLongEnough(one)),
    'secret',
    'must be a string or Buffer of at least 32 bytes, or an array of them; make one with `openssl rand -base64 32`'
  )
  return secrets.map(one => Buffer.from(one as string))
}
