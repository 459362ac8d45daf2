import type { Request } from 'autocannon'
import { sendTo } from './check-responses.ts'
import { BASELINE, CONTROL, type Contender, contenders, OURS, redisContenders } from './contenders.ts'
import { versionsOf } from './environment.ts'
import { latencyOf, type Percentiles, RATE } from './latency.ts'
import { measure } from './measure.ts'
import type { Amount, Options } from './options.ts'
import { RedisStage } from './redis-stage.ts'
import type { RedisCost, RedisUse, Result, Run, Spread } from './report/report.ts'
import { spreadOf } from './report/spread.ts'
import { RoundTripCounter } from './round-trips.ts'
import { inOrderOf, warmUp } from './rounds.ts'
import { login, loginWith, menuWith } from './traffic.ts'

/** How many users have the commands of their requests counted, one after another. */
const FOLLOWED = 50

const TITLE = 'GET /menu/main with a JWT, and with sessions in Redis: the tokens of 1,000 users in turn'

const REMARKS = [
  'CPU time: of the server at full load, as a multiple of bare Fastify, for the menu of 400 bytes and for a route that returns `{"ok":true}`; all tokens have been seen before',
  'round trips: how often a request waits for Redis, one time after the other; in brackets its commands, with those that scripts run',
  'first use, then: with a token that the process has not seen before, and with one that it has',
  'login rejected, accepted: the wrong password from a network that is not known, the right one from a network that is; with sessions in Redis the throttle is in the same Redis',
  `commands, p50, p99: commands to Redis per request with its share of the heartbeat (one command a second of a process), and the time until the response, at ${RATE.toLocaleString('en')} requests per second`
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
    const short = await measureCpu(stage, chosen, amount, '/short')
    const followed = new Map<string, Followed>()
    for (const contender of chosen) followed.set(contender.name, await followUsers(stage, contender))
    const looks = await measureLatency(stage, chosen, amount)
    return {
      ...result,
      rows: rows.map(row => ({
        ...row,
        redis: {
          short: short.rows.find(({ name }) => name === row.name)?.ratio as Spread,
          ...(followed.get(row.name) as Followed),
          ...summary(looks.get(row.name) as Look[])
        }
      })),
      remarks: REMARKS,
      run: { ...run, versions: { ...versionsOf(chosen), 'redis-server': await stage.redis.version() } }
    }
  } finally {
    stage.redis.stop()
  }
}

function measureCpu(stage: RedisStage, chosen: Contender[], amount: Amount, path?: string): Promise<Result> {
  const scenario = {
    name: 'redis',
    title: TITLE,
    contenders: chosen,
    load: (contender: Contender) => stage.loadFor(contender, path),
    startServer: (contender: Contender) => stage.startServer(contender)
  }
  return measure(scenario, chosen, amount)
}

type Followed = Pick<RedisCost, 'firstUse' | 'known' | 'rejected' | 'login'>

/** What some users cost in Redis: the first request of each, the second request of each, and the logins. */
async function followUsers(stage: RedisStage, contender: Contender): Promise<Followed> {
  const counter = await RoundTripCounter.start(stage.redis.url)
  const server = await stage.startServer(contender, counter.url)
  const look = async () => ({ roundTrips: counter.count, commands: await stage.redis.commands() })
  const follow = async (requests: Request[]): Promise<RedisUse> => {
    const uses: RedisUse[] = []
    for (const request of requests) {
      const before = await look()
      await (await sendTo(server, request)).arrayBuffer()
      const after = await look()
      uses.push({
        roundTrips: after.roundTrips - before.roundTrips,
        commands: after.commands - before.commands
      })
    }
    // Not the mean: a heartbeat may come between, which belongs to no request.
    return {
      roundTrips: spreadOf(uses.map(({ roundTrips }) => roundTrips)).median,
      commands: spreadOf(uses.map(({ commands }) => commands)).median
    }
  }
  const menus = menuWith(stage.tokensFor(contender).slice(0, FOLLOWED))
  try {
    return {
      firstUse: await follow(menus),
      known: await follow(menus),
      // Each with a name of its own, or most would be blocked.
      rejected: await follow(menus.map((_, i) => loginWith(`user-${i}`, 'wrong password'))),
      login: await follow(menus.map(() => login))
    }
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
  const server = await stage.startServer(contender)
  try {
    const load = stage.loadFor(contender)
    await warmUp({ name: contender.name, server, load }, amount)
    const before = await stage.redis.commands()
    const percentiles = await latencyOf([server], load.traffic, amount.latencySeconds)
    const commands = (await stage.redis.commands()) - before
    return { ...percentiles, commands: commands / (amount.latencySeconds * RATE) }
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
