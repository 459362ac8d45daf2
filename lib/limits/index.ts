// Limits concurrent credential checks, and failed logins per username, per address, and per pair of the two.
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
