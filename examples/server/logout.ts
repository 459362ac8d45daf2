import type { FastifyInstance } from 'fastify'
import { bearerToken, type OpaqueTokens } from 'fastify-screen-auth'

/** `POST /auth/logout`: ends the session of the token that it is sent with. */
export async function logout(app: FastifyInstance, { tokens }: { tokens: OpaqueTokens }): Promise<void> {
  // A client may send any type of body with it, or none.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_, _body, done) => done(null))
  app.post('/auth/logout', async (request, reply) => {
    await tokens.revoke(bearerToken(request))
    request.log.info({ username: request.screenUser?.username }, 'logged out')
    return reply.code(204).send()
  })
}
