import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Request } from 'autocannon'
import { quantileSorted } from 'simple-statistics'
import type { Server } from './server.ts'
import { form, type Traffic } from './traffic.ts'

/** Requests per second: a few percent of what a server can do, so that hardly one waits for another. */
export const RATE = 1_000
/** Requests that open the connections. */
const RUN_UP = 200

/** Milliseconds from the request to the end of its answer. */
export interface Percentiles {
  p50: number
  p99: number
}

/**
 * Sends one request each millisecond, whether the ones before are answered or not, and answers how long they took.
 * autocannon cannot do that: it keeps to a rate by sending all requests of a second at its beginning.
 *
 * @throws when an answer had another status than 200, or did not come
 */
export async function latencyOf({ origin }: Server, traffic: Traffic, seconds: number): Promise<Percentiles> {
  const agent = new Agent({ keepAlive: true })
  try {
    await askEvenly(
      agent,
      origin,
      Array.from({ length: RUN_UP }, () => form)
    )
    const [requests] = traffic.deal(seconds * RATE, 1) as [Request[]]
    const millis = (await askEvenly(agent, origin, requests)).sort((a, b) => a - b)
    return { p50: quantileSorted(millis, 0.5), p99: quantileSorted(millis, 0.99) }
  } finally {
    agent.destroy()
  }
}

async function askEvenly(agent: Agent, origin: string, requests: Request[]): Promise<number[]> {
  const start = performance.now()
  const answers: Promise<number>[] = []
  for (const [i, one] of requests.entries()) {
    const early = start + (i * 1000) / RATE - performance.now()
    if (early > 0) await sleep(early)
    const answer = millisOf(agent, origin, one)
    // What fails is thrown below, when all have been sent.
    answer.catch(() => {})
    answers.push(answer)
  }
  return Promise.all(answers)
}

async function millisOf(
  agent: Agent,
  origin: string,
  { method, path, headers = {} }: Request
): Promise<number> {
  const start = performance.now()
  const asked = request(new URL(path, origin), { agent, method, headers }).end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  await once(answer.resume(), 'end')
  if (answer.statusCode !== 200) throw new Error(`${path} answers ${answer.statusCode} instead of 200`)
  return performance.now() - start
}
