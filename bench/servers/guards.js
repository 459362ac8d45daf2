/** The compared servers. Each function returns a server, and a token if the server accepts none of the shared JWTs. */
import Fastify from 'fastify'
import { createClient } from 'redis'
import { addLogin, DISPLAY_NAME, LIFETIME, menu, menuOf, menuOptions, PASSWORD, SECRET } from './data.js'

/** Fastify without authentication: the baseline. */
export async function fastify() {
  const { ScreenContract } = await import('../../dist/schemas/generated/compiled.js')
  const app = Fastify()
  addLogin(app, () => 'a constant token, because no server checks it')
  app.get('/menu/main', menuOptions, async () => menuOf(DISPLAY_NAME))
  app.get('/screen', { schema: { response: { 200: ScreenContract } } }, async () => menuOf(DISPLAY_NAME))
  return { app }
}

/** This package with all defaults, as in its README: the throttle is on. */
export async function screenAuth(hasRedis) {
  const { default: plugin, opaqueTokens, redisStore } = await import('../../dist/lib/index.mjs')
  const { ScreenContract } = await import('../../dist/schemas/generated/compiled.js')
  const app = Fastify()
  const connect = () => createClient({ url: process.env.BENCH_REDIS_URL }).connect()
  const tokens = hasRedis && opaqueTokens({ store: redisStore(await connect(), { prefix: 'bench:' }) })
  await app.register(plugin, {
    ...(tokens ? { tokens } : { secret: SECRET }),
    checkCredentials: async ({ username }) => ({ username, displayName: DISPLAY_NAME }),
    mainMenu: () => menu
  })
  app.get('/screen', { schema: { response: { 200: ScreenContract } } }, async () => menu)
  const user = { username: 'ada', displayName: DISPLAY_NAME }
  return { app, ...(tokens && { token: await app.screenAuth.issueToken(user) }) }
}

/** A guard built by hand: the hook of @fastify/jwt's README, and a login that signs. Its cache is off, the default. */
export async function fastifyJwt() {
  const { default: jwt } = await import('@fastify/jwt')
  const app = Fastify()
  // Only HS256, like the other servers.
  await app.register(jwt, {
    secret: SECRET,
    sign: { algorithm: 'HS256', expiresIn: LIFETIME },
    verify: { algorithms: ['HS256'] }
  })
  addLogin(app, ({ body }) => app.jwt.sign({ sub: body.fields.username, display_name: DISPLAY_NAME }))
  app.register(async guarded => {
    guarded.addHook('onRequest', async (request, reply) => {
      try {
        await request.jwtVerify()
      } catch (err) {
        reply.send(err)
      }
    })
    guarded.get('/menu/main', menuOptions, async ({ user }) => menuOf(user.display_name))
  })
  return { app }
}

/**
 * Better Auth on Fastify, with its memory adapter and its bearer plugin. It does more than the JWT servers: for every
 * request it checks the signature of the token, and looks up the session and its user in the database. This database is
 * an array with one session, so the lookup costs almost nothing. The login hashes no password and has no rate limit.
 */
export async function betterAuth() {
  const { betterAuth } = await import('better-auth')
  const { memoryAdapter } = await import('better-auth/adapters/memory')
  const { fromNodeHeaders } = await import('better-auth/node')
  const { bearer } = await import('better-auth/plugins')
  const auth = betterAuth({
    baseURL: 'http://127.0.0.1',
    secret: SECRET,
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
  const credentials = { email: 'ada@example.com', password: PASSWORD }
  const body = { ...credentials, name: DISPLAY_NAME }
  const { headers } = await auth.api.signUpEmail({ body, returnHeaders: true })
  const app = Fastify()
  addLogin(app, async request => {
    // Calls the API directly to avoid the cost of a web Request and Response.
    const options = { body: credentials, headers: fromNodeHeaders(request.headers), returnHeaders: true }
    return (await auth.api.signInEmail(options)).headers.get('set-auth-token')
  })
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
