/** Fastify without authentication: the baseline. With `emptyHook` it has the minimum cost of a guard. */
import Fastify from 'fastify'
import { ScreenContract } from '../../dist/schemas/generated/compiled.js'
import { addLogin, DISPLAY_NAME, menuOf, menuOptions } from './data.js'

export async function start({ emptyHook = false }) {
  const app = Fastify()
  if (emptyHook) app.addHook('onRequest', (_request, _reply, done) => done())
  addLogin(app, () => 'a constant token, because no server checks it')
  app.get('/menu/main', menuOptions, async () => menuOf(DISPLAY_NAME))
  app.get('/screen', { schema: { response: { 200: ScreenContract } } }, async () => menuOf(DISPLAY_NAME))
  return { app }
}
