import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { type Contender, type Request, type Scenario, type Start, tokenOf } from './scenarios.ts'

const SERVE = fileURLToPath(new URL('servers/serve.js', import.meta.url))
const START = fileURLToPath(new URL('servers/start.js', import.meta.url))
const PIN = ['taskset', '--cpu-list', '0']

/** Whether the servers run on core 0 and the load generator on core 1, so that they do not compete for CPU time. */
export const isPinned =
  availableParallelism() >= 2 &&
  spawnSync('taskset', ['--all-tasks', '--pid', '--cpu-list', '1', `${process.pid}`]).status === 0

function commandOf(...program: string[]): [string, ...string[]] {
  return [...(isPinned ? PIN : []), process.execPath, ...program] as [string, ...string[]]
}

const production = () => ({ ...process.env, NODE_ENV: 'production' })

/** Starts a server with many routes in its own process. Returns the microseconds of CPU time of a phase. */
export function costOfStart({ name }: Contender, phase: Start['phase']): number {
  const [command, ...args] = commandOf(START, name, phase)
  const { stdout, status } = spawnSync(command, args, { stdio: ['ignore', 'pipe', 'inherit'], env: production() })
  if (status !== 0) throw new Error(`${name} ended with ${status}`)
  return Number(stdout)
}

/**
 * Keep-alive connections, each with one request at a time. They load the server's core to at least 90 % and
 * the load generator's core to at most 75 %, so pipelining would gain nothing.
 */
const CONNECTIONS = 20

/** A server in its own process, in production mode and without TypeScript tools, and the requests that it gets. */
export class Server {
  readonly #process: ChildProcess
  readonly #origin: string
  readonly #status: number
  readonly #requests: Request[]
  #next = 0

  private constructor(process: ChildProcess, origin: string, status: number, requests: Request[]) {
    this.#process = process
    this.#origin = origin
    this.#status = status
    this.#requests = requests
  }

  /** @throws when the server ends before it listens */
  static async start({ name, guards }: Contender, scenario: Scenario): Promise<Server> {
    const [command, ...args] = commandOf(SERVE, name, ...(scenario.hasRedis ? ['redis'] : []))
    const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], env: production() })
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`${name} ended with ${code} before it listened`)
    })
    const [{ port, token = tokenOf(0) }] = await Promise.race([once(child, 'message'), ended])
    ended.catch(() => {})
    return new Server(child, `http://127.0.0.1:${port}`, guards ? scenario.status : 200, scenario.requests(token))
  }

  /** Sends the next requests, and returns the microseconds of CPU time that the server has used for each. */
  async send(amount: number): Promise<number> {
    // @ts-expect-error: it has no types, and is installed after this program has started
    const { default: autocannon } = await import('autocannon')
    // A single request needs one copy for each connection: autocannon repeats it.
    const length = this.#requests.length === 1 ? CONNECTIONS : amount
    const next = Array.from({ length }, () => ({ ...this.#requests[this.#next++ % this.#requests.length] }))
    let client = 0
    const before = await this.#cpu()
    const awake = preventSleep()
    const { statusCodeStats } = await autocannon({
      url: this.#origin,
      connections: CONNECTIONS,
      amount,
      // Milliseconds between two checks for the end of the run.
      sampleInt: 20,
      setupClient(connection: { setRequests(requests: object[]): void }) {
        const own = client++
        connection.setRequests(next.filter((_, i) => i % CONNECTIONS === own))
      }
    })
    awake.end()
    if (statusCodeStats[this.#status]?.count !== amount)
      throw new Error(`not all of the ${amount} responses were ${this.#status}: ${JSON.stringify(statusCodeStats)}`)
    return ((await this.#cpu()) - before) / amount
  }

  async #cpu(): Promise<number> {
    this.#process.send('cpu')
    const [cpu] = await once(this.#process, 'message')
    return cpu
  }

  async stop(): Promise<void> {
    this.#process.kill('SIGKILL')
    await once(this.#process, 'exit')
  }
}

/**
 * Keeps this process busy while it waits. Waking a sleeping process would cost the server CPU time, and a slower server
 * more of it.
 */
function preventSleep(): { end(): void } {
  let isAwake = true
  const spin = () => {
    if (isAwake) setImmediate(spin)
  }
  spin()
  return { end: () => (isAwake = false) }
}
