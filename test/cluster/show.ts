import { RedisServer, type Scope } from '../redis-server.ts'
import type { Figures } from './figures.ts'
import { Fleet } from './fleet.ts'
import { crashEach, endSessions, lockOut, logInEverywhere, loseRedis, rotateSecret } from './plays.ts'

const USERS = 1_000
const LOCKED_OUT = 40
const SECRETS: [string, string] = [
  'the old secret, of at least 32 bytes',
  'the new secret, of at least 32 bytes'
]

/** Plays the scenarios with four processes that share a Redis, and then with four that use JWTs. */
export async function show(scope: Scope, tell: (figures: Figures) => void): Promise<void> {
  const redis = await RedisServer.start(scope)
  const fleet = await Fleet.start(scope, USERS, { SVC_REDIS_URL: redis.url })
  const [figures, tokens] = await logInEverywhere(fleet, USERS)
  tell(figures)
  tell(await endSessions(fleet, tokens))
  tell(await lockOut(fleet, LOCKED_OUT))
  tell(await crashEach(fleet, tokens))
  tell(await loseRedis(fleet, tokens, redis))
  await fleet.stop()

  const jwtFleet = await Fleet.start(scope, USERS, { SVC_AUTH_SECRET: SECRETS[0] })
  tell(await rotateSecret(jwtFleet, USERS, SECRETS))
}
