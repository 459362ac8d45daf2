/** The common routes of the Fastify servers. */
import { formText, loggedIn, loginBodySchema, loginSchema, menuSchema } from './data.js'

export const menuOptions = { schema: { response: { 200: menuSchema } } }

const loginOptions = { schema: { body: loginBodySchema, response: { 200: loginSchema } } }

/** Registers the login form, and a login that responds with the token from `issue`. */
export function addLogin(app, issue) {
  app.get('/auth/login', async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(formText)
  )
  app.post('/auth/login', loginOptions, async request => loggedIn(await issue(request)))
}

/** Registers routes that get no requests. */
export function addOtherRoutes(app, count = 0) {
  for (let i = 0; i < count; i++) app.get(`/screen/area-${i % 50}/page-${i}`, async () => ({}))
}

/** Listens. Resolves to what serve.js needs. */
export async function listen(app, token) {
  await app.listen({ port: 0, host: '127.0.0.1' })
  return { server: app.server, token }
}
