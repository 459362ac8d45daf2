/** Hono with its own JWT middleware, on @hono/node-server. */
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { jwt } from 'hono/jwt'
import { menuOf, SECRET } from './data.js'

export async function start() {
  const app = new Hono()
  // A string, as in its documentation, although it also accepts a CryptoKey.
  app.use(jwt({ secret: SECRET, alg: 'HS256' }))
  app.get('/menu/main', context => context.json(menuOf(context.get('jwtPayload').display_name)))
  return { server: serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) }
}
