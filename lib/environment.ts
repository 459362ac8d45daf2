import { DEFAULT_APP_NAME } from './login/index.ts'
import { InvalidEnvironmentError } from './shared/index.ts'
import { isLongEnough } from './tokens/index.ts'

/** What the environment says, to be spread into the plugin's options. */
export interface EnvironmentOptions {
  /** `SVC_AUTH`: `true` or `false` in any case. Default: true. */
  enabled: boolean
  /**
   * `SVC_AUTH_SECRET`: at least 32 bytes of UTF-8. Default: none, and the plugin makes a random one. With
   * `SVC_AUTH_SECRET_PREVIOUS` it is both: the second only verifies. An empty one means none.
   */
  secret: string | [string, string] | undefined
  /** `SVC_APP_NAME`: at least one character. Default: `'Demo Company'`. */
  appName: string
}

/**
 * Reads the options that the contract lets the environment set. Fails closed: a variable with a wrong value throws, it is
 * never replaced by a default.
 *
 * @param env the variables
 * @param options.prefix what the names begin with. Default: `SVC_`
 * @returns the options; spread them before options of your own
 * @throws `FST_SCREEN_AUTH_INVALID_ENVIRONMENT`, whose message names each wrong variable and the fix
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
  // Only its own: what somebody has put on every object must not switch the login off.
  const variables: Record<string, string | undefined> = Object.assign(Object.create(null), env)
  checkAll(variables, [
    [auth, isSwitch, 'must be true or false; set it to false to switch the login off'],
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
    throw new InvalidEnvironmentError(`${previous} needs ${secret} beside it; set that too, or unset ${previous}`)
  }
  return {
    enabled: enabled.toLowerCase() === 'true',
    secret: old ? [current as string, old] : current,
    appName: name ?? DEFAULT_APP_NAME
  }
}

/** The name of a variable, what its value must be, and the rest of the message after the name: that, and the fix. */
type Rule = [name: string, isRight: (value: string) => boolean, rule: string]

/** @throws InvalidEnvironmentError with one line for all that is wrong; a value is never quoted, it may be a secret */
function checkAll(env: Record<string, string | undefined>, rules: Rule[]): void {
  const faults = rules.filter(([name, isRight]) => {
    const value: unknown = env[name]
    return value !== undefined && !(typeof value === 'string' && isRight(value))
  })
  if (faults.length === 0) return
  throw new InvalidEnvironmentError(faults.map(([name, , rule]) => `${name} ${rule}`).join('; '))
}

function isSwitch(value: string): boolean {
  return /^(true|false)$/i.test(value)
}
