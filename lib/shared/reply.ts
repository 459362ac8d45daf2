import type { FastifyReply } from 'fastify'

/** Seconds after which a client may retry. */
export const RETRY_AFTER = 5

/** Sends serialized JSON. A string skips the preSerialization hooks of the host, which could change it. */
export function sendJson(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(text)
}

/** Sets status 503, and `Retry-After` unless the host has set it. */
export function setUnavailable(reply: FastifyReply): FastifyReply {
  if (!reply.hasHeader('retry-after')) reply.header('retry-after', RETRY_AFTER)
  return reply.code(503)
}
