/**
 * The conformance kit: whether a server or a client of any make keeps the contract.
 *
 * @module
 */
export type { Case, Level, Scenario } from './cases.ts'
export { type ClientWatch, type WatchClientOptions, watchClient } from './client/watch-client.ts'
export { CannotRunError, type Failure, type Report, type Result, type Status } from './report/report.ts'
export { checkServer } from './server/check-server.ts'
export type { CheckServerOptions } from './server/options.ts'
