/**
 * Mixed traffic against a server process for SOAK_SECONDS (ten minutes unless set). Exits with 1 when
 * a response was not the expected one, when an error was not handled, or when the server does not become idle again.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { Client } from './client.ts'
import { play } from './play.ts'
import { judge, type Moment, report, Tally } from './report.ts'
import type { Sample } from './server.ts'
import { trafficOf } from './traffic.ts'

const seconds = Number(process.env.SOAK_SECONDS ?? 600)
if (!(seconds > 0)) throw new Error('SOAK_SECONDS must be a number greater than 0')
/** The part of the traffic of ten minutes. */
const share = seconds / 600
/** Seconds in which the server must become idle: longer than a login may take. */
const PATIENCE = 15

const server = fork(fileURLToPath(new URL('server.ts', import.meta.url)), {
  execArgv: ['--expose-gc', '--import', 'tsx']
})
const ended = once(server, 'exit')
const failed = ended.then(([code]) => Promise.reject(new Error(`the server ended too early (${code})`)))
const message = async () => (await Promise.race([once(server, 'message'), failed]))[0]

const client = new Client(await message())
const traffic = trafficOf(client)
const [warmUp, run] = [new Tally(), new Tally()]

async function moment(at: string): Promise<Moment> {
  server.send('sample')
  const sample: Sample = await message()
  const now = { at, seconds: Math.round(performance.now() / 1000), requests: run.requests, ...sample }
  console.log(`${now.seconds} s: ${at}`)
  return now
}

/** Closes all connections, and waits until the server has the same handles as before the first request. */
async function untilIdle(at: string): Promise<Moment> {
  client.close()
  for (let i = 0; ; i++) {
    const now = await moment(at)
    if (i === PATIENCE || isDeepStrictEqual(now.handles, idle.handles)) return now
    await setTimeout(1000)
  }
}

const idle = await moment('at the start')

// Fills the counters, so that they cannot make the heap grow later. It takes twice the 20,000 that the throttle holds of
// each kind, because V8 doubles a table of replaced entries after 33,000.
const filling = traffic.filter(({ name }) => name === 'wrong login, cheap')
await play(filling, 1, 44_000 / 60_000, warmUp)
// Likewise more valid tokens than the 12,000 that are cached.
const accepted = traffic.filter(({ name }) => name === 'valid token')
await play(accepted, 1, 15_000 / 400_000, warmUp)
const full = await moment('with full counters and tokens')
await play(traffic, seconds / 10, share / 10, warmUp)
const warm = await untilIdle('after the warm-up')

const steps: Moment[] = []
await play(traffic, seconds, share, run, async percent => {
  steps.push(await moment(`at ${percent} %`))
})
const cool = await untilIdle('after the cool-down')

server.disconnect()
setTimeout(10_000).then(() => server.kill('SIGKILL'))
failed.catch(() => {})
const [exitCode] = await ended

const tokens = traffic
  .filter(({ bringsToken }) => bringsToken)
  .reduce((sum, { name }) => sum + run.requestsOf(name), 0)
const findings = {
  tallies: { 'warm-up': warmUp, run },
  moments: { idle, full, warm, steps, cool },
  tokens,
  exitCode
}
report(findings)
const reasons = judge(findings)
for (const reason of reasons) console.error(`FAILED: ${reason}`)
process.exit(reasons.length === 0 ? 0 : 1)
