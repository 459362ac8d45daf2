/** This package with its sessions in Redis, through Keyv. It makes a token for one more user. */
import { createKeyv } from '@keyv/redis'
import Fastify from 'fastify'
import screenAuth, { opaqueTokens } from '../../dist/lib/index.js'
import { DISPLAY_NAME as displayName, LIFETIME, menu } from './data.js'
import { listen } from './fastify-routes.js'

export async function start({ redisUrl, cache }) {
  const app = Fastify()
  await app.register(screenAuth, {
    tokens: opaqueTokens({ store: createKeyv(redisUrl), lifetime: LIFETIME, cache }),
    checkCredentials: async ({ username }) => ({ username, displayName }),
    mainMenu: () => menu
  })
  await app.ready()
  return listen(app, await app.screenAuth.issueToken({ username: 'one more user', displayName }))
}
