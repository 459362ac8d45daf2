// How many logins are checked at a time, and how many may fail: by username, by address, and by both.
export { LoginLimits } from './login-limits.ts'
export {
  type CheckLimits,
  checkLimitOptions,
  type FailureLimit,
  type LimitOptions,
  type LimitSettings,
  type ThrottleOptions
} from './options.ts'
