// Metrics for Prometheus: the duration of requests, logins by outcome, and refused requests by reason. A scraper has no
// token, so a second server has the metrics, and only this machine reaches it. In a container, let this server listen
// on an address of the internal network. Alert rules for these metrics: docs/operations.md.
import { subscribe } from 'node:diagnostics_channel'
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
const refusals = new Counter({
  name: 'refusals_total',
  help: 'Refused requests by reason',
  labelNames: ['reason']
})

// Starts at 0, so that Prometheus sees the first failure as an increase.
for (const outcome of ['accepted', 'rejected', 'blocked', 'overloaded', 'failed']) logins.inc({ outcome }, 0)
for (const reason of ['missing', 'invalid', 'unavailable']) refusals.inc({ reason }, 0)

// An exception in a listener would end the process; `inc` throws only for a label that is not declared above. A
// username is no label: prom-client keeps each value of a label for ever, and clients can invent any number of them.
subscribe('fastify-screen-auth.login', ({ outcome }) => logins.inc({ outcome }))
subscribe('fastify-screen-auth.refusal', ({ reason }) => refusals.inc({ reason }))

const app = Fastify({ logger: true })

app.addHook('onResponse', async (request, reply) => {
  // The pattern, not the URL: clients can invent any number of URLs.
  const { url: route = 'unknown' } = request.routeOptions
  duration.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000)
})

await app.register(screenAuth, {
  checkCredentials: ({ username, password }) =>
    username === 'ada' && password === 'correct horse' ? { username: 'ada', displayName: 'Ada Lovelace' } : null,
  mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs: [] } })
})

app.get('/screen/order/:id', async request => ({ layout: 'Card', title: `Order ${request.params.id}` }))

const metrics = Fastify()
metrics.get('/metrics', async (_request, reply) => reply.type(register.contentType).send(await register.metrics()))
app.addHook('onClose', () => metrics.close())

await app.listen({ port: 3000 })
await metrics.listen({ host: '127.0.0.1', port: 9464 })
