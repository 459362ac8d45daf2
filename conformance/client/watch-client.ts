import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Scenario } from '../cases.ts'
import { CannotRunError, makeReport, type Report, type Result } from '../report/report.ts'
import { isSelected, markKnown } from '../report/selection.ts'
import { version } from '../version.ts'
import { casesFor, evaluate } from './evaluate.ts'
import { type WatchClientOptions, type WatchSettings, watchSettings } from './options.ts'
import { ScriptedServer } from './scripted-server.ts'

/** Requests that come within this time were sent before the response to the first of them. Milliseconds. */
const PARALLEL = 100

/** A scripted server that records the requests of a client. */
export interface ClientWatch {
  /** Base URL for the client. */
  url: string
  /** Resolves when every scenario has ended. Rejects with CannotRunError when no client sent a request. */
  report: Promise<Report>
  /** Ends the scenario, if the client has sent a request in it. */
  next(): void
  /** Ends the scenario now, and skips the others. */
  stop(): void
}

/** The time, in milliseconds. */
export interface Clock {
  now(): number
  sleep(milliseconds: number): Promise<unknown>
}

const systemClock: Clock = { now: () => performance.now(), sleep }

/**
 * Starts a scripted server on 127.0.0.1 that checks a client by its requests.
 *
 * @returns the address for the client, and the promise of the report
 * @throws CannotRunError when an option is wrong or the port is taken
 *
 * @example
 * const { url, report } = await watchClient({ expect: ['login-then-expire'] })
 * await myClient(url).logIn('ada', 'secret').open('/screen/first')
 * assert((await report).conforms)
 */
export async function watchClient(options: WatchClientOptions = {}): Promise<ClientWatch> {
  return watchWithClock(options, systemClock)
}

/** As `watchClient`, with a clock of the caller's. */
export async function watchWithClock(options: WatchClientOptions, clock: Clock): Promise<ClientWatch> {
  const settings = watchSettings(options)
  let scripted = new ScriptedServer(settings.expect[0] as Scenario, clock.now)
  let isEnded = false
  let isStopped = false

  const server = createServer((request, response) => {
    // Reading fails for a client that disconnects in the middle of a request.
    respond(scripted, clock, request, response).catch(() => response.destroy())
  })
  server.listen(settings.port, '127.0.0.1')
  await once(server, 'listening').catch(({ message }) => {
    throw new CannotRunError(`the server cannot start: ${message}`)
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  async function run(): Promise<Report> {
    const started = performance.now()
    const results: Result[] = []
    let hasRequests = false
    const cases = settings.expect.flatMap(scenario => casesFor(scenario, settings.entered))
    const total = cases.filter(test => isSelected(test, settings)).length
    for (const scenario of settings.expect) {
      if (isStopped) break
      scripted = new ScriptedServer(scenario, clock.now)
      settings.onScenario(scenario)
      await untilEnd(scripted, settings, clock, () => isEnded || isStopped)
      isEnded = false
      hasRequests ||= scripted.requests.length > 0
      if (!hasRequests) break
      for (const result of evaluate(scripted, settings.entered)) {
        if (!isSelected(result, settings)) continue
        settings.onResult(results[results.push(markKnown(result, settings)) - 1] as Result, total)
      }
    }
    if (!hasRequests)
      throw new CannotRunError(`no client came${isStopped ? '' : ` within ${settings.timeout} s`}`)
    const duration = Math.round(performance.now() - started)
    const about = { side: 'client', target: url, version, duration, leftOut: cases.length - total } as const
    return makeReport({ ...about, hints: [], notJudged: [] }, results, settings)
  }

  // A turn later, so that the caller has the address before the first callback.
  const report = nextTurn()
    .then(run)
    .finally(() => server.close().closeAllConnections())
  // A caller that awaits the report only later must not get an unhandled rejection in between.
  report.catch(() => {})
  return {
    url,
    report,
    next() {
      isEnded = scripted.requests.length > 0
    },
    stop() {
      isStopped = true
    }
  }
}

/** Waits until a complete scenario settles, the client sends no further request, or the caller ends it. */
async function untilEnd(
  scripted: ScriptedServer,
  { timeout, settle }: WatchSettings,
  { now }: Clock,
  isEnded: () => boolean
): Promise<void> {
  const started = now()
  while (!isEnded()) {
    const idle = (now() - (scripted.requests.at(-1)?.at ?? started)) / 1000
    if (idle > timeout || (scripted.isComplete && idle > settle)) return
    await sleep(20)
  }
}

async function respond(
  scripted: ScriptedServer,
  clock: Clock,
  incoming: IncomingMessage,
  outgoing: ServerResponse
): Promise<void> {
  const { method = '', url: path = '', headers } = incoming
  const { request, response } = scripted.handle({ method, path, headers, body: await text(incoming) })
  // The requests that the client sends in parallel arrive before it can know that its session has expired.
  if (request.outcome === 'expired') await clock.sleep(PARALLEL)
  // A client in a browser has another origin.
  outgoing.setHeader('Access-Control-Allow-Origin', headers.origin ?? '*')
  outgoing.setHeader('Access-Control-Allow-Credentials', 'true')
  outgoing.setHeader('Access-Control-Allow-Headers', headers['access-control-request-headers'] ?? '*')
  outgoing.setHeader('Access-Control-Allow-Methods', headers['access-control-request-method'] ?? '*')
  outgoing.setHeader('Cache-Control', 'no-store')
  scripted.responded(request)
  const { status, body } = response
  if (body === undefined) outgoing.writeHead(status).end()
  else outgoing.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
}
