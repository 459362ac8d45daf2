/** Bare Fastify without authentication: the baseline. */
import Fastify from 'fastify'
import { ScreenContract } from '../../dist/schemas/generated/compiled.js'
import { DISPLAY_NAME, menuOf } from './data.js'
import { addLogin, addOtherRoutes, listen, menuOptions } from './fastify-routes.js'

export async function start({ otherRoutes = 0 }) {
  const app = Fastify()
  addLogin(app, () => 'a constant token, because nobody checks it')
  app.get('/menu/main', menuOptions, async () => menuOf(DISPLAY_NAME))
  app.get('/screen', { schema: { response: { 200: ScreenContract } } }, async () => menuOf(DISPLAY_NAME))
  addOtherRoutes(app, otherRoutes)
  return listen(app)
}
