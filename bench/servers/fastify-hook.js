/** Fastify with a hook that does nothing: the least that any guard can cost. */
import Fastify from 'fastify'
import { DISPLAY_NAME, menuOf } from './data.js'
import { listen, menuOptions } from './fastify-routes.js'

export async function start() {
  const app = Fastify()
  app.addHook('onRequest', (_request, _reply, done) => done())
  app.get('/menu/main', menuOptions, async () => menuOf(DISPLAY_NAME))
  return listen(app)
}
