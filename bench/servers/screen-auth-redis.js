/** This package with its sessions and its failed logins in one Redis. It makes a token for one more user. */
import Fastify from 'fastify'
import { RateLimiterRedis } from 'rate-limiter-flexible'
import { createClient } from 'redis'
import screenAuth, { insuredStore, opaqueTokens, redisStore } from '../../dist/lib/index.js'
import { DISPLAY_NAME as displayName, LIFETIME, menu, PASSWORD } from './data.js'
import { addOtherRoutes, listen } from './fastify-routes.js'

export async function start({ redisUrl, cache }) {
  const redis = createClient({
    url: redisUrl,
    RESP: 3,
    emitInvalidate: true,
    maintNotifications: 'disabled',
    disableOfflineQueue: true
  })
  await redis.connect()
  const app = Fastify()
  await app.register(screenAuth, {
    tokens: opaqueTokens({ store: redisStore(redis), lifetime: LIFETIME, cache }),
    throttle: {
      // All requests of the benchmark come from one.
      address: { failures: 1_000, seconds: 3600 },
      store: options =>
        insuredStore(new RateLimiterRedis({ ...options, storeClient: redis, useRedisPackage: true }), options)
    },
    checkCredentials: async ({ username, password }) =>
      password === PASSWORD ? { username, displayName } : null,
    mainMenu: () => menu
  })
  addOtherRoutes(app)
  await app.ready()
  return listen(app, await app.screenAuth.issueToken({ username: 'one more user', displayName }))
}
