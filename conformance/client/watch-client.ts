import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { brotliDecompressSync, unzipSync } from 'node:zlib'
import { version } from '../cases.ts'
import {
  CannotRunError,
  isSelected,
  makeReport,
  markKnown,
  OptionError,
  type Report,
  type Result
} from '../report/report.ts'
import { casesFor, evaluate, notJudged, obstacleOf } from './evaluate.ts'
import { type WatchClientOptions, type WatchSettings, watchSettings } from './options.ts'
import { bearerToken, type Incoming, isMenu } from './recorded-request.ts'
import type { Scenario } from './scenarios.ts'
import { ScriptedServer } from './scripted-server.ts'

/** In milliseconds. The server delays some responses by this time, so that parallel requests arrive before them. */
const PARALLEL = 200

/** The responses to delay: after them, a client sends other requests. */
const DELAYED = ['unauthorized', 'expired', 'rejected', 'accepted']

/** In bytes: how much of a body to keep (more than any login has), and the length at which to stop reading. */
const KEPT = 1 << 16
const LONGEST = 1 << 26

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
  /** Ends the current scenario, and skips the remaining scenarios. */
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

/** Like `watchClient`, with a clock from the caller. */
export async function watchWithClock(options: WatchClientOptions, clock: Clock): Promise<ClientWatch> {
  const settings = watchSettings(options)
  const { expect, host, port, entered, timeout } = settings
  const first = new ScriptedServer(expect[0] as Scenario, clock.now)
  /** The servers of the scenarios so far. */
  const servers = [first]
  let scripted = first
  const sockets = new Set<Socket>()
  const used = new WeakSet<Socket>()
  let hasConnected = false
  let isEnded = false
  let isStopped = false

  /** Returns whether a request begins the next scenario: a new client without a token, after a complete scenario. */
  function isNewStart(request: Incoming, isFirstOnSocket: boolean): boolean {
    return (
      isMenu(request) &&
      request.headers.authorization === undefined &&
      scripted.completedAt !== undefined &&
      servers.length < expect.length &&
      isFirstOnSocket &&
      sockets.size === 1
    )
  }

  /** Returns the server of the scenario to which a request belongs; for a late request, an earlier scenario. */
  function serverOf(request: Incoming): ScriptedServer {
    if (isMenu(request)) return scripted
    const token = bearerToken(request.headers) ?? ''
    const issuer = servers.find(({ tokens }) => tokens.includes(token))
    if (issuer !== undefined && !scripted.isStoredOrRefused(token)) return issuer
    return (!scripted.hasBegun && servers.slice(0, -1).findLast(one => one.isOwnLateRequest(request))) || scripted
  }

  const server = createServer({ maxHeaderSize: 1 << 18, keepAliveTimeout: 0 }, async (incoming, outgoing) => {
    const { socket } = incoming
    const isFirstOnSocket = !used.has(socket)
    used.add(socket)
    try {
      const request = await received(incoming)
      if (isNewStart(request, isFirstOnSocket)) {
        const complete = scripted
        isEnded = true
        while (scripted === complete && !isStopped) await sleep(5)
      }
      await respond(serverOf(request), clock, request, outgoing)
      if (!incoming.readableEnded) socket.destroySoon()
    } catch {
      // Reading fails if the client disconnects in the middle of a request.
      outgoing.destroy()
    }
  })
  server.on('connection', socket => {
    hasConnected = true
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.listen(port, host)
  await once(server, 'listening').catch(({ code, message }) => {
    if (code === 'EADDRNOTAVAIL') throw new OptionError(`--host ${host} is not an address of this machine`)
    throw new CannotRunError(`the server cannot start: ${message}`)
  })
  const urls = urlsOf(host, (server.address() as AddressInfo).port)
  const [url = ''] = urls

  async function run(): Promise<Report> {
    const started = performance.now()
    const results: Result[] = []
    const cases = expect.flatMap(scenario => casesFor(scenario, entered))
    const total = cases.filter(test => isSelected(test, settings)).length
    for (const [index, scenario] of expect.entries()) {
      if (isStopped) break
      if (index > 0) {
        scripted = new ScriptedServer(scenario, clock.now, servers)
        servers.push(scripted)
      }
      settings.onScenario(scenario)
      await untilEnd(scripted, settings, clock, () => isEnded || isStopped)
      isEnded = false
      if (first.requests.length === 0) break
      const earlierTokens = servers.slice(0, -1).flatMap(({ tokens }) => tokens)
      for (const result of evaluate(scripted, entered, earlierTokens)) {
        if (!isSelected(result, settings)) continue
        settings.onResult(results[results.push(markKnown(result, settings)) - 1] as Result, total)
      }
    }
    if (first.requests.length === 0) {
      const what = hasConnected
        ? 'a client connected, but sent no complete request (its URL must begin with http:)'
        : 'no client sent a request'
      throw new CannotRunError(`${what}${isStopped ? '' : ` within ${timeout} s`}`)
    }
    const duration = Math.round(performance.now() - started)
    const unplayed = expect[servers.length] && `it was stopped before ${expect[servers.length]}`
    const hasFailed = results.some(({ status, known }) => status === 'failed' && !known)
    const obstacle = unplayed ?? (hasFailed ? undefined : obstacleOf(results))
    return makeReport(
      {
        side: 'client',
        target: url,
        version,
        duration,
        leftOut: cases.length - total,
        hints: servers.flatMap(hintsOf),
        notJudged: notJudged(results, settings),
        ...(obstacle !== undefined && { obstacle })
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
      isEnded = scripted.requests.length > 0
    },
    stop() {
      isStopped = true
    }
  }
}

/**
 * Returns the base URLs of a server. For `0.0.0.0` or `::`, there is a URL for each IPv4 address of the machine, with
 * external addresses first. For any other address, there is one URL.
 */
export function urlsOf(host: string, port: number, interfaces = networkInterfaces()): string[] {
  const isAny = host === '0.0.0.0' || host === '::'
  const own = Object.values(interfaces).flat() as NetworkInterfaceInfo[]
  const hosts = isAny
    ? own
        .filter(({ family }) => family === 'IPv4')
        .sort((one, other) => Number(one.internal) - Number(other.internal))
        .map(({ address }) => address)
    : [host]
  return hosts.map(one => `http://${one.includes(':') ? `[${one}]` : one}:${port}`)
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

async function received(incoming: IncomingMessage): Promise<Incoming> {
  const { method = '', url = '', headers, headersDistinct } = incoming
  const coding = headers['content-encoding']
  const bytes = await bodyOf(incoming)
  // Joins all Authorization headers, because Node keeps only the first.
  const authorization = headersDistinct.authorization?.join(', ')
  return {
    method,
    // A client that uses a proxy sends the whole URL.
    path: url.replace(/^https?:\/\/[^/?]*/i, ''),
    headers: { ...headers, ...(authorization !== undefined && { authorization }) },
    body: coding === undefined ? bytes : decompressed(bytes, coding)
  }
}

async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
    if (length < KEPT) chunks.push(chunk)
    length += chunk.length
    if (length > LONGEST) break
  }
  return Buffer.concat(chunks).subarray(0, KEPT)
}

function decompressed(bytes: Buffer, coding: string): Buffer {
  try {
    return (coding === 'br' ? brotliDecompressSync : unzipSync)(bytes, { maxOutputLength: KEPT })
  } catch {
    return bytes
  }
}

async function respond(
  scripted: ScriptedServer,
  clock: Clock,
  incoming: Incoming,
  outgoing: ServerResponse
): Promise<void> {
  if (scripted.isFull) {
    outgoing.writeHead(503).end()
    return
  }
  const { request, response } = scripted.handle(incoming)
  if (DELAYED.includes(request.outcome)) await clock.sleep(PARALLEL)
  // The client has disconnected, and may send the request again. No rule can judge this request.
  if (outgoing.destroyed) {
    request.outcome = 'ignored'
    return
  }
  const { headers } = incoming
  // CORS, because a client in a browser has another origin.
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
