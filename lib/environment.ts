import { DEFAULT_APP_NAME } from './login/index.ts'
import { InvalidEnvironmentError } from './shared/index.ts'
import { isLongEnough } from './tokens/index.ts'

/** The options that {@link optionsFromEnv} reads. */
export interface EnvironmentOptions {
  /** `SVC_AUTH`: `true` or `false` in any case. Default: true. */
  enabled: boolean
  /**
   * `SVC_AUTH_SECRET`: at least 32 bytes of UTF-8. Default: undefined; the plugin then generates a random secret. If
   * `SVC_AUTH_SECRET_PREVIOUS` is set and not empty, an array of both secrets; the second only verifies tokens.
   */
  secret: string | [string, string] | undefined
  /** `SVC_APP_NAME`: at least one character. Default: `'Demo Company'`. */
  appName: string
}

/**
 * Reads the options that the contract assigns to environment variables. An invalid value throws, and is never replaced
 * by the default.
 *
 * @param env the variables. Default: `process.env`
 * @param options.prefix prefix of the variable names. Default: `SVC_`
 * @returns the options; spread them before your own options
 * @throws `FST_SCREEN_AUTH_INVALID_ENVIRONMENT`: the message names each invalid variable and the fix
 *
 * @example
 * await app.register(screenAuth, { ...optionsFromEnv(), checkCredentials, mainMenu })
 */
export function optionsFromEnv(
  env: Record<string, string | undefined> = process.env,
  { prefix = 'SVC_' }: { prefix?: string } = {}
): EnvironmentOptions {
  const [auth, appName] = [`${prefix}AUTH`, `${prefix}APP_NAME`]
  const [secret, previous] = [`${prefix}AUTH_SECRET`, `${prefix}AUTH_SECRET_PREVIOUS`]
  // Copies own properties only: a polluted Object.prototype must not switch the login off.
  const variables: Record<string, string | undefined> = Object.assign(Object.create(null), env)
  checkAll(variables, [
    [
      auth,
      value => /^(true|false)$/i.test(value),
      'must be true or false; set it to false to switch the login off, without quotes'
    ],
    [
      secret,
      isLongEnough,
      'must have at least 32 bytes; make one with `openssl rand -base64 32`, or unset it for a random one'
    ],
    [
      previous,
      value => value === '' || isLongEnough(value),
      'must have at least 32 bytes; unset it when no secret is being replaced'
    ],
    [appName, value => value !== '', 'must have at least 1 character; unset it for the default']
  ])
  const { [auth]: enabled = 'true', [secret]: current, [previous]: old, [appName]: name } = variables
  if (old && current === undefined) {
    throw new InvalidEnvironmentError(`${previous} needs ${secret}; set both, or unset ${previous}`)
  }
  return {
    enabled: enabled.toLowerCase() === 'true',
    secret: old ? [current as string, old] : current,
    appName: name ?? DEFAULT_APP_NAME
  }
}

/** `rule` is the message after the variable's name: the requirement and the fix. */
type Rule = [name: string, isValid: (value: string) => boolean, rule: string]

/** @throws InvalidEnvironmentError with one line for all invalid variables; without the values, which may be secrets */
function checkAll(env: Record<string, string | undefined>, rules: Rule[]): void {
  const violated = rules.filter(([name, isValid]) => {
    const value: unknown = env[name]
    return value !== undefined && !(typeof value === 'string' && isValid(value))
  })
  if (violated.length === 0) return
  throw new InvalidEnvironmentError(violated.map(([name, , rule]) => `${name} ${rule}`).join('; '))
}
