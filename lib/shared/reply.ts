import type { FastifyReply } from 'fastify'

/** Sends JSON that is text already: no preSerialization hook of the host can wrap it into an envelope. */
export function sendJson(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(text)
}
