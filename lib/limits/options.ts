import type { FastifyRequest } from 'fastify'
import { checkFunction, checkGroup, checkOption, checkTime, isCount, isTime, LONGEST_TIME } from '../shared/index.ts'
import { type FailureStore, type FailureStoreOptions, MemoryStore } from './failure-store.ts'
import { foldUsername } from './fold-username.ts'

export interface LimitOptions {
  /** Limits failed logins. With false, guesses are unlimited. Default: the defaults of {@link ThrottleOptions}. */
  throttle?: ThrottleOptions | false | undefined
  /** Limits the concurrent checks and the time of a login. Default: the defaults of {@link CheckLimits}. */
  checks?: CheckLimits | undefined
}

/**
 * Limits that keep logins from slowing down the rest of the server. Hashing a password occupies one of Node's four
 * worker threads. While all four hash, every file access and every DNS lookup waits.
 */
export interface CheckLimits {
  /**
   * Maximum number of concurrent credential checks. Default: 3. Raise it if the checks wait for a network instead of
   * hashing.
   */
  concurrency?: number | undefined
  /**
   * Maximum number of logins that wait for their check. One network may have at most half of all `concurrency` +
   * `waiting` logins, rounded up. The server responds to every further login with 503. Default: 500.
   */
  waiting?: number | undefined
  /**
   * Seconds that one login may take, including the wait. After this time, the server responds with 503. Default: 10.
   */
  timeout?: number | undefined
}

/** After `failures` failed logins, blocks further logins until `seconds` have passed since the first attempt. */
export interface FailureLimit {
  failures: number
  seconds: number
}

/**
 * Limits for failed logins, whether or not the username exists.
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
   * Consecutive failures of one username from one address. A success resets the count. Default: 10 within 15 minutes
   * (`{ failures: 10, seconds: 900 }`).
   */
  usernameAndAddress?: FailureLimit | undefined
  /**
   * Failures from one IPv4 address, or from one IPv6 /56 network. Default: 100 an hour
   * (`{ failures: 100, seconds: 3600 }`).
   */
  address?: FailureLimit | undefined
  /**
   * Failures of one username from all addresses together. Default: 50 an hour (`{ failures: 50, seconds: 3600 }`), so
   * that any 60 minutes contain at most 100 failures (NIST SP 800-63B 3.2.2). If a user has logged in from a network
   * within the last 30 days, this limit does not apply there to the same spelling of the name: a stranger elsewhere
   * cannot lock the user out of this network.
   */
  username?: FailureLimit | undefined
  /**
   * Returns one spelling for all spellings that the user store treats as the same name. The results for different
   * tenants must differ. `request` is null if the caller of `unlock` or `forgetNetworks` passed no request. Default:
   * removes accents, spaces and invisible characters, normalizes digits and compatibility forms, and converts to upper
   * case.
   *
   * @example
   * throttle: { nameOf: (username, request) => `${request?.hostname} ${username.trim().toLowerCase()}` }
   */
  nameOf?: ((username: string, request: FastifyRequest | null) => string) | undefined
  /**
   * Creates a throttle store: a limiter of rate-limiter-flexible that has `get`, `penalty`, `reward`, `block` and
   * `delete`, or a promise of one. The plugin creates a store for each limit, and one for known networks. When a store
   * fails, the server responds to the login with 503, unless `insuredStore` created the store. Default: bounded stores
   * in memory.
   */
  store?: ((options: FailureStoreOptions) => FailureStore | Promise<FailureStore>) | undefined
}

const FAILURE_LIMITS = {
  usernameAndAddress: { failures: 10, seconds: 900 },
  address: { failures: 100, seconds: 3600 },
  username: { failures: 50, seconds: 3600 }
}

export type Kind = keyof typeof FAILURE_LIMITS

export interface ThrottleSettings {
  limits: Record<Kind, FailureLimit>
  store: NonNullable<ThrottleOptions['store']>
  nameOf: NonNullable<ThrottleOptions['nameOf']>
}

export interface LimitSettings {
  throttle: ThrottleSettings | null
  checks: { [name in keyof CheckLimits]-?: number }
}

/** @throws InvalidOptionError naming the first invalid setting */
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
