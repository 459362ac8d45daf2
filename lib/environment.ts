import envSchema from 'env-schema'
import { InvalidEnvironmentError } from './errors.ts'
import { DEFAULT_APP_NAME, isLongEnough } from './options.ts'

/** What the environment says, to be spread into the plugin's options. */
export interface EnvironmentOptions {
  /** `SVC_AUTH`: `true` or `false` in any case. Default: true. */
  enabled: boolean
  /**
   * `SVC_AUTH_SECRET`: at least 32 bytes of UTF-8. Default: none, and the plugin makes a random one. With
   * `SVC_AUTH_SECRET_PREVIOUS` it is both: the second only verifies.
   */
  secret: string | [string, string] | undefined
  /** `SVC_APP_NAME`: at least one character. Default: `'Demo Company'`. */
  appName: string
}

/**
 * Reads the options that the contract lets the environment set. Fails closed: a variable that is set to something
 * else than it may be throws, it is never replaced by a default.
 *
 * @param env the variables
 * @param options.prefix what the names begin with
 * @throws InvalidEnvironmentError (`FST_SCREEN_AUTH_INVALID_ENVIRONMENT`), whose message names the variable and the fix
 *
 * What is not set is undefined, so spread it before options of your own.
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
  const values = readVariables(env, {
    [auth]: {
      schema: { type: 'string', format: 'switch', default: 'true' },
      rule: 'must be true or false; set it to false to switch the login off'
    },
    [secret]: {
      schema: { type: 'string', format: 'secret' },
      rule: 'must have at least 32 bytes; make one with `openssl rand -base64 32`, or unset it for a random one'
    },
    [previous]: {
      schema: { type: 'string', format: 'secret' },
      rule: 'must have at least 32 bytes; unset it when no secret is being replaced'
    },
    [appName]: {
      schema: { type: 'string', minLength: 1, default: DEFAULT_APP_NAME },
      rule: 'must have at least 1 character; unset it for the default'
    }
  })
  if (values[previous] !== undefined && values[secret] === undefined) {
    throw new InvalidEnvironmentError(
      `${previous} needs ${secret} beside it; set that too, or unset ${previous}`
    )
  }
  return {
    enabled: values[auth]?.toLowerCase() === 'true',
    secret: values[previous] === undefined ? values[secret] : [values[secret] as string, values[previous]],
    appName: values[appName] as string
  }
}

interface Variable {
  schema: { type: 'string'; format?: string; minLength?: number; default?: string }
  /** What the value must be, and the fix: the rest of the message after the name. */
  rule: string
}

function readVariables(
  env: Record<string, string | undefined>,
  variables: Record<string, Variable>
): Record<string, string> {
  const properties = Object.fromEntries(Object.entries(variables).map(([name, { schema }]) => [name, schema]))
  try {
    return envSchema<Record<string, string>>({
      schema: { type: 'object', properties },
      data: env,
      env: false,
      ajv: {
        customOptions: ajv => ajv.addFormat('switch', /^(true|false)$/i).addFormat('secret', isLongEnough)
      }
    })
  } catch (error) {
    throw new InvalidEnvironmentError(faults(error as Error & { errors: Fault[] }, variables))
  }
}

interface Fault {
  instancePath: string
}

/** One line for all that is wrong; a value is never quoted, it may be a secret. */
function faults({ errors }: { errors: Fault[] }, variables: Record<string, Variable>): string {
  const names = new Set(errors.map(({ instancePath }) => instancePath.slice(1)))
  return [...names].map(name => `${name} ${variables[name]?.rule}`).join('; ')
}
