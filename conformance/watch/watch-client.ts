import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, isIP } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { version } from '../cases.ts'
import type { Report, Result, Selection } from '../report/report.ts'
import { CannotRunError, demandCases, isSelected, makeReport, markKnown, OptionError } from '../report/report.ts'
import { clientCases } from './cases.ts'
import { casesFor, evaluate, notJudged, obstacleOf } from './evaluate.ts'
import type { Entered } from './facts.ts'
import { received, send, urlsOf } from './http.ts'
import { bearerToken, type Incoming, isMenu } from './recorded-request.ts'
import { type Scenario, scenarios } from './scenarios.ts'
import { ScriptedServer } from './scripted-server.ts'

/** In milliseconds. The server delays some responses by this time, so that parallel requests arrive before them. */
const PARALLEL = 200

/** The responses to delay: after them, a client sends other requests. */
const DELAYED = ['unauthorized', 'expired', 'rejected', 'accepted']

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

/** A scripted server that records the requests of a client. */
export interface ClientWatch {
  /** Base URL for the client. */
  url: string
  /** All base URLs: several if the server listens on several addresses. */
  urls: string[]
  /** Resolves when every scenario has ended. Rejects with CannotRunError if no client sent a request. */
  report: Promise<Report>
  /** Ends the current scenario, if the client has sent a request in this scenario. */
  next(): void
  /** Ends the current scenario, and skips the others. The client has a verdict only if every scenario was complete. */
  stop(): void
}

/** A clock, in milliseconds. */
export interface Clock {
  now(): number
  sleep(milliseconds: number): Promise<unknown>
}

const systemClock: Clock = { now: () => performance.now(), sleep }

/**
 * Starts a scripted server that checks the requests of a client.
 *
 * @returns the URL for the client, and a promise of the report
 * @throws CannotRunError if an option is invalid or the port is in use
 *
 * @example
 * const { url, report } = await watchClient({ expect: ['login-then-expire'] })
 * await myClient(url).logIn('ada', 'secret').open('/screen/first')
 * assert((await report).conforms)
 */
export async function watchClient(options: WatchClientOptions = {}): Promise<ClientWatch> {
  return watchWithClock(options, systemClock)
}

export async function watchWithClock(options: WatchClientOptions, clock: Clock): Promise<ClientWatch> {
  const settings = watchSettings(options)
  const { expect, host, port, entered, timeout } = settings
  const first = new ScriptedServer(expect[0] as Scenario, clock.now)
  const servers = [first]
  let hasConnected = false
  let isEnded = false
  let isStopped = false
  const current = () => servers.at(-1) as ScriptedServer

  /** Returns the server of the scenario to which a request belongs: a late one has a token of an earlier scenario. */
  function serverOf(request: Incoming): ScriptedServer {
    const token = bearerToken(request.headers) ?? ''
    const issuer = servers.find(({ tokens }) => tokens.includes(token))
    const isLate = issuer !== undefined && !isMenu(request) && !current().isStoredOrRefused(token)
    return isLate ? issuer : current()
  }

  const server = createServer({ maxHeaderSize: 1 << 18, keepAliveTimeout: 0 }, async (incoming, outgoing) => {
    try {
      const request = await received(incoming)
      await respond(serverOf(request), clock, request, outgoing)
    } catch {
      // Reading fails if the client disconnects in the middle of a request.
      outgoing.destroy()
    }
  })
  server.once('connection', () => {
    hasConnected = true
  })
  server.listen(port, host)
  await once(server, 'listening').catch(({ code, message }) => {
    if (code === 'EADDRNOTAVAIL') throw new OptionError(`--host ${host} is not an address of this machine`)
    throw new CannotRunError(`the server cannot start: ${message}`)
  })
  const urls = urlsOf(host, (server.address() as AddressInfo).port)
  const [url = ''] = urls

  async function run(): Promise<Report> {
    const started = clock.now()
    const results: Result[] = []
    const cases = expect.flatMap(scenario => casesFor(scenario, entered))
    const total = cases.filter(test => isSelected(test, settings)).length
    for (const [index, scenario] of expect.entries()) {
      if (isStopped) break
      const earlierTokens = servers.flatMap(({ tokens }) => tokens)
      if (index > 0) servers.push(new ScriptedServer(scenario, clock.now, servers))
      settings.onScenario(scenario)
      const begun = clock.now()
      await untilEnd(current(), settings, clock, () => isEnded || isStopped)
      isEnded = false
      // A stop is no fault of a client that has not begun the scenario.
      if ((isStopped ? current() : first).requests.length === 0) break
      const own = evaluate(current(), entered, earlierTokens).filter(result => isSelected(result, settings))
      const duration = Math.round((clock.now() - begun) / own.length)
      for (const one of own) {
        const result = markKnown({ ...one, duration }, settings)
        results.push(result)
        settings.onResult(result, total)
      }
    }
    if (first.requests.length === 0) {
      const what = hasConnected
        ? 'a client connected, but sent no complete request (its URL must begin with http:)'
        : 'no client sent a request'
      throw new CannotRunError(`${what}${isStopped ? '' : ` within ${timeout} s`}`)
    }
    const incomplete = current().completedAt === undefined ? current().scenario : expect[servers.length]
    const hasFailed = results.some(({ status, known }) => status === 'failed' && !known)
    const early = isStopped && incomplete && `it was stopped before ${incomplete} was complete`
    const obstacle = early || (hasFailed ? undefined : obstacleOf(results))
    return makeReport(
      {
        side: 'client',
        target: url,
        version,
        duration: Math.round(clock.now() - started),
        leftOut: cases.length - total,
        hints: servers.flatMap(hintsOf),
        notJudged: notJudged(results, settings),
        obstacle
      },
      results,
      settings
    )
  }

  // Starts in a later turn of the event loop, so that the caller has the URL before the first callback.
  const report = nextTurn()
    .then(run)
    .finally(() => server.close().closeAllConnections())
  // Avoids an unhandled rejection if the caller awaits the report only later.
  report.catch(() => {})
  return {
    url,
    urls,
    report,
    next() {
      isEnded = current().requests.length > 0
    },
    stop() {
      isStopped = true
    }
  }
}

type WatchSettings = ReturnType<typeof watchSettings>

/** Throws an OptionError that names the first invalid option. */
function watchSettings({
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

function hintsOf({ scenario, requests, isFull }: ScriptedServer): string[] {
  const hints = []
  if (isFull) hints.push(`${scenario}: only the first ${requests.length} requests were judged.`)
  if (scenario === 'start-again' && requests[0]?.authorization === 'none')
    hints.push('start-again: the client started without a stored token, so only its login was judged.')
  return hints
}

/** Waits until the scenario ends: it is complete and settled, a timeout has passed, or the caller has ended it. */
async function untilEnd(
  scripted: ScriptedServer,
  { timeout, settle }: WatchSettings,
  { now }: Clock,
  isEnded: () => boolean
): Promise<void> {
  const started = now()
  while (!isEnded()) {
    const { completedAt, steppedAt = started, requests, isFull } = scripted
    const idle = (now() - (requests.at(-1)?.at ?? started)) / 1000
    const limit = completedAt === undefined ? timeout : Math.min(settle, timeout)
    // The last condition ends the scenario if a client never stops sending requests.
    if (isFull || idle > limit || (now() - steppedAt) / 1000 > 5 * limit) return
    await sleep(20)
  }
}

async function respond(scripted: ScriptedServer, clock: Clock, incoming: Incoming, outgoing: ServerResponse) {
  if (scripted.isFull) return send({ status: 503 }, incoming, outgoing)
  const { request, response } = scripted.handle(incoming)
  if (DELAYED.includes(request.outcome)) await clock.sleep(PARALLEL)
  // The client has disconnected, and may send the request again. No rule can judge this request.
  if (outgoing.destroyed) {
    request.outcome = 'ignored'
    return
  }
  scripted.responded(request)
  send(response, incoming, outgoing)
}
