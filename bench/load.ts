import { isDeepStrictEqual } from 'node:util'
import type { Request } from 'autocannon'
import { type Measured, type Result, rowsOf } from './report.ts'
import { ours, type Scenario } from './scenarios.ts'
import { Server } from './server.ts'

/**
 * Keep-alive connections, each with one request at a time. They load the core of the server to at least 90 %, and the
 * core of the load generator to at most 75 %, so pipelining would gain nothing.
 */
const CONNECTIONS = 20
/** Requests before the first measurement: after these, V8 has optimised the code and times are stable. */
const WARM_UP = 12_000
/** The maximum seconds of this, even if the requests are not all sent. */
const WARM_UP_SECONDS = 2.5
/** Requests in one step of the warm-up, between two looks at the clock. */
const STEP = 1_000
/** Requests right before each measurement, because other servers have used the caches of the processor meanwhile. */
const RUN_UP = 600
/** The minimum requests of a measurement. */
const FEWEST = 400
/** Rounds before the processes are replaced: V8 optimises the same code differently in each process. */
const ROUNDS_OF_A_PROCESS = 3

/** How long to measure. */
export interface Effort {
  rounds: number
  /** The length of one measurement. */
  seconds: number
}

/** What is sent to a server, over and over, and what it must respond. */
export interface Load {
  requests: Request[]
  /** The status of all responses. */
  status: number
  /** The body of the first response, which is given. */
  body?(response: Record<string, unknown>): unknown
  /** Requests before the first measurement, in addition to the warm-up. */
  before?: number
}

/** One server under one load. */
export class Entry {
  readonly server: Server
  readonly load: Load
  readonly measured: Measured
  #next = 0
  #amount = 0

  constructor(server: Server, load: Load, measured: Measured) {
    this.server = server
    this.load = load
    this.measured = measured
  }

  /** Makes sure that the server responds like all others: only then is a comparison meaningful. */
  async check(): Promise<void> {
    const { path, ...request } = this.load.requests[0] as Request
    const { status, body } = this.load
    const response = await fetch(new URL(path, this.server.origin), request)
    const text = await response.text()
    const isRight = response.status === status && (!body || isDeepStrictEqual(JSON.parse(text), body(JSON.parse(text))))
    if (!isRight) throw new Error(`${this.measured.label}: ${path} responds with ${response.status}: ${text}`)
  }

  /** Sends so many requests that the code is optimised, and finds how many make a measurement. */
  async warmUp(seconds: number): Promise<void> {
    if (this.load.before !== undefined) await this.send(this.load.before)
    let perSecond = 0
    const end = performance.now() + WARM_UP_SECONDS * 1000
    for (let sent = 0; sent < WARM_UP && (sent === 0 || performance.now() < end); sent += STEP) {
      const start = performance.now()
      await this.send(STEP)
      perSecond = (STEP / (performance.now() - start)) * 1000
    }
    this.#amount = Math.max(FEWEST, Math.round(perSecond * seconds))
  }

  /** Measures the microseconds of CPU time of the server per request. */
  async measure(): Promise<void> {
    await this.send(RUN_UP)
    const before = await this.server.usage()
    await this.send(this.#amount)
    const after = await this.server.usage()
    this.measured.costs.push((after.cpu - before.cpu) / this.#amount)
  }

  /** Sends the next requests of the load. */
  async send(amount: number): Promise<void> {
    // Only here, because the packages of the benchmark are installed after it has started.
    const { default: autocannon } = await import('autocannon')
    const { requests, status } = this.load
    // One request needs no list: every connection repeats it.
    const length = requests.length === 1 ? CONNECTIONS : amount
    const next = Array.from({ length }, () => ({ ...(requests[this.#next++ % requests.length] as Request) }))
    let client = 0
    const wakeful = stayAwake()
    const { statusCodeStats, errors, timeouts } = await autocannon({
      url: this.server.origin,
      connections: CONNECTIONS,
      amount,
      sampleInt: 20,
      setupClient(connection) {
        const own = client++
        connection.setRequests(next.filter((_, i) => i % CONNECTIONS === own))
      }
    })
    wakeful.end()
    if (statusCodeStats[status]?.count === amount) return
    const seen = JSON.stringify({ ...statusCodeStats, errors, timeouts })
    throw new Error(`${this.measured.label}: of ${amount} responses not all were ${status}: ${seen}`)
  }
}

/**
 * Keeps this process from sleeping while it waits: waking it up would cost CPU time of the server, and more for a slower
 * server.
 */
function stayAwake() {
  let isAwake = true
  const spin = () => {
    if (isAwake) setImmediate(spin)
  }
  spin()
  return {
    end() {
      isAwake = false
    }
  }
}

/** Measures every entry once in each round. The order changes, so that no entry always follows the same one. */
export async function playRounds(entries: Entry[], { rounds, seconds }: Effort): Promise<void> {
  for (const entry of entries) await entry.warmUp(seconds)
  for (let round = 0; round < rounds; round++) {
    const first = round % entries.length
    const order = [...entries.slice(first), ...entries.slice(0, first)]
    for (const entry of round % 2 === 0 ? order : order.reverse()) await entry.measure()
  }
}

/** Measures the contenders in one scenario. */
export async function measure(
  { name, title, contenders, target, load }: Scenario,
  { rounds, seconds }: Effort
): Promise<Result> {
  const measured = contenders.map(contender => ({
    label: contender.label,
    costs: [],
    target: contender === ours ? target : undefined
  }))
  for (let played = 0; played < rounds; played += ROUNDS_OF_A_PROCESS) {
    const entries: Entry[] = []
    for (const [i, contender] of contenders.entries()) {
      const server = await Server.start(contender)
      const entry = new Entry(server, load(server), measured[i] as Measured)
      await entry.check()
      entries.push(entry)
    }
    await playRounds(entries, { rounds: ROUNDS_OF_A_PROCESS, seconds })
    for (const { server } of entries) await server.stop()
  }
  return { scenario: name, title, unit: 'µs per request', rows: rowsOf(measured) }
}
