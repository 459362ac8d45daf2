// Server-sent events behind the login. The guard checks only the start of a request, but a stream can last for hours.
// So the server checks the session every few seconds. An open stream does not renew its session, so the session expires
// without other requests. EventSource cannot send a token. `fetch` can, and reads the response as a stream.
import { PassThrough } from 'node:stream'
import Fastify from 'fastify'
import screenAuth, { bearerToken, opaqueTokens } from 'fastify-screen-auth'

const TIME_BETWEEN_CHECKS = Number(process.env.CHECK_SECONDS ?? 5) * 1000
const LIFETIME = Number(process.env.IDLE_SECONDS ?? 1800)
// In memory, for a trial: redis.js has sessions that several servers share.
const tokens = opaqueTokens({ lifetime: LIFETIME, maxLifetime: 12 * 3600 })
const app = Fastify({ logger: true })

await app.register(screenAuth, {
  tokens,
  checkCredentials: ({ username, password }) =>
    username === 'ada' && password === 'correct horse' ? { username: 'ada', displayName: 'Ada Lovelace' } : null,
  mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs: [] } })
})

const streams = new Set()
// JSON has no line breaks, which would end the event.
const format = (event, data) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`

function write(stream, text) {
  // Disconnects a client that does not read, or its events would fill the memory.
  if (stream.writableNeedDrain) stream.destroy()
  else if (stream.writable) stream.write(text)
}

async function check(stream, token) {
  try {
    const user = await app.screenAuth.verifyToken(token, { use: false })
    // A comment keeps proxies from closing an idle stream, and detects clients that have disconnected.
    if (user !== null) write(stream, ': still here\n\n')
    else if (stream.writable) stream.end(format('logged-out', {}))
  } catch (error) {
    // The store is down, and the session may be valid. The client keeps its token and reconnects; the guard responds
    // 503 until the store is back.
    app.log.error(error)
    stream.end()
  }
}

// No HEAD route: it would open a stream that is never closed.
app.get('/events', { exposeHeadRoute: false }, async (request, reply) => {
  const token = bearerToken(request)
  const stream = new PassThrough()
  const timer = setInterval(check, TIME_BETWEEN_CHECKS, stream, token)
  streams.add(stream)
  // The server has ended the stream, or the client has disconnected.
  stream.once('close', () => {
    clearInterval(timer)
    streams.delete(stream)
  })
  write(stream, `retry: 5000\n${format('welcome', request.screenUser)}`)
  // `x-accel-buffering` keeps nginx from buffering the events.
  const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' }
  return reply.headers(headers).send(stream)
})

const body = { type: 'object', required: ['text'], properties: { text: { type: 'string', maxLength: 1000 } } }
app.post('/notes', { schema: { body } }, async (request, reply) => {
  const note = format('note', { from: request.screenUser.displayName, text: request.body.text })
  for (const stream of streams) write(stream, note)
  return reply.code(204).send()
})

app.post('/auth/logout', async (request, reply) => {
  await tokens.revoke(bearerToken(request))
  return reply.code(204).send()
})

// Ends the streams first: a closing server waits for open requests.
app.addHook('preClose', async () => {
  for (const stream of streams) stream.end()
})
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => app.close())
await app.listen({ port: 3000 })
