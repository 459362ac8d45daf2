import { BASELINE, type Contender, contenders, redisContenders, SESSIONS } from './contenders.ts'
import { versionsOf } from './environment.ts'
import { latencyOf, type Percentiles, RATE } from './latency.ts'
import { type Load, microsOf, send } from './load.ts'
import { rowOf } from './measure.ts'
import type { Amount } from './options.ts'
import { RedisServer } from './redis-server.ts'
import { startSessions } from './redis-stage.ts'
import type { Result, Row, Run } from './report/report.ts'
import { spreadOf } from './report/spread.ts'
import { inOrderOf } from './rounds.ts'
import { Server } from './server.ts'
import { menuWith, Traffic } from './traffic.ts'

/** Requests of one step: the load generator keeps a copy of each. */
const STEP = 20_000
/**
 * A tenth of the heap is for a million sessions. The larger it is, the longer a minor garbage collection of V8 takes, so
 * there are to be fewer of them than with the default of 16 MB.
 */
const HEAP = ['--max-old-space-size=8192', '--min-semi-space-size=64', '--max-semi-space-size=64']
const MOST_PROCESSES = 4
/** Sessions that only warm a process up. */
const WARM_UP = 10_000

/** Several processes of one server behind a load balancer. */
interface Fleet {
  name: string
  label: string
  packages: string[]
  servers: Server[]
  load: Load
}

interface Look extends Percentiles {
  /** Commands to Redis per request. */
  commands: number
}

/** Measures a great number of sessions in one process and in four. Resolves to null if Redis is not installed. */
export async function measureSessions(amount: Amount, run: Run): Promise<Result | null> {
  const chosen = [...contenders, ...redisContenders].filter(({ name }) => [BASELINE, SESSIONS].includes(name))
  const rows: Row[] = []
  const remarks: string[] = []
  let version = ''
  for (const sessions of amount.sessions) {
    const redis = await RedisServer.start()
    if (redis === null) return null
    version = await redis.version()
    const measured = await measureMany(redis, chosen, sessions, amount).finally(() => redis.stop())
    rows.push(...measured.rows)
    remarks.push(...measured.remarks)
  }
  return {
    scenario: 'sessions',
    title: `GET /menu/main with the tokens of many users in turn, all seen before; p50 and p99 at ${RATE.toLocaleString('en')} requests per second`,
    unit: 'µs per request',
    rows,
    remarks,
    run: { ...run, versions: { ...versionsOf(chosen), 'redis-server': version } }
  }
}

async function measureMany(redis: RedisServer, chosen: Contender[], sessions: number, amount: Amount) {
  const rows: Row[] = []
  const remarks: string[] = []
  const say = (text: string) => remarks.push(`${sessions.toLocaleString('en')} sessions: ${text}`)

  const total = WARM_UP + sessions
  const before = { memory: await redis.memory(), cpu: await redis.cpu(), time: performance.now() }
  const tokens = await startSessions(redis.url, total)
  const perSecond = (total / (performance.now() - before.time)) * 1000
  const login = ((await redis.cpu()) - before.cpu) / total
  const stored = await redis.memory()
  say(`each needs ${bytes(stored - before.memory, total)} of Redis`)
  say(`one process issues ${Math.round(perSecond)} a second, each with ${login.toFixed(1)} µs of Redis`)

  const traffic = new Traffic(menuWith(tokens.slice(WARM_UP)))
  const fleets: Fleet[] = chosen.map(contender => ({
    ...contender,
    servers: [],
    load: { traffic, status: 200 }
  }))
  const ours = fleets.find(({ name }) => name === SESSIONS) as Fleet
  try {
    for (const processes of [1, MOST_PROCESSES]) {
      for (const [i, { servers }] of fleets.entries()) {
        const missing = Array.from({ length: processes - servers.length }, () =>
          Server.start(chosen[i] as Contender, { redisUrl: redis.url }, HEAP)
        )
        const more = await Promise.all(missing)
        servers.push(...more)
        const warmUp = { traffic: new Traffic(menuWith(tokens.slice(0, WARM_UP))), status: 200 }
        for (const server of more) await send(SESSIONS, server, warmUp, WARM_UP)
        if (servers === ours.servers) say(await readAll(redis, { ...ours, servers: more }, sessions))
      }
      const more = bytes((await redis.memory()) - stored, total)
      say(`each needs ${more} more of Redis when ${processes} of the processes have read it`)
      rows.push(...(await measureFleets(redis, fleets, processes, sessions, amount)))
    }
  } finally {
    await Promise.all(fleets.flatMap(({ servers }) => servers.map(server => server.stop())))
  }
  return { rows, remarks }
}

/** Sends the first request of each session to each server. */
async function readAll(redis: RedisServer, fleet: Fleet, sessions: number): Promise<string> {
  const look = async () => {
    const usages = await Promise.all(fleet.servers.map(server => server.usageWithoutGarbage()))
    return {
      cpu: sum(usages.map(({ cpu }) => cpu)),
      heap: sum(usages.map(({ heap }) => heap)),
      redis: await redis.cpu(),
      commands: await redis.commands()
    }
  }
  const before = await look()
  await sendAll(fleet, sessions)
  const after = await look()
  const each = (of: keyof typeof after) => (after[of] - before[of]) / (sessions * fleet.servers.length)
  return (
    `its first request needs ${each('commands').toFixed(2)} commands, ${each('redis').toFixed(1)} µs of Redis and ` +
    `${each('cpu').toFixed(0)} µs of the server, which then remembers it in ${each('heap').toFixed(0)} bytes`
  )
}

/**
 * Sends one request of each session to each server in turn. Side by side on one core, a garbage collection takes so long
 * that a process misses its heartbeat and forgets what it has read.
 */
async function sendAll({ name, servers, load }: Fleet, sessions: number): Promise<void> {
  for (const server of servers) {
    for (let sent = 0; sent < sessions; sent += STEP)
      await send(name, server, load, Math.min(STEP, sessions - sent))
  }
}

/** One row for each fleet; the ratio is to the first. */
async function measureFleets(
  redis: RedisServer,
  fleets: Fleet[],
  processes: number,
  sessions: number,
  amount: Amount
): Promise<Row[]> {
  const micros = new Map<string, number[]>(fleets.map(({ name }) => [name, []]))
  const looks = new Map<string, Look[]>(fleets.map(({ name }) => [name, []]))
  // What was sent so far were first requests: those of sessions that are known are other code.
  for (const fleet of fleets) await sendAll(fleet, STEP)
  for (let round = 0; round < amount.rounds; round++) {
    for (const { name, servers, load } of inOrderOf(round, fleets)) {
      const each = await Promise.all(servers.map(server => microsOf(name, server, load, STEP)))
      micros.get(name)?.push(sum(each) / processes)
      looks.get(name)?.push(await look(redis, servers, load.traffic, amount))
    }
  }
  return fleets.map(fleet => {
    const median = (of: keyof Look) => spreadOf((looks.get(fleet.name) as Look[]).map(one => one[of])).median
    const { label, ...row } = rowOf(fleet, micros, BASELINE)
    return {
      ...row,
      name: `${fleet.name} ${processes} ${sessions}`,
      label: `${label}, ${processes === 1 ? '1 process' : `${processes} processes`}, ${sessions.toLocaleString('en')} sessions`,
      note: `p50 ${median('p50').toFixed(2)} ms; p99 ${median('p99').toFixed(2)} ms; commands ${median('commands').toFixed(3)}`
    }
  })
}

async function look(redis: RedisServer, servers: Server[], traffic: Traffic, { latencySeconds }: Amount) {
  const before = await redis.commands()
  const percentiles = await latencyOf(servers, traffic, latencySeconds)
  return { ...percentiles, commands: ((await redis.commands()) - before) / (latencySeconds * RATE) }
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function bytes(count: number, sessions: number): string {
  return `${Math.round(count / sessions)} bytes`
}
