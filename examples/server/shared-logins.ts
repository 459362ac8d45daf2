import Fastify, { type FastifyInstance } from 'fastify'
import screenAuth, { type OpaqueTokens, opaqueTokens, redisStore } from 'fastify-screen-auth'
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
        async (app, tokens) => {
          await app.screenAuth.forgetNetworks(name)
          await tokens.revokeAll(name)
        },
        `the sessions of ${name} stay valid; when Redis is back, run: npm run users -- sign-out ${name}`
      ),
    unlock: name =>
      change(
        redisUrl,
        app => app.screenAuth.unlock({ username: name }),
        `the failed logins of ${name} still count; repeat this command when Redis is back`
      )
  }
}

/**
 * Makes a change with an app that has the login options of the servers but never listens.
 *
 * @throws SetupError with `consequence` when Redis is down
 */
async function change(
  redisUrl: string,
  apply: (app: FastifyInstance, tokens: OpaqueTokens) => Promise<void>,
  consequence: string
): Promise<void> {
  const redis = redisClient(redisUrl)
  const store = redisStore(redis, { prefix: PREFIX })
  const tokens = opaqueTokens({ store })
  const app = Fastify()
  try {
    await connect(redis, { info() {}, error() {} })
    await app.register(screenAuth, {
      tokens,
      throttle: { store },
      checkCredentials: () => null,
      mainMenu: () => ({ layout: 'Menu', title: 'Main Menu' })
    })
    await app.ready()
    await apply(app, tokens)
  } catch (error) {
    if (error instanceof SetupError) throw error
    throw new SetupError(`Redis is down, so ${consequence}`)
  } finally {
    await app.close()
    redis.destroy()
  }
}
