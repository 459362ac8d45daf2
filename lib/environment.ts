import { InvalidEnvironmentError } from './base/errors.ts'
import { DEFAULT_APP_NAME } from './options.ts'
import { isLongEnough } from './tokens/secrets.ts'

/** The options that {@link optionsFromEnv} reads. */
export interface EnvironmentOptions {
  /** `SVC_AUTH`: `true` or `false` in any case. Default: true. */
  enabled: boolean
  /**
   * `SVC_AUTH_SECRET`: at least 32 bytes of UTF-8. Default: undefined; the plugin then generates a random secret. If
   * `SVC_AUTH_SECRET_PREVIOUS` is set and not empty, an array of both secrets; the second only verifies tokens. It
   * holds the previous secret or, while several servers are restarted one by one, first the next one.
   */
  secret: string | [string, string] | undefined
  /** `SVC_APP_NAME`: at least one character. Default: `'Demo Company'`. */
  appName: string
}

/**
 * Reads the options that the contract assigns to environment variables.
 *
 * @param env the variables, also those of @fastify/env, where `SVC_AUTH` may be a boolean. Default: `process.env`
 * @param options.prefix prefix of the variable names. Default: `SVC_`
 * @returns the options; spread them before your own options
 * @throws `FST_SCREEN_AUTH_INVALID_ENVIRONMENT`: the message names each invalid variable and the fix
 *
 * @example
 * await app.register(screenAuth, { ...optionsFromEnv(), checkCredentials, mainMenu })
 */
export function optionsFromEnv(
  env: object = process.env,
  { prefix = 'SVC_' }: { prefix?: string } = {}
): EnvironmentOptions {
  const problems: string[] = []
  /** Reads own variables only: a polluted Object.prototype must not switch the login off. */
  function read(name: string, isValid: (value: string) => boolean, rule: string): string | undefined {
    const given = Object.hasOwn(env, prefix + name) ? (env as Record<string, unknown>)[prefix + name] : undefined
    const value = name === 'AUTH' && typeof given === 'boolean' ? String(given) : given
    if (value === undefined || (typeof value === 'string' && isValid(value))) return value
    // Without the value, which may be a secret.
    problems.push(`${prefix}${name} must ${rule}`)
    return undefined
  }

  const isSwitch = (value: string) => /^(true|false)$/i.test(value)
  const enabled = read('AUTH', isSwitch, 'be true or false; set it to false to switch the login off, without quotes')
  const makeOne = 'make one with `openssl rand -base64 32`, or unset it for a random one'
  const secret = read('AUTH_SECRET', isLongEnough, `have at least 32 bytes; ${makeOne}`)
  const rule = 'have at least 32 bytes; unset it when no secret is being replaced'
  const previous = read('AUTH_SECRET_PREVIOUS', value => value === '' || isLongEnough(value), rule)
  const appName = read('APP_NAME', value => value !== '', 'have at least 1 character; unset it for the default')
  if (problems.length === 0 && previous && secret === undefined)
    problems.push(`${prefix}AUTH_SECRET_PREVIOUS needs ${prefix}AUTH_SECRET; set both, or unset it`)
  if (problems.length > 0) throw new InvalidEnvironmentError(problems.join('; '))
  return {
    enabled: enabled?.toLowerCase() !== 'false',
    secret: previous ? [secret as string, previous] : secret,
    appName: appName ?? DEFAULT_APP_NAME
  }
}
