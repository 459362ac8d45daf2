/** What the Fastify servers have in common. */
import { formText, loggedIn, loginBodySchema, loginSchema, menuSchema } from './data.js'

export const menuOptions = { schema: { response: { 200: menuSchema } } }

const loginOptions = { schema: { body: loginBodySchema, response: { 200: loginSchema } } }

/** Registers the login form, and a login that answers with the token that `issue` makes. */
export function addLogin(app, issue) {
  app.get('/auth/login', async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(formText)
  )
  app.post('/auth/login', loginOptions, async request => loggedIn(await issue(request)))
}

/** Registers so many routes that nobody asks for. */
export function addOtherRoutes(app, count) {
  for (let i = 0; i < count; i++) app.get(`/screen/area-${i % 50}/page-${i}`, async () => ({}))
}

/** Listens, and answers what serve.js wants. */
export async function listen(app, token) {
  await app.listen({ port: 0, host: '127.0.0.1' })
  return { server: app.server, token }
}
