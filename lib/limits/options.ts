import type { FastifyRequest } from 'fastify'
import { checkFunction, checkGroup, checkOption, checkTime, isCount, isTime, LONGEST_TIME } from '../shared/index.ts'
import { type FailureStore, type FailureStoreOptions, MemoryStore } from './failure-store.ts'
import { foldUsername } from './fold-username.ts'

export interface LimitOptions {
  /** Limits failed logins; with false everyone can guess without a limit. Default: on, as {@link ThrottleOptions} says. */
  throttle?: ThrottleOptions | false | undefined
  /** Bounds the checks at a time and the time of a login. Default: as {@link CheckLimits} says. */
  checks?: CheckLimits | undefined
}

/**
 * How much the logins may take from the rest of the server. A password hash keeps a thread of Node busy, and while
 * all four of them hash, every file and every name lookup waits.
 */
export interface CheckLimits {
  /** Credential checks at a time. Default: 3. Raise it for a checker that waits for a network instead of hashing. */
  concurrency?: number | undefined
  /**
   * Logins that may wait for their check; one more is refused with 503, and so is one of a network that has half of all
   * places. Default: 500.
   */
  waiting?: number | undefined
  /** Seconds that one login may take, the waiting included; then it is refused with 503. Default: 10. */
  timeout?: number | undefined
}

/** So many logins may fail within so many seconds, which begin with the first try. Then none is checked until they end. */
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
   * wherever it starts, has more than 100 (NIST SP 800-63B 3.2.2). It does not hold in a network from which somebody has
   * logged in within the last 30 days with the name spelt in the same way, so that a stranger cannot lock them out there.
   */
  username?: FailureLimit | undefined
  /**
   * One spelling for all spellings of a name that the user store takes for the same. Names of different tenants need
   * different ones. The request is null when `unlock` or `forgetNetworks` was given none. Default: without accents, spaces
   * and invisible characters, digits and compatibility forms as the plain ones, in upper case.
   *
   * @example
   * throttle: { nameOf: (username, request) => `${request?.hostname} ${username.trim().toLowerCase()}` }
   */
  nameOf?: ((username: string, request: FastifyRequest | null) => string) | undefined
  /**
   * Makes the limiters that count the failures and the running checks, and keep the known networks: any of
   * rate-limiter-flexible that has `get`, `penalty`, `reward`, `block` and `delete`, or a promise of one. When one fails,
   * the login is a 503, unless it is made by `insuredStore`. Default: in memory, and bounded.
   */
  store?: ((options: FailureStoreOptions) => FailureStore | Promise<FailureStore>) | undefined
}

const FAILURE_LIMITS = {
  usernameAndAddress: { failures: 10, seconds: 900 },
  address: { failures: 100, seconds: 3600 },
  username: { failures: 50, seconds: 3600 }
}

/** What failures are counted by. */
export type Kind = keyof typeof FAILURE_LIMITS

export interface ThrottleSettings {
  limits: Record<Kind, FailureLimit>
  store: NonNullable<ThrottleOptions['store']>
  nameOf: NonNullable<ThrottleOptions['nameOf']>
}

/** The options after checking, with every default filled in. */
export interface LimitSettings {
  /** Null when failed logins are not limited. */
  throttle: ThrottleSettings | null
  checks: { [name in keyof CheckLimits]-?: number }
}

/** @throws InvalidOptionError naming the first setting that is wrong */
export function checkLimitOptions({ throttle = {}, checks = {} }: LimitOptions): LimitSettings {
  checkGroup(checks, 'checks', ['concurrency', 'waiting', 'timeout'])
  const { concurrency = 3, waiting = 500, timeout = 10 } = checks
  checkOption(isCount(concurrency), 'checks.concurrency', 'must be a whole number greater than 0')
  checkOption(waiting === 0 || isCount(waiting), 'checks.waiting', 'must be a whole number, 0 or greater')
  checkTime(timeout, 'checks.timeout')
  return {
    throttle: throttle === false ? null : checkThrottle(throttle),
    checks: { concurrency, waiting, timeout }
  }
}

function checkThrottle(throttle: ThrottleOptions): ThrottleSettings {
  checkGroup(throttle, 'throttle', [...Object.keys(FAILURE_LIMITS), 'nameOf', 'store'], ', or false')
  const { store = options => new MemoryStore(options), nameOf = foldUsername, ...given } = throttle
  checkFunction(store, 'throttle.store', 'makes a limiter of rate-limiter-flexible')
  checkFunction(nameOf, 'throttle.nameOf', 'folds a username into one spelling')
  const limits = {} as Record<Kind, FailureLimit>
  for (const kind of Object.keys(FAILURE_LIMITS) as Kind[]) {
    const { [kind]: limit = FAILURE_LIMITS[kind] } = given
    checkGroup(limit, `throttle.${kind}`, ['failures', 'seconds'])
    checkOption(
      isCount(limit.failures) && isTime(limit.seconds),
      `throttle.${kind}`,
      `must have failures and seconds, whole numbers greater than 0, seconds at most ${LONGEST_TIME}`
    )
    limits[kind] = { ...limit }
  }
  return { limits, store, nameOf }
}
