import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { type Contender, type Scenario, type Start, tokenOf } from './scenarios.ts'

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
export interface Server {
  /** Sends the next requests, and returns the microseconds of CPU time that the server has used for each. */
  send(amount: number): Promise<number>
  stop(): Promise<void>
}

/** @throws when the server ends before it listens */
export async function startServer({ name, guards }: Contender, scenario: Scenario): Promise<Server> {
  const [command, ...args] = commandOf(SERVE, name, ...(scenario.hasRedis ? ['redis'] : []))
  const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], env: production() })
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${name} ended with ${code} before it listened`)
  })
  const [{ port, token = tokenOf(0) }] = await Promise.race([once(child, 'message'), ended])
  ended.catch(() => {})
  const status = guards ? scenario.status : 200
  const requests = scenario.requests(token)
  let next = 0

  async function send(amount: number): Promise<number> {
    // @ts-expect-error: it has no types, and is installed after this program has started
    const { default: autocannon } = await import('autocannon')
    // A single request needs one copy for each connection: autocannon repeats it.
    const length = requests.length === 1 ? CONNECTIONS : amount
    const sent = Array.from({ length }, () => ({ ...requests[next++ % requests.length] }))
    let client = 0
    const before = await cpu()
    const awake = preventSleep()
    const { statusCodeStats } = await autocannon({
      url: `http://127.0.0.1:${port}`,
      connections: CONNECTIONS,
      amount,
      // Milliseconds between two checks for the end of the run.
      sampleInt: 20,
      setupClient(connection: { setRequests(requests: object[]): void }) {
        const own = client++
        connection.setRequests(sent.filter((_, i) => i % CONNECTIONS === own))
      }
    })
    awake.end()
    if (statusCodeStats[status]?.count !== amount)
      throw new Error(`not all of the ${amount} responses were ${status}: ${JSON.stringify(statusCodeStats)}`)
    return ((await cpu()) - before) / amount
  }

  async function cpu(): Promise<number> {
    child.send('cpu')
    const [cpu] = await once(child, 'message')
    return cpu
  }

  async function stop(): Promise<void> {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }

  return { send, stop }
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
