import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Request } from 'autocannon'
import { quantileSorted } from 'simple-statistics'
import type { Server } from './server.ts'
import { form, type Traffic } from './traffic.ts'

/** Requests per second: a few percent of the capacity of a server, so that requests hardly wait for each other. */
export const RATE = 1_000
/** Requests that open the connections. */
const RUN_UP = 200

/** Milliseconds from the request to the end of its response. */
export interface Percentiles {
  p50: number
  p99: number
}

/**
 * Sends one request each millisecond, to the servers in turn, without waiting for the responses to earlier ones, and
 * measures how long each takes. autocannon cannot do that: with a rate, it sends all requests of a second at its
 * beginning.
 *
 * @throws when a response is missing or is not a 200
 */
export async function latencyOf(servers: Server[], traffic: Traffic, seconds: number): Promise<Percentiles> {
  const agent = new Agent({ keepAlive: true })
  try {
    await sendEvenly(
      agent,
      servers,
      Array.from({ length: RUN_UP }, () => form)
    )
    const [requests] = traffic.deal(seconds * RATE, 1) as [Request[]]
    const millis = (await sendEvenly(agent, servers, requests)).sort((a, b) => a - b)
    return { p50: quantileSorted(millis, 0.5), p99: quantileSorted(millis, 0.99) }
  } finally {
    agent.destroy()
  }
}

async function sendEvenly(agent: Agent, servers: Server[], requests: Request[]): Promise<number[]> {
  const start = performance.now()
  const durations: Promise<number>[] = []
  for (const [i, one] of requests.entries()) {
    const early = start + (i * 1000) / RATE - performance.now()
    if (early > 0) await sleep(early)
    const duration = millisOf(agent, servers[i % servers.length] as Server, one)
    // A failure is thrown below, after all requests were sent.
    duration.catch(() => {})
    durations.push(duration)
  }
  return Promise.all(durations)
}

async function millisOf(
  agent: Agent,
  { origin }: Server,
  { method, path, headers = {} }: Request
): Promise<number> {
  const start = performance.now()
  const outgoing = request(new URL(path, origin), { agent, method, headers }).end()
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  await once(response.resume(), 'end')
  if (response.statusCode !== 200)
    throw new Error(`${path} responds with ${response.statusCode} instead of 200`)
  return performance.now() - start
}
