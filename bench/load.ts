import { isDeepStrictEqual } from 'node:util'
import type { Request } from 'autocannon'
import { type Measured, type Result, rowsOf } from './report.ts'
import { ours, type Scenario } from './scenarios.ts'
import { Server } from './server.ts'

/**
 * Keep-alive connections, each with one request at a time. They load the server's core to at least 90 % and
 * the load generator's core to at most 75 %, so pipelining would gain nothing.
 */
const CONNECTIONS = 20
/** Requests before the first measurement. After them, V8 has optimised the code, and times are stable. */
const WARM_UP = 12_000
/** Maximum seconds of the warm-up. It ends then even if fewer than WARM_UP requests were sent. */
const WARM_UP_SECONDS = 2.5
/** Requests between two checks of the time during the warm-up. */
const WARM_UP_STEP = 1_000
/** Requests right before each measurement: they refill the processor caches, which other servers have used since. */
const WARM_UP_AGAIN = 600
/** Minimum requests of a measurement. */
const MIN_REQUESTS = 400
/** Rounds before new processes replace the servers: V8 optimises the same code differently in each process. */
const ROUNDS_PER_PROCESS = 3

export interface Effort {
  rounds: number
  /** Duration of one measurement. */
  seconds: number
}

/** Requests that are sent to a server repeatedly, and the responses that it must send. */
export interface Load {
  requests: Request[]
  /** Expected status of all responses. */
  status: number
  /** Returns the expected body of the first response. The actual body is the argument, for values such as a token. */
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

  /** @throws when the server does not respond like the other servers, so that a comparison would mean nothing */
  async check(): Promise<void> {
    const { path, ...request } = this.load.requests[0] as Request
    const { status, body } = this.load
    const response = await fetch(new URL(path, this.server.origin), request)
    const text = await response.text()
    const isRight = response.status === status && (!body || isDeepStrictEqual(JSON.parse(text), body(JSON.parse(text))))
    if (!isRight) throw new Error(`${this.measured.label}: ${path} responds with ${response.status}: ${text}`)
  }

  /** Sends requests until V8 has optimised the code, and calculates the number of requests for one measurement. */
  async warmUp(seconds: number): Promise<void> {
    if (this.load.before !== undefined) await this.send(this.load.before)
    let perSecond = 0
    const end = performance.now() + WARM_UP_SECONDS * 1000
    for (let sent = 0; sent < WARM_UP && (sent === 0 || performance.now() < end); sent += WARM_UP_STEP) {
      const start = performance.now()
      await this.send(WARM_UP_STEP)
      perSecond = (WARM_UP_STEP / (performance.now() - start)) * 1000
    }
    this.#amount = Math.max(MIN_REQUESTS, Math.round(perSecond * seconds))
  }

  /** Measures the microseconds of CPU time of the server per request. */
  async measure(): Promise<void> {
    await this.send(WARM_UP_AGAIN)
    const before = await this.server.usage()
    await this.send(this.#amount)
    const after = await this.server.usage()
    this.measured.costs.push((after.cpu - before.cpu) / this.#amount)
  }

  /** Sends the next requests of the load. */
  async send(amount: number): Promise<void> {
    // Imported late, because the benchmark installs its packages after it has started.
    const { default: autocannon } = await import('autocannon')
    const { requests, status } = this.load
    // A single request needs one copy for each connection: autocannon repeats it.
    const length = requests.length === 1 ? CONNECTIONS : amount
    const next = Array.from({ length }, () => ({ ...(requests[this.#next++ % requests.length] as Request) }))
    let client = 0
    const awake = preventSleep()
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
    awake.end()
    if (statusCodeStats[status]?.count === amount) return
    const seen = JSON.stringify({ ...statusCodeStats, errors, timeouts })
    throw new Error(`${this.measured.label}: not all of the ${amount} responses were ${status}: ${seen}`)
  }
}

/**
 * Keeps this process busy while it waits. Waking a sleeping process would cost the server CPU time, and a slower server
 * more of it.
 */
function preventSleep() {
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
export async function runRounds(entries: Entry[], { rounds, seconds }: Effort): Promise<void> {
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
    target: contender.label === ours.label ? target : undefined
  }))
  for (let done = 0; done < rounds; done += ROUNDS_PER_PROCESS) {
    const entries: Entry[] = []
    for (const [i, contender] of contenders.entries()) {
      const server = await Server.start(contender)
      const entry = new Entry(server, load(server), measured[i] as Measured)
      await entry.check()
      entries.push(entry)
    }
    await runRounds(entries, { rounds: ROUNDS_PER_PROCESS, seconds })
    for (const { server } of entries) await server.stop()
  }
  return { scenario: name, title, unit: 'µs per request', rows: rowsOf(measured) }
}
