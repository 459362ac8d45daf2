// CORS, a limit of requests, and OpenAPI in the right order. Hooks run in the order of registration, and the guard ends
// requests without a token. So register a plugin before the login if a 401 needs this plugin too. Leave out plugins
// that you do not need. The program of ../deployment.md has helmet and under-pressure at the same place.
import cors from '@fastify/cors'
import rateLimit from '@fastify/rate-limit'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import Fastify from 'fastify'
import screenAuth from 'fastify-screen-auth'
import { ScreenContract } from 'fastify-screen-auth/schemas'

// Behind a proxy, set `trustProxy` to its address. Otherwise all clients have one address and share one rate limit.
const app = Fastify({ logger: true })

// Before the login: a browser sends no token with a preflight, and hides a 401 without these headers from the client.
await app.register(cors, { origin: ['https://app.example.com'], exposedHeaders: ['Content-Location', 'Retry-After'] })

// Limits all requests of an address, except health checks. The hooks of this plugin belong to routes: they run after
// the guard and would not count a 401. A hook of the server runs for every request, also for unknown URLs.
await app.register(rateLimit, { global: false, max: 100, timeWindow: '1 minute' })
app.addHook('onRequest', app.rateLimit({ allowList: request => request.routeOptions.url === '/healthz' }))

// Before the login, so that the document has the three routes of the login: the plugin sees only later routes.
await app.register(swagger, { openapi: { openapi: '3.1.0', info: { title: 'Screens', version: '1.0.0' } } })

await app.register(screenAuth, {
  checkCredentials: ({ username, password }) =>
    username === 'ada' && password === 'correct horse' ? { username: 'ada', displayName: 'Ada Lovelace' } : null,
  mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs: [] } })
})

// In a scope with public routes, because a browser that opens a page sends no token. Everyone can then read the
// document: leave this scope out if that is a problem.
await app.register(async scope => {
  scope.addHook('onRoute', route => {
    route.config = { ...route.config, screenAuth: false }
  })
  await scope.register(swaggerUi)
})

app.get('/healthz', { config: { screenAuth: false } }, async () => 'ok')
const schema = { response: { 200: ScreenContract } }
app.get('/screen/profile', { schema }, async request => ({ layout: 'Card', title: request.screenUser.username }))

await app.listen({ port: 3000 })
