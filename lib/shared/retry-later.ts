import type { FastifyReply } from 'fastify'

/** Seconds after which a client may try again. */
export const RETRY_AFTER = 5

/** Sets status 503, and when to come back unless the host has said so already. */
export function retryLater(reply: FastifyReply): FastifyReply {
  if (!reply.hasHeader('retry-after')) reply.header('retry-after', RETRY_AFTER)
  return reply.code(503)
}
