import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { clientCases, type Scenario } from '../cases.ts'
import { CannotRunError, makeReport, OptionError, type Report, type Result } from '../report/report.ts'
import { version } from '../version.ts'
import { casesFor, grade } from './grade.ts'
import { Stage } from './stage.ts'

/** Requests that come so soon after one another were sent before the answer to the first. Milliseconds. */
const UNDER_WAY = 100

/** How a client is to be watched. */
export interface WatchClientOptions {
  /** What the server plays, one after the other. Default: everything but the plain login. */
  expect?: readonly Scenario[] | undefined
  /** Port on 127.0.0.1. Default: a free one. */
  port?: number | undefined
  /** What will be entered into the form, to judge that it arrives unchanged. Default: anything goes. */
  username?: string | undefined
  password?: string | undefined
  /** Longest time to wait for the client's next request, in seconds. Default: 15. */
  timeout?: number | undefined
  /**
   * Time without a request after which a scenario that was played to its end is over, in seconds. `Infinity` waits
   * for `next()`, or for the timeout. Default: 2.
   */
  settle?: number | undefined
  /** Is told which scenario begins. */
  onScenario?: ((scenario: Scenario) => void) | undefined
  /** Is told each result, when its scenario is over. */
  onResult?: ((result: Result, total: number) => void) | undefined
}

/** A scripted server that watches a client. */
export interface ClientWatch {
  /** Base URL for the client. */
  url: string
  /** The grades, when every scenario is over. Rejects with CannotRunError when no client came. */
  report: Promise<Report>
  /** Ends the scenario, if the client has sent anything in it. */
  next(): void
  /** Ends the scenario now, and plays no other. */
  stop(): void
}

/**
 * Starts a scripted server on 127.0.0.1, which plays the contract to a client and grades what it sends.
 *
 * @throws CannotRunError when an option is wrong or the port is taken
 *
 * @example
 * const { url, report } = await watchClient({ expect: ['login-then-expire'] })
 * await myClient(url).logIn('ada', 'secret').open('/screen/first')
 * assert((await report).conforms)
 */
export async function watchClient(options: WatchClientOptions = {}): Promise<ClientWatch> {
  const settings = checkOptions(options)
  let stage = new Stage(settings.expect[0] as Scenario)
  let isEnded = false
  let isStopped = false

  const server = createServer((request, response) => {
    // A client that breaks off in the middle of a request is not there to be answered.
    serve(stage, request, response).catch(() => response.destroy())
  })
  server.listen(settings.port, '127.0.0.1')
  await once(server, 'listening').catch(({ message }) => {
    throw new CannotRunError(`the server cannot start: ${message}`)
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  async function watch(): Promise<Report> {
    const started = performance.now()
    const results: Result[] = []
    let hasCome = false
    const total = settings.expect.reduce(
      (sum, scenario) => sum + casesFor(scenario, settings.entered).length,
      0
    )
    for (const scenario of settings.expect) {
      if (isStopped) break
      stage = new Stage(scenario)
      settings.onScenario(scenario)
      await over(stage, settings, () => isEnded || isStopped)
      isEnded = false
      hasCome ||= stage.seen.length > 0
      if (!hasCome) break
      for (const result of grade(stage, settings)) {
        results.push(result)
        settings.onResult(result, total)
      }
    }
    if (!hasCome)
      throw new CannotRunError(`no client came${isStopped ? '' : ` within ${settings.timeout} s`}`)
    const duration = Math.round(performance.now() - started)
    return makeReport({ side: 'client', target: url, version, duration, hints: [] }, results)
  }

  // Not before the caller has the address.
  const report = nextTurn()
    .then(watch)
    .finally(() => server.close().closeAllConnections())
  // Whoever awaits it is told; a host that looks only later must not end with an unhandled rejection.
  report.catch(() => {})
  return {
    url,
    report,
    next() {
      isEnded = stage.seen.length > 0
    },
    stop() {
      isStopped = true
    }
  }
}

/** Waits until a scenario was played to its end, or nothing comes any more. */
async function over(stage: Stage, { timeout, settle }: Settings, isEnded: () => boolean): Promise<void> {
  const started = performance.now()
  while (!isEnded()) {
    const idle = (performance.now() - (stage.seen.at(-1)?.at ?? started)) / 1000
    if (idle > timeout || (stage.isPlayed && idle > settle)) return
    await sleep(20)
  }
}

async function serve(stage: Stage, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '', url: path = '', headers } = request
  const { seen, reply } = stage.play({ method, path, headers, body: await text(request) })
  // What the client has sent at the same time shall come before the news.
  if (seen.event === 'expired') await sleep(UNDER_WAY)
  const { status, body } = reply
  // A client in a browser is at home on another origin.
  response.setHeader('Access-Control-Allow-Origin', headers.origin ?? '*')
  response.setHeader('Access-Control-Allow-Credentials', 'true')
  response.setHeader('Access-Control-Allow-Headers', headers['access-control-request-headers'] ?? '*')
  response.setHeader('Access-Control-Allow-Methods', headers['access-control-request-method'] ?? '*')
  response.setHeader('Cache-Control', 'no-store')
  stage.answered(seen)
  if (body === undefined) response.writeHead(status).end()
  else response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
}

type Settings = ReturnType<typeof checkOptions>

function checkOptions({
  expect = ['reject-then-login', 'login-then-expire', 'no-auth'],
  port = 0,
  username,
  password,
  timeout = 15,
  settle = 2,
  onScenario = () => {},
  onResult = () => {}
}: WatchClientOptions) {
  const known = [...new Set(clientCases.flatMap(({ scenarios }) => scenarios))]
  const unknown = expect.find(scenario => !known.includes(scenario))
  if (unknown !== undefined)
    throw new OptionError(`there is no scenario ${unknown} for --expect, only ${known.join(', ')}`)
  if (expect.length === 0) throw new OptionError('a scenario is needed')
  if (!(timeout > 0)) throw new OptionError('--timeout must be a number of seconds greater than 0')
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new OptionError('--port must be a whole number from 0 to 65535')
  return { expect, port, entered: { username, password }, timeout, settle, onScenario, onResult }
}
