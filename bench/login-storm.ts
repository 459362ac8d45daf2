/**
 * `node --import tsx bench/login-storm.ts`: how long guarded requests take while 200 logins are in flight, against the
 * idle server, for several settings of `checks.concurrency`.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

const IN_FLIGHT = 200
const MEASURE = 4_000
const UNLIMITED = 1_000

const agents = { logins: new Agent({ keepAlive: true }), guarded: new Agent({ keepAlive: true }) }

async function send(agent: Agent, url: string, options: object, body?: string): Promise<string> {
  const outgoing = request(url, { agent, ...options })
  outgoing.end(body)
  const [response] = await once(outgoing, 'response')
  if (response.statusCode !== 200) throw new Error(`${url} responded with ${response.statusCode}`)
  return text(response)
}

function logIn(origin: string): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ fields: { username: 'u', password: 'right' } })
  return send(agents.logins, `${origin}/auth/login`, { method: 'POST', headers }, body)
}

/** The latency of sequential requests in milliseconds: the median and the 99th percentile. */
async function latency(url: string, token: string): Promise<string> {
  const times: number[] = []
  for (const end = performance.now() + MEASURE; performance.now() < end; await sleep(3)) {
    const start = performance.now()
    await send(agents.guarded, url, { headers: { authorization: `Bearer ${token}` } })
    times.push(performance.now() - start)
  }
  times.sort((a, b) => a - b)
  const at = (part: number) => (times[Math.floor(part * (times.length - 1))] as number).toFixed(1)
  return `${at(0.5)} / ${at(0.99)}`
}

async function measure(concurrency: number): Promise<object> {
  const server = fork(new URL('login-storm-server.ts', import.meta.url), [String(concurrency)])
  const [origin] = (await once(server, 'message')) as [string]
  const { token } = JSON.parse(await logIn(origin))
  await latency(`${origin}/menu/main`, token)

  const idle = [await latency(`${origin}/menu/main`, token), await latency(`${origin}/file`, token)]
  let logins = 0
  let isOver = false
  const storm = Array.from({ length: IN_FLIGHT }, async () => {
    for (; !isOver; logins++) await logIn(origin)
  })
  await sleep(500)
  const [start, before] = [performance.now(), logins]
  const busy = [await latency(`${origin}/menu/main`, token), await latency(`${origin}/file`, token)]
  const rate = ((logins - before) / (performance.now() - start)) * 1000
  isOver = true
  await Promise.all(storm)
  server.kill()
  return {
    'checks at a time': concurrency === UNLIMITED ? 'all' : concurrency,
    'idle: menu': idle[0],
    'storm: menu': busy[0],
    'idle: file': idle[1],
    'storm: file': busy[1],
    'logins/s': Math.round(rate)
  }
}

console.log(`Guarded requests with ${IN_FLIGHT} logins in flight, median / 99th percentile in ms`)
const rows: object[] = []
for (const concurrency of [1, 2, 3, 4, 8, UNLIMITED]) rows.push(await measure(concurrency))
console.table(rows)
