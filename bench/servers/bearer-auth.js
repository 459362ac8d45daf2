/** @fastify/bearer-auth: one static key for all. It has no users, so the menu has a constant name. */
import bearerAuth from '@fastify/bearer-auth'
import Fastify from 'fastify'
import { DISPLAY_NAME, menuOf } from './data.js'
import { listen, menuOptions } from './fastify-routes.js'

// As long as the JWTs of the others.
const KEY = 'k'.repeat(200)

export async function start() {
  const app = Fastify()
  await app.register(bearerAuth, { keys: new Set([KEY]) })
  app.get('/menu/main', menuOptions, async () => menuOf(DISPLAY_NAME))
  return listen(app, KEY)
}
