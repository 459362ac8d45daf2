/** A guard built by hand: the hook of @fastify/jwt's README, and a login that signs. Its cache is off, the default. */
import jwt from '@fastify/jwt'
import Fastify from 'fastify'
import { addLogin, DISPLAY_NAME, LIFETIME, menuOf, menuOptions, SECRET } from './data.js'

export async function start() {
  const app = Fastify()
  // Only HS256, like the other servers.
  await app.register(jwt, {
    secret: SECRET,
    sign: { algorithm: 'HS256', expiresIn: LIFETIME },
    verify: { algorithms: ['HS256'] }
  })
  addLogin(app, ({ body }) => app.jwt.sign({ sub: body.fields.username, display_name: DISPLAY_NAME }))
  app.register(async guarded => {
    guarded.addHook('onRequest', async (request, reply) => {
      try {
        await request.jwtVerify()
      } catch (err) {
        reply.send(err)
      }
    })
    guarded.get('/menu/main', menuOptions, async ({ user }) => menuOf(user.display_name))
  })
  return { app }
}
