import type { AnyRequest } from '../base/http.ts'
import type { Store } from '../stores/store.ts'
import { type Counts, createCounts } from './counts.ts'
import { checkThrottleOptions, settingsOf, type ThrottleOptions } from './options.ts'
import { createThrottle } from './throttle.ts'

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

/** Two objects with one store share their counts, also while the store is down. */
const countsOf = new WeakMap<Store, Counts>()

/**
 * Creates limits of failed logins that a host can hold: scopes, and servers in one process, that are passed the same
 * object share all failures. A script that shares the `store` of running servers can unlock their users without an app.
 *
 * Outside an app, a warning of `unlock` is a process warning.
 *
 * @param options as for `throttle`. Without a `store`, each object counts in a memory of its own
 * @returns an object for the option `throttle`
 * @throws `FST_SCREEN_AUTH_INVALID_OPTION` when an option is invalid
 * @example
 * const limits = loginLimits({ store: redisStore(redis, { prefix: 'shop:' }) })
 * await app.register(screenAuth, { throttle: limits, checkCredentials, mainMenu })
 * await limits.unlock({ username: 'ada' })
 */
export function loginLimits(options: ThrottleOptions = {}): LoginLimits {
  const settings = checkThrottleOptions(options, 'loginLimits')
  const { store } = settings
  const counts = (store && countsOf.get(store)) ?? createCounts(store)
  if (store) countsOf.set(store, counts)
  // A script has no path, and needs none: only known networks depend on the path of a scope.
  const { unlock, forgetNetworks } = createThrottle(settings, counts, '/')
  const limits: LoginLimits = { unlock, forgetNetworks }
  settingsOf.set(limits, { ...settings, counts })
  return limits
}
