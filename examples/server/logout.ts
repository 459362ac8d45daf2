import type { FastifyInstance } from 'fastify'
import { bearerToken, type OpaqueTokens } from 'fastify-screen-auth'

/** `POST /auth/logout`: ends the session of the token that it is sent with. */
export async function logout(app: FastifyInstance, { tokens }: { tokens: OpaqueTokens }): Promise<void> {
  app.post('/auth/logout', {
    // Behind the guard, but before the body: whatever it is, nobody needs it.
    async onRequest(request, reply) {
      await tokens.revoke(bearerToken(request))
      request.log.info({ username: request.screenUser?.username }, 'logged out')
      return reply.code(204).send()
    },
    handler() {}
  })
}
