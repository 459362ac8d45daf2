import autocannon, { type Result } from 'autocannon'
import type { Server } from './server.ts'
import type { Traffic } from './traffic.ts'

/**
 * Keep-alive connections, each with one request at a time. That keeps the core of a server busy to 90 % and more, and
 * the core of the load to 75 % at most, so nothing is gained by sending several requests at a time.
 */
const CONNECTIONS = 20

/** What is sent to a server, and the one status that must come back. */
export interface Load {
  traffic: Traffic
  status: number
  /** Requests that must have been answered before the first measurement, besides those that warm up the server. */
  before?: number
  /** Requests right before each measurement, when it takes more of them than usual. */
  runUp?: number
}

/**
 * Sends so many requests.
 *
 * @throws when an answer had another status, or did not come
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
    throw new Error(`${name}: of ${amount} answers not all were ${status}: ${account(result)}`)
  }
}

/**
 * Keeps the load from going to sleep while it waits: to wake it would be the work of the server, and the more so the
 * slower the server is.
 *
 * @returns how to end that
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

/** Sends so many requests, and answers the microseconds of CPU time that the server used for each. */
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
