// An API beside the screens: errors below /api are problem details (RFC 9457); the login and the screens follow the
// contract. A request whose URL cannot be decoded reaches no scope: handle it with Fastify's `frameworkErrors`.
import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import Fastify from 'fastify'
import screenAuth from 'fastify-screen-auth'

const orders = new Map()

const app = Fastify({ logger: true })

await app.register(screenAuth, {
  checkCredentials: ({ username, password }) =>
    username === 'ada' && password === 'correct horse' ? { username: 'ada', displayName: 'Ada Lovelace' } : null,
  mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs: [] } })
})

/** Sets status and type, and returns the body. */
function problem(reply, status, detail) {
  reply.code(status).type('application/problem+json')
  return JSON.stringify({ title: STATUS_CODES[status], status, detail })
}

await app.register(
  async api => {
    api.setErrorHandler((error, request, reply) => {
      const status = error.statusCode >= 400 && error.statusCode < 500 ? error.statusCode : 500
      if (status === 500) request.log.error(error)
      // Clients do not get the message of an internal error.
      return reply.send(problem(reply, status, status === 500 ? undefined : error.message))
    })

    api.setNotFoundHandler((_request, reply) => reply.send(problem(reply, 404)))

    // The guard sends a 401 or 503 without a body. This hook adds the body.
    api.addHook('onSend', async (_request, reply, payload) =>
      reply.statusCode >= 400 && !payload ? problem(reply, reply.statusCode) : payload
    )

    const body = { type: 'object', required: ['item'], properties: { item: { type: 'string' } } }
    api.post('/orders', { schema: { body } }, async (request, reply) => {
      const id = randomUUID()
      orders.set(id, { id, item: request.body.item })
      return reply.code(201).send(orders.get(id))
    })

    api.get('/orders/:id', async (request, reply) => orders.get(request.params.id) ?? reply.callNotFound())
  },
  { prefix: '/api' }
)

await app.listen({ port: 3000 })
