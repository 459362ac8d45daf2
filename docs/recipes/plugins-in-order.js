// Other plugins in the order that they need. Hooks run in the order of registration, and the guard ends a request
// without a token. So what a 401 needs, too, is registered before the login. Leave out what you do not need.
import cors from '@fastify/cors'
import helmet from '@fastify/helmet'
import rateLimit from '@fastify/rate-limit'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import underPressure from '@fastify/under-pressure'
import Fastify from 'fastify'
import screenAuth from 'fastify-screen-auth'

// Behind a proxy, set `trustProxy` to its address: without it all clients have one address, and share one rate limit.
const app = Fastify({ logger: true })

// Before the login, so that a 401 has the headers, too.
await app.register(helmet)

// Before the login: a browser sends no token with a preflight, and hides a 401 without these headers from the client.
await app.register(cors, { origin: ['https://app.example.com'], exposedHeaders: ['Retry-After'] })

// Before the login: a server under pressure responds 503 and checks no token, so a client keeps its token. The health
// check is for a load balancer, which then sends requests to other servers. Do not use it to restart servers (a
// liveness probe): that makes the pressure worse.
await app.register(underPressure, {
  maxEventLoopDelay: 1000,
  maxRssBytes: Number(process.env.MAX_RSS_BYTES ?? 1_000_000_000),
  exposeStatusRoute: {
    url: '/healthz',
    // Public, and without two lines in the log for each check.
    routeOpts: { config: { screenAuth: false }, logLevel: 'warn' }
  }
})

// A limit for all requests of an address. The hooks that this plugin adds by itself belong to routes: they run after the
// guard, and would not count a 401. The hook of the server sees every request, those to unknown URLs too.
await app.register(rateLimit, { global: false, max: 100, timeWindow: '1 minute' })
app.addHook('onRequest', app.rateLimit())

// Before the login, so that its three routes are in the document, too. It sees only routes that are added after it.
await app.register(swagger, { openapi: { openapi: '3.1.0', info: { title: 'Screens', version: '1.0.0' } } })

await app.register(screenAuth, {
  checkCredentials: ({ username, password }) =>
    username === 'ada' && password === 'correct horse' ? { username: 'ada', displayName: 'Ada Lovelace' } : null,
  mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs: [] } })
})

// In a scope whose routes are public, because a browser that opens a page sends no token. Then everybody can read the
// document: if that is not what you want, leave this scope out.
await app.register(async scope => {
  scope.addHook('onRoute', route => {
    route.config = { ...route.config, screenAuth: false }
  })
  await scope.register(swaggerUi)
})

app.get('/screen/profile', async request => ({ layout: 'Card', title: request.screenUser.username }))

await app.listen({ port: 3000 })
