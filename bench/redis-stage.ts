import { opaqueTokens, redisStore } from 'fastify-screen-auth'
import { createClient } from 'redis'
import type { Contender } from './contenders.ts'
import type { Load } from './load.ts'
import { RedisServer } from './redis-server.ts'
import { Server } from './server.ts'
import { DISPLAY_NAME, LIFETIME } from './servers/data.js'
import { tokensOf } from './tokens.ts'
import { menuWith, Traffic } from './traffic.ts'

const USERS = 1_000
/** Logins that wait for Redis side by side. */
const AT_A_TIME = 1_000

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
      return new RedisStage(redis, await startSessions(redis.url, USERS))
    } catch (error) {
      redis.stop()
      throw error
    }
  }

  /** @param redisUrl another URL for the same Redis, for example of a proxy */
  startServer(contender: Contender, redisUrl = this.redis.url): Promise<Server> {
    return Server.start(contender, { redisUrl, cache: contender.cache })
  }

  tokensFor({ token }: Contender): string[] {
    return token === 'own' ? this.#sessions : this.#jwts
  }

  /** All users in turn. The warm-up sends at least one request of each. */
  loadFor(contender: Contender, path?: string): Load {
    return { traffic: new Traffic(menuWith(this.tokensFor(contender), path)), status: 200 }
  }
}

/** The tokens of so many users. They are issued outside the servers, so that no server remembers one. */
export async function startSessions(redisUrl: string, users: number): Promise<string[]> {
  const redis = await createClient({ url: redisUrl }).connect()
  const tokens = opaqueTokens({ store: redisStore(redis), lifetime: LIFETIME })
  const sessions: string[] = []
  while (sessions.length < users) {
    const some = Array.from({ length: Math.min(AT_A_TIME, users - sessions.length) }, (_, i) => ({
      username: `user-${sessions.length + i}`,
      displayName: DISPLAY_NAME
    }))
    sessions.push(...(await Promise.all(some.map(user => tokens.issue(user)))))
  }
  redis.destroy()
  return sessions
}
