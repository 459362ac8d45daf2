import type { Store } from '../stores/store.ts'
import { type Counts, createCounts } from './counts.ts'
import { checkThrottleOptions, type LoginLimits, settingsOf, type ThrottleOptions } from './options.ts'
import { createThrottle } from './throttle.ts'

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
