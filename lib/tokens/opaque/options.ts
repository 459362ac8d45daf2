import {
  checkGroup,
  checkLifetime,
  checkOption,
  checkTime,
  isFunction,
  isTime,
  LONGEST_TIME,
  warnOfLifetime
} from '../../shared/index.ts'
import type { TokenStore } from '../stores/token-store.ts'
import { checkTimesOf } from '../token-service.ts'

/** How long a session lasts, in whole seconds, at most ten years. */
export interface SessionTimes {
  /** How long a token is valid after the login; with `maxLifetime`, after its last use. Default: 86,400 (24 hours). */
  lifetime?: number | undefined
  /**
   * Makes each use renew the token, until so long after the login. A tenth of `lifetime` must have passed since the
   * last renewal. Default: `lifetime`, so that nothing is renewed.
   */
  maxLifetime?: number | undefined
}

/** How {@link opaqueTokens} keeps its sessions. All times are whole seconds. */
export interface OpaqueTokensOptions extends SessionTimes {
  /** `redisStore(client)`, a Keyv, or what has its `get`, `set` with a TTL and `delete`. Required. */
  store: TokenStore
  /**
   * How long a session is believed without a word of the store; 0 asks with every request. **A revocation holds in every
   * process after so long at the latest**, and at once in the one that revoked. With a store that reports its changes it
   * holds as soon as the report is there, unless the connection is silent without being closed. Default: 3 if the store
   * has `onChange`, else 0.
   */
  cache?: number | undefined
  /** How long the store may take for one token, then it counts as down. Default: 2. */
  timeout?: number | undefined
}

/** The options after checking, with every default filled in. */
export type OpaqueTokensSettings = {
  [Name in keyof OpaqueTokensOptions]-?: NonNullable<OpaqueTokensOptions[Name]>
}

/** The times of one session. */
export interface Times {
  lifetime: number
  maxLifetime: number
  /** Whether `issue` was given them. */
  isOwn: boolean
}

const TIMES = ['lifetime', 'maxLifetime'] as const

/** @throws InvalidOptionError naming the first option that is wrong */
export function checkOptions(options: OpaqueTokensOptions): OpaqueTokensSettings {
  checkGroup(options, 'opaqueTokens', ['store', ...TIMES, 'cache', 'timeout'])
  const { store, lifetime = 86_400, maxLifetime = lifetime, timeout = 2 } = options
  checkOption(
    [store?.get, store?.set, store?.delete].every(isFunction),
    'opaqueTokens.store',
    'must be a Keyv, redisStore(client), or an object with the functions get, set and delete'
  )
  for (const name of ['onChange', 'ping'] as const) {
    const isRight = store[name] === undefined || isFunction(store[name])
    checkOption(isRight, 'opaqueTokens.store', `must have a function \`${name}\`, or none`)
  }
  const { cache = store.onChange ? 3 : 0 } = options
  checkTimes(lifetime, maxLifetime, 'opaqueTokens')
  for (const name of TIMES) warnOfLifetime(options[name], `opaqueTokens.${name}`)
  checkOption(
    cache === 0 || isTime(cache),
    'opaqueTokens.cache',
    `must be a whole number of seconds from 0 to ${LONGEST_TIME}`
  )
  checkTime(timeout, 'opaqueTokens.timeout')
  return { store, lifetime, maxLifetime, cache, timeout }
}

/**
 * The times of one session: those that `issue` was given, or else those of the service.
 *
 * @throws InvalidOptionError naming the first one that is wrong
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
