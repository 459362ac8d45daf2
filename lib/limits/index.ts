// Limits concurrent logins, and failed logins by address, by username, and by the pair of both.
export { createLoginLimits, type LoginLimits } from './login-limits.ts'
export * from './options.ts'
