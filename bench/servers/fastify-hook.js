/** Fastify with a hook that does nothing: the minimum cost of a guard. */
import Fastify from 'fastify'
import { DISPLAY_NAME, menuOf } from './data.js'
import { addOtherRoutes, listen, menuOptions } from './fastify-routes.js'

export async function start() {
  const app = Fastify()
  app.addHook('onRequest', (_request, _reply, done) => done())
  app.get('/menu/main', menuOptions, async () => menuOf(DISPLAY_NAME))
  addOtherRoutes(app)
  return listen(app)
}
