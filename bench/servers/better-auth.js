/**
 * Better Auth on Fastify, with its memory adapter and its bearer plugin. It does more than the JWT servers: for every
 * request it checks the signature of the token, and looks up the session and its user in the database. This database is
 * an array with one session, so the lookup costs almost nothing. With `hasRedis` the session is in Redis instead. The
 * login hashes no password and has no rate limit.
 */
import { betterAuth } from 'better-auth'
import { memoryAdapter } from 'better-auth/adapters/memory'
import { fromNodeHeaders } from 'better-auth/node'
import { bearer } from 'better-auth/plugins'
import Fastify from 'fastify'
import { addLogin, DISPLAY_NAME, LIFETIME, menuOf, menuOptions, PASSWORD as password, SECRET } from './data.js'

const email = 'ada@example.com'

const createAuth = secondaryStorage =>
  betterAuth({
    baseURL: 'http://127.0.0.1',
    secret: SECRET,
    secondaryStorage,
    database: memoryAdapter({ user: [], session: [], account: [], verification: [] }),
    emailAndPassword: {
      enabled: true,
      // No hash, because the other servers also calculate none.
      password: { hash: async text => text, verify: async ({ hash, password }) => hash === password }
    },
    plugins: [bearer()],
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: { disabled: true }
  })

/** Calls the API directly to avoid the cost of a web Request and Response. */
async function signIn(auth, request) {
  const { headers } = await auth.api.signInEmail({
    body: { email, password },
    headers: fromNodeHeaders(request.headers),
    returnHeaders: true
  })
  return headers.get('set-auth-token')
}

async function redisStorage() {
  const { createClient } = await import('redis')
  const redis = await createClient({ url: process.env.BENCH_REDIS_URL }).connect()
  return {
    get: key => redis.get(key),
    set: (key, value, ttl = LIFETIME) => redis.set(key, value, { EX: ttl }),
    delete: key => redis.del(key)
  }
}

export async function start({ hasRedis = false }) {
  const auth = createAuth(hasRedis ? await redisStorage() : undefined)
  const { headers } = await auth.api.signUpEmail({
    body: { email, password, name: DISPLAY_NAME },
    returnHeaders: true
  })
  const app = Fastify()
  addLogin(app, request => signIn(auth, request))
  app.register(async guarded => {
    guarded.decorateRequest('session', null)
    guarded.addHook('onRequest', async (request, reply) => {
      request.session = await auth.api.getSession({ headers: fromNodeHeaders(request.headers) })
      if (request.session === null) return reply.code(401).send()
    })
    guarded.get('/menu/main', menuOptions, async ({ session }) => menuOf(session.user.name))
  })
  return { app, token: headers.get('set-auth-token') }
}
