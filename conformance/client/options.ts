import { isIP } from 'node:net'
import { demandCases, OptionError, type Result, type Selection } from '../report/report.ts'
import { clientCases } from './cases.ts'
import type { Entered } from './facts.ts'
import { type Scenario, scenarios } from './scenarios.ts'

/** How to check a client. */
export interface WatchClientOptions extends Omit<Selection, 'only'> {
  /** The scenarios, in order. Default: every one but the plain login. */
  expect?: readonly Scenario[] | undefined
  /** IP address of this machine to listen at, `0.0.0.0` for every one. Default: 127.0.0.1. */
  host?: string | undefined
  /** Port. Default: a free one. */
  port?: number | undefined
  /** What will be entered into the form, to check that it arrives unchanged. Default: anything. */
  username?: string | undefined
  password?: string | undefined
  /**
   * Longest time to wait for the client's next request, in seconds. A client that sends requests all the time, and comes
   * no further in the scenario, is waited for five times as long. Default: 15.
   */
  timeout?: number | undefined
  /**
   * Time without a request after which a complete scenario ends, in seconds. `Infinity` waits for `next()` or for the
   * timeout. For a client that never stops sending it ends after five times as long. Default: 2.
   */
  settle?: number | undefined
  /** Called with each scenario when it begins. */
  onScenario?: ((scenario: Scenario) => void) | undefined
  /** Called with each result when its scenario has ended, and with their total number. */
  onResult?: ((result: Result, total: number) => void) | undefined
}

/** The validated options, with every default filled in. */
export type WatchSettings = ReturnType<typeof watchSettings>

/**
 * Validates the options.
 *
 * @returns the options with every default filled in
 * @throws OptionError naming the first option that is wrong
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
  if (expect.length === 0) throw new OptionError('a scenario is needed')
  if (!(timeout > 0)) throw new OptionError('--timeout must be a number of seconds greater than 0')
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new OptionError('--port must be a whole number from 0 to 65535')
  if (isIP(host) === 0)
    throw new OptionError(`--host must be an IP address of this machine, or 0.0.0.0 for all: ${host}`)
  const entered: Entered = { username, password }
  return { expect, host, port, entered, ...selection, timeout, settle, onScenario, onResult }
}
