// Traces with OpenTelemetry: a span for each request and, in a login, a span for the call of the user store. The time
// between the starts of the two spans is the time in the login queue. Pitfall: the end of one login starts a waiting
// login, whose spans must not join the trace of the first. The plugin keeps the async context, so `startActiveSpan` in
// `checkCredentials` finds the right parent. Spans contain no password, URL or error message, because these may contain
// entered text.
import { subscribe } from 'node:diagnostics_channel'
import { setTimeout as sleep } from 'node:timers/promises'
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { BatchSpanProcessor, ConsoleSpanExporter, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import Fastify from 'fastify'
import screenAuth from 'fastify-screen-auth'

// For a collector: `new OTLPTraceExporter()` of @opentelemetry/exporter-trace-otlp-http, which reads OTEL_EXPORTER_*.
const provider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(new ConsoleSpanExporter())] })
// Makes the active span follow the async context, with an AsyncLocalStorage.
provider.register()
const tracer = trace.getTracer('shop')

/** Runs a function within its own span. */
function traced(name, work) {
  return tracer.startActiveSpan(name, async span => {
    try {
      return await work(span)
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', error.code ?? error.name)
      throw error
    } finally {
      span.end()
    }
  })
}

const users = new Map([['ada', { username: 'ada', password: 'correct horse', displayName: 'Ada Lovelace' }]])

/** Replace this with your query. */
const findUser = username =>
  traced('find user', async span => {
    await sleep(20)
    const user = users.get(username)
    span.setAttribute('user.found', user !== undefined)
    return user
  })

const app = Fastify({ logger: true })
app.decorateRequest('span', null)

// Before the login, so that refused requests have a span, too. Ignores a `traceparent`: a client could choose the
// trace. Behind a proxy that sets it: `propagation.extract(context.active(), request.headers)`.
app.addHook('onRequest', async (request, reply) => {
  const { url = 'unknown' } = request.routeOptions
  const attributes = { 'http.request.method': request.method, 'http.route': url }
  request.span = tracer.startSpan(`${request.method} ${url}`, { kind: SpanKind.SERVER, attributes })
  const end = () => {
    if (reply.statusCode >= 500) request.span.setStatus({ code: SpanStatusCode.ERROR })
    request.span.setAttribute('http.response.status_code', reply.statusCode).end()
  }
  // After a disconnect, the outcome of a login is published a moment later.
  reply.raw.once('close', () => (reply.raw.writableFinished ? end() : setImmediate(end)))
})

// Runs after the body parser, which may continue in another context.
app.addHook('preValidation', (request, _reply, done) => {
  context.with(trace.setSpan(context.active(), request.span), done)
})

subscribe('fastify-screen-auth.login', ({ outcome, request }) => request.span?.setAttribute('login.outcome', outcome))

await app.register(screenAuth, {
  checkCredentials: async ({ username, password }) => {
    const user = await findUser(username)
    return user?.password === password ? user : null
  },
  mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs: [] } })
})

// Sends the remaining spans before the process ends.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => app.close().then(() => provider.shutdown()))

await app.listen({ port: 3000 })
