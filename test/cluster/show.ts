import { RedisServer, type Scope } from '../redis-server.ts'
import { type Cut, Wire } from '../wire.ts'
import type { EndedSession } from './ended-session.ts'
import type { Figures } from './figures.ts'
import { Fleet, SIZE } from './fleet.ts'
import { capacityOf, Load } from './load.ts'
import {
  crashEach,
  cutCables,
  endSessions,
  freezeRedis,
  lockOut,
  logInEverywhere,
  loseRedis,
  rotateSecret
} from './scenarios.ts'

const USERS = 1_000
const LOCKED_OUT = 40
/** What happens to the cables, and after how many milliseconds they are mended. */
const CUTS: [string, Cut, number][] = [
  ['cables to Redis are cut: connections are closed', 'closed', 5_000],
  ['all is swallowed, both ways', 'silent', 5_000],
  ['all that Redis says is swallowed', 'deaf', 5_000],
  ['all comes late, after 1.5 s', 'frozen', 1_500],
  ['all comes late, after 5 s', 'frozen', 5_000]
]
const SECRETS: [string, string] = [
  'the old secret, of at least 32 bytes',
  'the new secret, of at least 32 bytes'
]

/** Runs the scenarios with four processes that share a Redis, with four that are cut off from it, and with JWTs. */
export async function show(scope: Scope, tell: (figures: Figures) => void): Promise<void> {
  const redis = await RedisServer.start(scope)
  const fleet = await Fleet.start(scope, USERS, { SVC_REDIS_URL: redis.url })
  const [figures, tokens] = await logInEverywhere(fleet, USERS)
  tell(figures)
  const rest = [...tokens.values()].slice(USERS / 2)
  const capacity = Math.round(await capacityOf(fleet, rest))
  const ended: EndedSession[] = []
  for (const [share, perSecond] of [
    ['a tenth of the load', Math.round(capacity / 10)],
    ['full load', undefined]
  ] as const) {
    const title = `sessions are ended at ${share} (${perSecond ?? capacity}/s)`
    const load = await Load.start(fleet, rest, perSecond)
    const [figures, sessions] = await endSessions(title, fleet, tokens, load)
    tell(figures)
    ended.push(...sessions)
  }
  tell(await lockOut(fleet, LOCKED_OUT))
  tell(await crashEach(fleet, tokens))
  tell(await loseRedis(fleet, tokens, ended, redis))
  await fleet.stop()

  const wires = await Promise.all(Array.from({ length: SIZE }, () => Wire.lay(scope, redis.port)))
  const cutOff = await Fleet.start(scope, USERS, {}, wires)
  for (const [title, how, length] of CUTS) tell(await cutCables(title, cutOff, wires, how, length))
  tell(await freezeRedis(cutOff, redis))
  await cutOff.stop()

  const jwtFleet = await Fleet.start(scope, USERS, { SVC_AUTH_SECRET: SECRETS[0] })
  tell(await rotateSecret(jwtFleet, USERS, SECRETS))
}
