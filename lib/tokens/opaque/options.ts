import {
  checkGroup,
  checkLifetime,
  checkOption,
  checkTime,
  isFunction,
  isTime,
  LONGEST_TIME,
  warnAboutLifetime
} from '../../shared/index.ts'
import { withChanges } from '../stores/redis-changes.ts'
import type { TokenStore } from '../stores/token-store.ts'
import { checkTimesOf } from '../token-service.ts'

/** How long a session lasts, in whole seconds, at most ten years. */
export interface SessionTimes {
  /**
   * How long a token is valid after the login or, with `maxLifetime`, after the last renewal. Default: 86,400 (24
   * hours).
   */
  lifetime?: number | undefined
  /**
   * The longest time that a token is valid after the login. A use renews the token if a tenth of `lifetime` has passed
   * since the last renewal. Default: `lifetime`, so that no use renews the token.
   */
  maxLifetime?: number | undefined
}

/** The options of {@link opaqueTokens}. All times are whole seconds. */
export interface OpaqueTokensOptions extends SessionTimes {
  /**
   * `redisStore(client)`, a Keyv, or an object with the same `get`, `set` with a TTL, and `delete`. Required.
   *
   * Redis reports changed sessions to a node-redis client with `RESP: 3`, `emitInvalidate: true` (for a Sentinel: a
   * `clientSideCache`) and `maintNotifications: 'disabled'`. With any other client, each request reads from Redis. Such a
   * client receives reports about sessions only, and its `clientSideCache` caches nothing: use another one for cached
   * reads.
   */
  store: TokenStore
  /**
   * How long a process uses cached sessions without a response from the store. With 0, every request reads from the
   * store. **A revocation takes effect in every process after this time at the latest**, and at once in the process
   * that revoked the session. If the store reports its changes, a revocation takes effect when the report arrives,
   * unless the connection is dead but not closed. Default: 3 if the store has `onChange`, else 0.
   */
  cache?: number | undefined
  /** How long the store may take for one token. After this time, the store counts as down. Default: 2. */
  timeout?: number | undefined
}

export type OpaqueTokensSettings = {
  [Name in keyof OpaqueTokensOptions]-?: NonNullable<OpaqueTokensOptions[Name]>
}

export interface Times {
  lifetime: number
  maxLifetime: number
  /** Whether the caller of `issue` set the times. */
  isOwn: boolean
}

const TIMES = ['lifetime', 'maxLifetime'] as const

/** @throws InvalidOptionError naming the first invalid option */
export function checkOptions(options: OpaqueTokensOptions): OpaqueTokensSettings {
  checkGroup(options, 'opaqueTokens', ['store', ...TIMES, 'cache', 'timeout'])
  const { lifetime = 86_400, maxLifetime = lifetime, timeout = 2 } = options
  checkOption(
    [options.store?.get, options.store?.set, options.store?.delete].every(isFunction),
    'opaqueTokens.store',
    'must be a Keyv, redisStore(client), or an object with the functions get, set and delete'
  )
  const store = withChanges(options.store)
  for (const name of ['onChange', 'ping'] as const) {
    const isValid = store[name] === undefined || isFunction(store[name])
    checkOption(isValid, 'opaqueTokens.store', `must have a function \`${name}\`, or no \`${name}\``)
  }
  const { cache = store.onChange ? 3 : 0 } = options
  checkTimes(lifetime, maxLifetime, 'opaqueTokens')
  for (const name of TIMES) warnAboutLifetime(options[name], `opaqueTokens.${name}`)
  checkOption(
    cache === 0 || isTime(cache),
    'opaqueTokens.cache',
    `must be a whole number of seconds from 0 to ${LONGEST_TIME}`
  )
  checkTime(timeout, 'opaqueTokens.timeout')
  return { store, lifetime, maxLifetime, cache, timeout }
}

/**
 * Returns the times of one session: the times given to `issue`, or else the times of the service.
 *
 * @throws InvalidOptionError naming the first invalid time
 */
export function timesOf(request: unknown, given: SessionTimes, service: OpaqueTokensSettings): Times {
  checkTimesOf(request, given, TIMES)
  const isOwn = given.lifetime !== undefined || given.maxLifetime !== undefined
  const { lifetime = service.lifetime, maxLifetime = isOwn ? lifetime : service.maxLifetime } = given
  checkTimes(lifetime, maxLifetime, 'tokens.issue')
  return { lifetime, maxLifetime, isOwn }
}

function checkTimes(lifetime: number, maxLifetime: number, option: string): void {
  checkLifetime(lifetime, `${option}.lifetime`)
  checkLifetime(maxLifetime, `${option}.maxLifetime`)
  checkOption(maxLifetime >= lifetime, `${option}.maxLifetime`, 'must be as long as `lifetime` or more')
}
