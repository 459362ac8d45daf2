import { createKeyv } from '@keyv/redis'
import { opaqueTokens } from 'fastify-screen-auth'
import type { Contender } from './contenders.ts'
import type { Load } from './load.ts'
import { RedisServer } from './redis-server.ts'
import { Server } from './server.ts'
import { DISPLAY_NAME, LIFETIME } from './servers/data.js'
import { tokensOf } from './tokens.ts'
import { menuWith, Traffic } from './traffic.ts'

const USERS = 1_000

/** A Redis with the sessions of 1,000 users, and a JWT for each user. */
export class RedisStage {
  readonly redis: RedisServer
  readonly #jwts = tokensOf(USERS)
  readonly #sessions: string[]

  private constructor(redis: RedisServer, sessions: string[]) {
    this.redis = redis
    this.#sessions = sessions
  }

  /** Resolves to null if Redis is not installed. */
  static async start(): Promise<RedisStage | null> {
    const redis = await RedisServer.start()
    if (redis === null) return null
    try {
      return new RedisStage(redis, await startSessions(redis.url))
    } catch (error) {
      redis.stop()
      throw error
    }
  }

  /** @param redisUrl another URL for the same Redis, for example of a proxy */
  startServer(contender: Contender, redisUrl = this.redis.url): Promise<Server> {
    const { cache = 0 } = contender
    return Server.start(contender, { redisUrl, cache })
  }

  tokensFor({ token }: Contender): string[] {
    return token === 'own' ? this.#sessions : this.#jwts
  }

  /** All users in turn. Each sends one request before the first measurement, and one right before each. */
  loadFor(contender: Contender): Load {
    const traffic = new Traffic(menuWith(this.tokensFor(contender)))
    return { traffic, status: 200, before: USERS, runUp: USERS }
  }
}

/** Issues the tokens outside the servers, so that no server has one in its cache. */
async function startSessions(redisUrl: string): Promise<string[]> {
  const store = createKeyv(redisUrl)
  const tokens = opaqueTokens({ store, lifetime: LIFETIME })
  const names = Array.from({ length: USERS }, (_, i) => `user-${i}`)
  const user = (username: string) => ({ username, displayName: DISPLAY_NAME })
  const sessions = await Promise.all(names.map(name => tokens.issue(user(name), null)))
  await store.disconnect()
  return sessions
}
