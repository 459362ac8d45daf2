// Metrics for Prometheus: the duration of the requests, and the logins by outcome. A scraper has no token, so the
// metrics have a server of their own, which only this machine reaches. In a container, let it listen on an address
// of the inner network.
import Fastify from 'fastify'
import screenAuth from 'fastify-screen-auth'
import { Counter, collectDefaultMetrics, Histogram, register } from 'prom-client'

collectDefaultMetrics()

const duration = new Histogram({
  name: 'http_request_duration_seconds',
  help: 'Duration of the requests in seconds',
  labelNames: ['method', 'route', 'status']
})
const logins = new Counter({ name: 'logins_total', help: 'Logins by outcome', labelNames: ['outcome'] })
// From 0 on, so that a first failure is seen as an increase.
for (const outcome of ['accepted', 'rejected', 'throttled', 'failed']) logins.inc({ outcome }, 0)

/** 'rejected' is the fault of the client (a malformed request, too), 'failed' that of the server. */
function outcomeOf(request, reply) {
  if (reply.statusCode >= 500) return 'failed'
  if (reply.statusCode === 200 && request.screenUser !== null) return 'accepted'
  return reply.hasHeader('retry-after') ? 'throttled' : 'rejected'
}

const app = Fastify({ logger: true })

// Before the login is registered: a scope has the hooks that were there before it.
app.addHook('onResponse', async (request, reply) => {
  // The pattern and not the URL: each value of a label is kept for ever, and a client can invent any number of URLs.
  const { url: route = 'unknown' } = request.routeOptions
  duration.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000)
  if (request.method === 'POST' && route === '/auth/login') logins.inc({ outcome: outcomeOf(request, reply) })
})

const users = new Map([['ada', { password: 'correct horse', displayName: 'Ada Lovelace' }]])

await app.register(screenAuth, {
  checkCredentials: ({ username, password }) => {
    const user = users.get(username)
    return user?.password === password ? { username, displayName: user.displayName } : null
  },
  mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs: [] } })
})

app.get('/screen/order/:id', async request => ({ layout: 'Card', title: `Order ${request.params.id}` }))

const metrics = Fastify()
metrics.get('/metrics', async (_request, reply) =>
  reply.type(register.contentType).send(await register.metrics())
)
app.addHook('onClose', () => metrics.close())

await app.listen({ port: 3000 })
await metrics.listen({ host: '127.0.0.1', port: 9464 })
