import { setTimeout as sleep } from 'node:timers/promises'
import { sendTo } from './check-responses.ts'
import { BASELINE, CONTROL, type Contender, contenders, OURS, redisContenders } from './contenders.ts'
import { versionsOf } from './environment.ts'
import { latencyOf, type Percentiles, RATE } from './latency.ts'
import { measure } from './measure.ts'
import type { Amount, Options } from './options.ts'
import { RedisStage } from './redis-stage.ts'
import type { RedisCost, RedisUse, Result, Run } from './report/report.ts'
import { spreadOf } from './report/spread.ts'
import { RoundTripCounter } from './round-trips.ts'
import { inOrderOf, warmUp } from './rounds.ts'
import { menuWith } from './traffic.ts'

/** How many users have the commands of their requests counted, one after another. */
const FOLLOWED = 50

const TITLE = 'GET /menu/main with a JWT, and with sessions in Redis: the tokens of 1,000 users in turn'

const REMARKS = [
  'CPU time: of the server at full load, as a multiple of bare Fastify; all tokens have been seen before, with the cache in the last seconds',
  'round trips: how often a request waits for Redis, with a token that the process has not seen before, and with one that it has just seen',
  `commands, p50, p99: commands to Redis per request, and the time until the answer, at ${RATE.toLocaleString('en')} requests per second; each user comes once a second, so that the cache asks Redis for every fifth request`
]

const candidates: Contender[] = [
  ...contenders
    .filter(({ name }) => [BASELINE, CONTROL, OURS].includes(name))
    .map(one => (one.name === OURS ? { ...one, label: `${one.label}, JWT` } : one)),
  ...redisContenders
]

/** Measures what sessions in Redis cost, compared with a JWT. Resolves to null if Redis is not installed. */
export async function measureRedis(
  isChosen: Options['isChosen'],
  amount: Amount,
  run: Run
): Promise<Result | null> {
  const stage = await RedisStage.start()
  if (stage === null) return null
  try {
    const chosen = candidates.filter(contender => isChosen(contender, 'redis'))
    const { rows, ...result } = await measureCpu(stage, chosen, amount)
    const followed = new Map<string, Followed>()
    for (const contender of chosen) followed.set(contender.name, await follow(stage, contender))
    const looks = await measureLatency(stage, chosen, amount)
    return {
      ...result,
      rows: rows.map(row => ({
        ...row,
        redis: { ...(followed.get(row.name) as Followed), ...summary(looks.get(row.name) as Look[]) }
      })),
      remarks: REMARKS,
      run: { ...run, versions: { ...versionsOf(chosen), 'redis-server': await stage.redis.version() } }
    }
  } finally {
    stage.redis.stop()
  }
}

function measureCpu(stage: RedisStage, chosen: Contender[], amount: Amount): Promise<Result> {
  const scenario = {
    name: 'redis',
    title: TITLE,
    contenders: chosen,
    load: (contender: Contender) => stage.loadFor(contender),
    startServer: (contender: Contender) => stage.startServer(contender)
  }
  return measure(scenario, chosen, amount)
}

type Followed = Pick<RedisCost, 'firstUse' | 'known'>

/** What the requests of some users cost in Redis: the first one of each, and the second one of each. */
async function follow(stage: RedisStage, contender: Contender): Promise<Followed> {
  const counter = await RoundTripCounter.start(stage.redis.url)
  const server = await stage.startServer(contender, counter.url)
  const requests = menuWith(stage.tokensFor(contender).slice(0, FOLLOWED))
  const sendAll = async (): Promise<RedisUse> => {
    const before = { roundTrips: counter.count, commands: await stage.redis.commands() }
    for (const request of requests) await (await sendTo(server, request)).arrayBuffer()
    return {
      roundTrips: (counter.count - before.roundTrips) / FOLLOWED,
      commands: ((await stage.redis.commands()) - before.commands) / FOLLOWED
    }
  }
  try {
    return { firstUse: await sendAll(), known: await sendAll() }
  } finally {
    await server.stop()
    counter.stop()
  }
}

interface Look extends Percentiles {
  /** Commands to Redis per request. */
  commands: number
}

/** @returns one latency measurement for each set of processes, by the name of the contender */
async function measureLatency(
  stage: RedisStage,
  chosen: Contender[],
  amount: Amount
): Promise<Map<string, Look[]>> {
  const looks = new Map<string, Look[]>(chosen.map(({ name }) => [name, []]))
  for (let i = 0; i * amount.roundsOfAProcess < amount.rounds; i++) {
    for (const contender of inOrderOf(i, chosen)) {
      looks.get(contender.name)?.push(await lookAtLatency(stage, contender, amount))
    }
  }
  return looks
}

async function lookAtLatency(stage: RedisStage, contender: Contender, amount: Amount): Promise<Look> {
  const { name, cache = 0 } = contender
  const server = await stage.startServer(contender)
  try {
    const load = stage.loadFor(contender)
    await warmUp({ name, server, load }, amount)
    // Until the cache is empty. Then, for the lifetime of a cached session, each session needs one request to Redis.
    await sleep(cache * 1000)
    const seconds = Math.max(cache, amount.latencySeconds)
    const before = await stage.redis.commands()
    const percentiles = await latencyOf(server, load.traffic, seconds)
    const commands = (await stage.redis.commands()) - before
    return { ...percentiles, commands: commands / (seconds * RATE) }
  } finally {
    await server.stop()
  }
}

function summary(looks: Look[]): Pick<RedisCost, 'commands' | 'latency'> {
  return {
    commands: spreadOf(looks.map(({ commands }) => commands)).median,
    latency: { p50: spreadOf(looks.map(({ p50 }) => p50)), p99: spreadOf(looks.map(({ p99 }) => p99)) }
  }
}
