/** This package with its sessions in Redis, which reports what changes. It makes a token for one more user. */
import { createClient, createKeyv } from '@keyv/redis'
import Fastify from 'fastify'
import screenAuth, { opaqueTokens } from '../../dist/lib/index.js'
import { DISPLAY_NAME as displayName, LIFETIME, menu } from './data.js'
import { listen } from './fastify-routes.js'

export async function start({ redisUrl, cache }) {
  const redis = createClient({ url: redisUrl, RESP: 3, emitInvalidate: true, disableOfflineQueue: true })
  await redis.connect()
  const app = Fastify()
  await app.register(screenAuth, {
    tokens: opaqueTokens({ store: createKeyv(redis), lifetime: LIFETIME, cache }),
    checkCredentials: async ({ username }) => ({ username, displayName }),
    mainMenu: () => menu
  })
  await app.ready()
  return listen(app, await app.screenAuth.issueToken({ username: 'one more user', displayName }))
}
