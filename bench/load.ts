import autocannon, { type Result } from 'autocannon'
import type { Server } from './server.ts'
import type { Traffic } from './traffic.ts'

/**
 * Keep-alive connections, each with one request at a time. They load the core of the server to at least 90 %, and the
 * core of the load generator to at most 75 %, so pipelining would gain nothing.
 */
const CONNECTIONS = 20

/** The requests to a server, and the expected status of all responses. */
export interface Load {
  traffic: Traffic
  status: number
  /** Requests before the first measurement, in addition to the warm-up. */
  before?: number
}

/**
 * Sends `amount` requests.
 *
 * @throws when a response is missing or has another status
 */
export async function send(
  name: string,
  server: Server,
  { traffic, status }: Load,
  amount: number
): Promise<void> {
  const hands = traffic.deal(amount, CONNECTIONS)
  const rest = stayAwake()
  const result = await autocannon({
    url: server.origin,
    connections: CONNECTIONS,
    amount,
    sampleInt: 20,
    setupClient: client => client.setRequests(hands.pop() ?? [])
  })
  rest()
  const { [status]: expected = { count: 0 } } = result.statusCodeStats
  if (expected.count !== amount) {
    throw new Error(`${name}: of ${amount} responses not all were ${status}: ${account(result)}`)
  }
}

/**
 * Keeps this process from sleeping while it waits: waking it up would cost CPU time of the server, and more for a slower
 * server.
 *
 * @returns a function that ends this
 */
function stayAwake(): () => void {
  let isAwake = true
  const spin = () => {
    if (isAwake) setImmediate(spin)
  }
  spin()
  return () => {
    isAwake = false
  }
}

/** Sends `amount` requests. Resolves to the microseconds of CPU time that the server used for each. */
export async function microsOf(name: string, server: Server, load: Load, amount: number): Promise<number> {
  const before = await server.usage()
  await send(name, server, load, amount)
  const after = await server.usage()
  return (after.cpu - before.cpu) / amount
}

function account({ statusCodeStats, errors, timeouts }: Result): string {
  const counts = Object.entries(statusCodeStats).map(([status, { count }]) => `${count} were ${status}`)
  return [...counts, `${errors} failed`, `${timeouts} timed out`].join(', ')
}
