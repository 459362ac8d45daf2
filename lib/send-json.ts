import type { FastifyReply } from 'fastify'

/** Sends JSON as text: no preSerialization hook of the host can wrap it into an envelope. */
export function sendJson(reply: FastifyReply, value: object): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(value))
}
