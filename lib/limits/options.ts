import type { FastifyRequest } from 'fastify'
import type { AnyRequest } from '../base/http.ts'
import {
  type Checked,
  checkGroup,
  DAY,
  functionThat,
  isPositiveInteger,
  optional,
  positiveInteger,
  type Rule,
  timer,
  valid
} from '../base/option-rules.ts'
import { warnOnce } from '../base/warnings.ts'
import { type Store, storeRule } from '../stores/store.ts'
import type { Counts, FailureLimit } from './counts.ts'

export interface LimitOptions {
  /** Limits failed logins. With false, guesses are unlimited. Default: the defaults of {@link ThrottleOptions}. */
  throttle?: ThrottleOptions | LoginLimits | false | undefined
  /** Limits concurrent logins and their time. Default: the defaults of {@link CheckLimits}. */
  checks?: CheckLimits | undefined
}

/** Scopes of one root instance share a queue if `concurrency` and `waiting` are equal. */
export interface CheckLimits {
  /**
   * Maximum number of concurrent logins. Default: 3, because each hash of a password occupies one of Node's four worker
   * threads. Raise it if the checks wait for a network instead of hashing.
   */
  concurrency?: number | undefined
  /**
   * Maximum number of logins that wait. Further ones get a 503. One network gets half of `concurrency` + `waiting`.
   * Default: 500.
   */
  waiting?: number | undefined
  /** Seconds that one login may take, including the wait. After that, the response is a 503. Default: 10. */
  timeout?: number | undefined
}

/**
 * Limits for failed logins. Every check that begins and does not succeed is a failure, also if the client disconnects,
 * or the check times out or throws (except an error with status 503). A success resets nothing. Scopes of one root
 * instance share their counts if they have the same `store`, or no store and the same `nameOf`. With one object of
 * {@link loginLimits}, they always share them.
 * @example
 * throttle: { address: { failures: 500, seconds: 3600 }, store } // 500: an office behind one address
 */
export interface ThrottleOptions {
  /** Failures of one username from one address or /56. Default: `{ failures: 10, seconds: 900 }`, 10 in 15 minutes. */
  usernameAndAddress?: FailureLimit | undefined
  /**
   * Failures from one IPv4 address, or from one IPv6 /56 network. `failures` must exceed `checks.concurrency` times the
   * number of processes, because running checks count. Default: `{ failures: 100, seconds: 3600 }`, 100 an hour.
   */
  address?: FailureLimit | undefined
  /**
   * Failures of one username from all addresses together. Default: `{ failures: 50, seconds: 3600 }`, so that any 60
   * minutes contain at most 100 failures (NIST SP 800-63B 3.2.2). Does not apply in the last 20 networks from which the
   * user has logged in within 30 days, with the same spelling: strangers elsewhere cannot lock the user out there.
   */
  username?: FailureLimit | undefined
  /**
   * If one login serves several tenants, return the tenant with the name, or people with equal names share one limit.
   * The plugin then removes case, accents, spaces and invisible characters. Take the tenant from your own data: a client
   * chooses the spelling of `request.hostname`. `request` is null if `unlock` got none. Default: the name as typed.
   * @example
   * throttle: { nameOf: (username, request) => `${tenantOf(request).id}/${username}` }
   */
  nameOf?: ((username: string, request: FastifyRequest | null) => string) | undefined
  /**
   * A store that several processes share: `redisStore(client, { prefix })`, or a {@link Store} of your own. While it
   * fails, or is silent for 2 seconds, each process counts in its memory. Default: the memory of this process.
   */
  store?: Store | undefined
}

/** Limits of failed logins. Pass the object as the option `throttle`. */
export interface LoginLimits {
  /**
   * Forgets the networks from which a user has logged in, so that the failure limit by username applies there again.
   * Call it after a password change, or after all sessions of the user were revoked.
   *
   * @param username the username that `checkCredentials` returned
   * @param request a request of the same tenant, if `throttle.nameOf` reads it. Default: `nameOf` is called with null
   * @throws `FST_SCREEN_AUTH_THROTTLE_FAILED` (503) while `throttle.store` is down
   */
  forgetNetworks(username: string, request?: AnyRequest): Promise<void>
  /**
   * Forgets the failed logins of a username (from all addresses), of an address, or of both, on all servers that share a
   * store. The user can then log in from every address that is not blocked itself.
   *
   * @param target `username` (as a person may enter it), `address` (an IP address), or both
   * @param request a request of the same tenant, as in `forgetNetworks`
   * @throws `FST_SCREEN_AUTH_WRONG_ARGUMENT` if `target` has neither property, an invalid value, or another property
   * @throws `FST_SCREEN_AUTH_THROTTLE_FAILED` (503), as `forgetNetworks` does
   * @example
   * await limits.unlock({ username: 'ada', address: '192.0.2.1' })
   */
  unlock(target: { username?: string; address?: string }, request?: AnyRequest): Promise<void>
}

export type LimitSettings = { throttle: ThrottleSettings | null; checks: ReturnType<typeof LIMIT_RULES.checks> }
/** `counts` are those of a {@link LoginLimits} object. */
export type ThrottleSettings = Checked<typeof THROTTLE_RULES> & { counts?: Counts }

/** The settings of the objects that `loginLimits` has returned. */
export const settingsOf = new WeakMap<object, ThrottleSettings>()

const HOUR = 3600

const CHECK_RULES = {
  concurrency: positiveInteger(3),
  waiting: valid<number>(value => value === 0 || isPositiveInteger(value), 'must be a whole number, 0 or greater', 500),
  timeout: timer(10)
} satisfies Record<keyof CheckLimits, Rule<unknown>>

const FAILURE_LIMIT_RULES = { failures: positiveInteger(), seconds: timer(undefined, [3 * HOUR, 2 * DAY, HOUR]) }

const failureLimit =
  (byDefault: FailureLimit): Rule<FailureLimit> =>
  (value = byDefault, option) => {
    const { failures, seconds } = checkGroup(value, option, FAILURE_LIMIT_RULES)
    if (failures > seconds) warnOnce(`\`${option}\` allows more than one failure a second, which limits nothing`)
    return { failures, seconds }
  }

export const THROTTLE_RULES = {
  usernameAndAddress: failureLimit({ failures: 10, seconds: 900 }),
  address: failureLimit({ failures: 100, seconds: 3600 }),
  username: failureLimit({ failures: 50, seconds: 3600 }),
  nameOf: functionThat<NonNullable<ThrottleOptions['nameOf']>>(
    'returns the name that failures count for',
    username => username
  ),
  store: optional(storeRule)
} satisfies Record<keyof ThrottleOptions, Rule<unknown>>

/** The rules of {@link LimitOptions}. */
export const LIMIT_RULES = {
  checks: (value: unknown = {}, option: string) => checkGroup(value, option, CHECK_RULES),
  throttle: checkThrottle
} satisfies Record<keyof LimitOptions, Rule<unknown>>

/** Returns null for `false`. */
function checkThrottle(value: unknown = {}, option: string): ThrottleSettings | null {
  if (value === false) return null
  const orElse = ', or false, or what loginLimits returns'
  return settingsOf.get(Object(value)) ?? checkGroup(value, option, THROTTLE_RULES, orElse)
}

/** Warns if the logins that may run at once suffice to block their address. */
export function warnAboutConcurrency({ throttle, checks: { concurrency } }: LimitSettings): void {
  const { failures = Infinity } = throttle?.address ?? {}
  if (failures <= concurrency)
    warnOnce(`\`throttle.address.failures\` (${failures}) must exceed \`checks.concurrency\` (${concurrency})`)
}
