import { demand, demandSettings, isCount, isFunction, isTime, LONGEST_TIME } from '../shared/option-rules.ts'
import { type FailureStore, type FailureStoreOptions, MemoryStore } from './failure-store.ts'
import { foldUsername } from './fold-username.ts'

/** After so many failed logins within so many seconds, none is looked at for as many seconds from the last one. */
export interface FailureLimit {
  failures: number
  seconds: number
}

/**
 * How failed logins are limited. Only failures count, of usernames that exist and of those that do not.
 *
 * @example
 * throttle: {
 *   address: { failures: 500, seconds: 3600 },    // an office behind one address
 *   store: options =>
 *     insuredStore(new RateLimiterRedis({ storeClient: redis, useRedisPackage: true, ...options }), options)
 * }
 */
export interface ThrottleOptions {
  /**
   * Failures in a row of one username from one address: a success starts again at zero. Default: 10 within 15 minutes
   * (`{ failures: 10, seconds: 900 }`).
   */
  usernameAndAddress?: FailureLimit | undefined
  /** Failures from one address, of IPv6 one /56. Default: 100 an hour (`{ failures: 100, seconds: 3600 }`). */
  address?: FailureLimit | undefined
  /**
   * Failures of one username from anywhere. Default: 50 an hour (`{ failures: 50, seconds: 3600 }`), so that no hour,
   * wherever it starts, has more than 100 (NIST SP 800-63B 3.2.2). From a network from which the person has logged in
   * within the last 30 days it does not hold, so that a stranger cannot lock the person out there.
   */
  username?: FailureLimit | undefined
  /**
   * One spelling for all spellings of a name that the user store takes for the same, for a store that folds names in its
   * own way. Default: without accents, spaces and what is invisible, compatibility forms as the plain ones (NFKD), in
   * upper case.
   *
   * @example
   * throttle: { nameOf: username => username.trim().toLowerCase() }
   */
  nameOf?: ((username: string) => string) | undefined
  /**
   * Makes the limiters that count the three, the checks that are running, and the networks: any of rate-limiter-flexible that has `get`,
   * `penalty`, `reward`, `block` and `delete`, or a promise of one. When one fails, the login is refused with 503, unless
   * it is made by `insuredStore`. Default: in memory, and bounded.
   */
  store?: ((options: FailureStoreOptions) => FailureStore | Promise<FailureStore>) | undefined
}

/** The options after checking, with every default filled in. */
export interface ThrottleSettings {
  limits: Record<Kind, FailureLimit>
  store: NonNullable<ThrottleOptions['store']>
  nameOf: NonNullable<ThrottleOptions['nameOf']>
}

/** What failures are counted by. */
export type Kind = 'usernameAndAddress' | 'address' | 'username'

const DEFAULTS: Record<Kind, FailureLimit> = {
  usernameAndAddress: { failures: 10, seconds: 900 },
  address: { failures: 100, seconds: 3600 },
  username: { failures: 50, seconds: 3600 }
}

/**
 * @returns null when the throttle is off
 * @throws InvalidOptionError naming the first setting that is wrong
 */
export function checkThrottle(throttle: ThrottleOptions | false = {}): ThrottleSettings | null {
  if (throttle === false) return null
  demandSettings(throttle, 'throttle', [...Object.keys(DEFAULTS), 'nameOf', 'store'], ', or false')

  const { store = options => new MemoryStore(options), nameOf = foldUsername } = throttle
  demand(
    isFunction(store),
    'throttle.store',
    'must be a function that makes a limiter of rate-limiter-flexible'
  )
  demand(isFunction(nameOf), 'throttle.nameOf', 'must be a function that folds a username into one spelling')

  const limits = { ...DEFAULTS }
  for (const kind of Object.keys(DEFAULTS) as Kind[]) {
    const limit = throttle[kind] === undefined ? DEFAULTS[kind] : throttle[kind]
    demandSettings(limit, `throttle.${kind}`, ['failures', 'seconds'])
    const { failures, seconds } = limit
    demand(
      isCount(failures) && isTime(seconds),
      `throttle.${kind}`,
      `must have failures and seconds, whole numbers greater than 0, seconds at most ${LONGEST_TIME}`
    )
    limits[kind] = { failures, seconds }
  }
  return { limits, store, nameOf }
}
