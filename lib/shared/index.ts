export { audit, printable, senderOf } from './audit-log.ts'
export { addressOf, keepAddress, networkOf, warnAboutProxy } from './client-address.ts'
export { whileClientWaits } from './client-signal.ts'
export * from './errors.ts'
export {
  type LoginEvent,
  type LoginOutcome,
  publish,
  type RefusalEvent,
  type SessionEvent,
  type ThrottleEvent
} from './events.ts'
export * from './option-rules.ts'
export { sendJson, setUnavailable } from './reply.ts'
export { type Route, routesOf } from './routes-of.ts'
export { isWithin, rootOf } from './scope.ts'
export { type ScreenUser, toScreenUser } from './user.ts'
export { warnOnce } from './warn-once.ts'
export { withTimeout } from './with-timeout.ts'
