import { checkLimitOptions, type LimitOptions, type LimitSettings } from './limits/index.ts'
import { type AnyCheckCredentials, checkLoginOptions, type LoginOptions, type LoginSettings } from './login/index.ts'
import { checkScreenOptions, type ScreenOptions } from './screens/index.ts'
import { checkOption, ownOf } from './shared/index.ts'
import { checkTokenOptions, type TokenOptions, type TokenSettings } from './tokens/index.ts'

interface CommonOptions extends ScreenOptions, TokenOptions, LimitOptions {
  /** Prefix of the paths of the three routes, as for any Fastify plugin. Default: no prefix. */
  prefix?: string
}

/**
 * The options of the plugin.
 *
 * `enabled: false` is the no-auth mode (contract 5.7): no guard, no login routes, and `checkCredentials` is optional.
 */
export type ScreenAuthOptions = CommonOptions &
  LoginOptions &
  ({ enabled: false } | { enabled?: boolean | undefined; checkCredentials: AnyCheckCredentials })

/** The checked options, with all defaults filled in. */
export interface Settings extends LoginSettings, ScreenOptions, TokenSettings, LimitSettings {
  enabled: boolean
  prefix: string
}

const names = [
  'enabled',
  'checkCredentials',
  'appName',
  'loginForm',
  'message',
  'mainMenu',
  'secret',
  'tokenLifetime',
  'tokens',
  'throttle',
  'checks',
  'prefix'
]

/** Options of Fastify's own `register`. */
const fastifyNames = ['logLevel', 'logSerializers']

/** @throws InvalidOptionError that names the first invalid or unknown option */
export function checkOptions(given: ScreenAuthOptions): Settings {
  const options = ownOf(given)
  const unknown = Object.keys(options).find(name => ![...names, ...fastifyNames].includes(name))
  checkOption(unknown === undefined, `${unknown}`, `does not exist; the options are ${names.join(', ')}`)

  const { enabled = true, prefix = '' } = options
  checkOption(typeof enabled === 'boolean', 'enabled', 'must be true or false')
  checkOption(
    typeof prefix === 'string' && /^(\/(?!\/)[^?#]*)?$/.test(prefix),
    'prefix',
    'must be a path that starts with one / and has no ? or #, for example /api'
  )
  return {
    enabled,
    prefix,
    ...checkScreenOptions(options),
    ...checkLoginOptions(options, enabled),
    ...checkTokenOptions(options),
    ...checkLimitOptions(options)
  }
}
