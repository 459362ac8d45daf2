import type { FastifyReply } from 'fastify'

/** Seconds after which a client may try again. */
export const RETRY_AFTER = 5

/** Sends JSON that is text already: no preSerialization hook of the host can wrap it into an envelope. */
export function sendJson(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(text)
}

/** Sets status 503, and when to come back unless the host has said so already. */
export function retryLater(reply: FastifyReply): FastifyReply {
  if (!reply.hasHeader('retry-after')) reply.header('retry-after', RETRY_AFTER)
  return reply.code(503)
}
