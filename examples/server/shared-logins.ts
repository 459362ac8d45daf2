import { type LoginLimits, loginLimits, type OpaqueTokens, opaqueTokens, redisStore } from 'fastify-screen-auth'
import { SetupError } from './errors.ts'
import { connect, PREFIX, redisClient } from './redis.ts'

/** Operations on the login data of running servers. */
export interface Logins {
  /** Revokes all sessions of a user, and forgets the networks from which the user has logged in. */
  end(name: string): Promise<void>
  /** Deletes the failed logins of a user. */
  unlock(name: string): Promise<void>
}

/** Changes the sessions, known networks and failed logins that the servers share in Redis. */
export function sharedLogins(redisUrl: string): Logins {
  return {
    end: name =>
      change(
        redisUrl,
        async (limits, tokens) => {
          await limits.forgetNetworks(name)
          await tokens.revokeAll(name)
        },
        `the sessions of ${name} stay valid; when Redis is back, run: npm run users -- sign-out ${name}`
      ),
    unlock: name =>
      change(
        redisUrl,
        limits => limits.unlock({ username: name }),
        `the failed logins of ${name} still count; repeat this command when Redis is back`
      )
  }
}

/** @throws SetupError with `consequence` when Redis is down */
async function change(
  redisUrl: string,
  apply: (limits: LoginLimits, tokens: OpaqueTokens) => Promise<void>,
  consequence: string
): Promise<void> {
  const redis = redisClient(redisUrl)
  const store = redisStore(redis, { prefix: PREFIX })
  try {
    await connect(redis, { info() {}, error() {} })
    await apply(loginLimits({ store }), opaqueTokens({ store }))
  } catch (error) {
    if (error instanceof SetupError) throw error
    throw new SetupError(`Redis is down, so ${consequence}`)
  } finally {
    redis.destroy()
  }
}
