import { isIP } from 'node:net'
import { demandCases, OptionError, type Result, type Selection } from '../report/report.ts'
import { clientCases } from './cases.ts'
import type { Entered } from './facts.ts'
import { type Scenario, scenarios } from './scenarios.ts'

/** The options of `watchClient`. */
export interface WatchClientOptions extends Omit<Selection, 'only'> {
  /** The scenarios, in order. Default: all but `login`. */
  expect?: readonly Scenario[] | undefined
  /** IP address of this machine to listen on; `0.0.0.0` for all addresses. Default: 127.0.0.1. */
  host?: string | undefined
  /** Port to listen on. Default: any free port. */
  port?: number | undefined
  /** The values that will be entered into the form, to check that the client sends them unchanged. Default: unknown. */
  username?: string | undefined
  password?: string | undefined
  /**
   * Longest time to wait for the next request, in seconds. If the client keeps sending requests but makes no progress,
   * the scenario ends after five times as long. Default: 15.
   */
  timeout?: number | undefined
  /**
   * A complete scenario ends after this time without a request, in seconds; `Infinity` waits for `next()` or `timeout`.
   * If the client keeps sending requests, the scenario ends after five times as long. Default: 2.
   */
  settle?: number | undefined
  /** Called when a scenario begins. */
  onScenario?: ((scenario: Scenario) => void) | undefined
  /** Called after each scenario with each of its results, and the total number of results. */
  onResult?: ((result: Result, total: number) => void) | undefined
}

/** The validated options, with every default filled in. */
export type WatchSettings = ReturnType<typeof watchSettings>

/**
 * Validates the options and fills in every default.
 *
 * @throws OptionError that names the first invalid option
 */
export function watchSettings({
  expect = ['reject-then-login', 'login-then-expire', 'start-again', 'no-auth'],
  host = '127.0.0.1',
  port = 0,
  username,
  password,
  exclude,
  expectFailures,
  timeout = 15,
  settle = 2,
  onScenario = () => {},
  onResult = () => {}
}: WatchClientOptions) {
  const known = Object.keys(scenarios)
  const unknown = expect.find(scenario => !known.includes(scenario))
  if (unknown !== undefined)
    throw new OptionError(`there is no scenario ${unknown} for --expect, only ${known.join(', ')}`)
  const selection = { exclude, expectFailures }
  demandCases(selection, clientCases)
  if (expect.length === 0) throw new OptionError('--expect needs at least one scenario')
  if (!(timeout > 0)) throw new OptionError('--timeout must be a number of seconds greater than 0')
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new OptionError('--port must be a whole number from 0 to 65535')
  if (isIP(host) === 0)
    throw new OptionError(`--host must be an IP address of this machine, or 0.0.0.0 for all: ${host}`)
  const entered: Entered = { username, password }
  return { expect, host, port, entered, ...selection, timeout, settle, onScenario, onResult }
}
