import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { SetupError } from './setup-error.ts'

/** A database that cannot be used is most often only busy: clients may try again after some seconds. */
const UNAVAILABLE = { statusCode: 503, headers: { 'retry-after': 5 } }

/**
 * Sends an error. A fault of the server is logged, which Fastify does not do where requests are not, and its message is
 * not sent: it may name a file or a host, and clients throw it away.
 */
export function sendError(
  error: FastifyError & { headers?: Record<string, string | number> },
  request: FastifyRequest,
  reply: FastifyReply
): FastifyReply {
  const { statusCode = 500, headers = {} } = error instanceof SetupError ? UNAVAILABLE : error
  if (statusCode < 500) return reply.send(error)
  request.log.error(error)
  return reply.code(statusCode).headers(headers).send()
}
