import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { bearerToken, type OpaqueTokens } from 'fastify-screen-auth'

/** `POST /auth/logout`: ends the session of the token in the request. */
export async function logout(app: FastifyInstance, { tokens }: { tokens: OpaqueTokens }): Promise<void> {
  const end = async (request: FastifyRequest, reply: FastifyReply) => {
    await tokens.revoke(bearerToken(request))
    request.log.info({ username: request.screenUser?.username }, 'logged out')
    return reply.code(204).send()
  }
  // A hook after the guard, so that the body is ignored. The handler is never reached.
  app.post('/auth/logout', { onRequest: end, handler: end })
}
