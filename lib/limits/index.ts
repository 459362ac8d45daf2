// Limits concurrent checks of logins, and failed logins by username, by address, and by both.
export type { FailureCount, FailureStore, FailureStoreOptions } from './failure-store.ts'
export { insuredStore } from './insured-store.ts'
export { LoginLimits } from './login-limits.ts'
export {
  type CheckLimits,
  checkLimitOptions,
  type FailureLimit,
  type LimitOptions,
  type LimitSettings,
  type ThrottleOptions
} from './options.ts'
