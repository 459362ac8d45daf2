/** This package with all defaults, as in its README: the throttle is on. The `otherRoutes` receive no requests. */
import Fastify from 'fastify'
import screenAuth, { opaqueTokens, redisStore } from '../../dist/lib/index.mjs'
import { ScreenContract } from '../../dist/schemas/generated/compiled.js'
import { DISPLAY_NAME as displayName, menu, SECRET } from './data.js'

export async function start({ otherRoutes = 0, hasRedis = false }) {
  const app = Fastify()
  await app.register(screenAuth, {
    ...(hasRedis ? { tokens: await sessions() } : { secret: SECRET }),
    checkCredentials: async ({ username }) => ({ username, displayName }),
    mainMenu: () => menu
  })
  app.get('/screen', { schema: { response: { 200: ScreenContract } } }, async () => menu)
  for (let i = 0; i < otherRoutes; i++) app.get(`/screen/area-${i % 50}/page-${i}`, async () => ({}))
  return { app, ...(hasRedis && { token: await app.screenAuth.issueToken({ username: 'ada', displayName }) }) }
}

async function sessions() {
  // Not at the top: the scenarios `start` and `memory` must not load a client that they do not use.
  const { createClient } = await import('redis')
  const client = await createClient({ url: process.env.BENCH_REDIS_URL }).connect()
  return opaqueTokens({ store: redisStore(client) })
}
