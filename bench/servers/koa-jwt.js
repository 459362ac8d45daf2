/** Koa with koa-jwt. Koa itself has no router, and none is added. */
import { createSecretKey } from 'node:crypto'
import Koa from 'koa'
import jwt from 'koa-jwt'
import { menuOf, SECRET } from './data.js'

export async function start() {
  const app = new Koa()
  // A KeyObject, because jsonwebtoken would convert a string for every token.
  app.use(jwt({ secret: createSecretKey(Buffer.from(SECRET)), algorithms: ['HS256'] }))
  app.use(context => {
    if (context.method === 'GET' && context.path === '/menu/main') {
      context.body = menuOf(context.state.user.display_name)
    }
  })
  return { server: app.listen(0, '127.0.0.1') }
}
