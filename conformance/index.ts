/**
 * The conformance kit: checks whether any server or client conforms to the contract.
 *
 * @module
 */
export type { Case, Level } from './cases.ts'
export {
  CannotRunError,
  type Facts,
  type Failure,
  type NotJudged,
  type Outcome,
  type Profile,
  type Report,
  type Result,
  type Selection,
  type SkipReason,
  type Status
} from './report/report.ts'
export { checkServer } from './server/check-server.ts'
export type { CheckServerOptions } from './server/options.ts'
export type { Scenario } from './watch/scenarios.ts'
export { type ClientWatch, type WatchClientOptions, watchClient } from './watch/watch-client.ts'
