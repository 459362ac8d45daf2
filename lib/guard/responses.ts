import type { FastifyReply, FastifyRequest } from 'fastify'
import { audit, publish, type RefusalEvent, senderOf, setUnavailable, TokenServiceError } from '../shared/index.ts'
import { hasBearerToken } from './authorization-header.ts'

/**
 * Sends 401 with an empty body (contract 7). The realm is a constant, because an app name can contain characters that
 * are invalid in a header. `invalid_token` reports an invalid token, as opposed to a missing one (RFC 6750 3.1).
 */
export function sendUnauthorized(request: FastifyRequest, reply: FastifyReply): void {
  const reason = hasBearerToken(request) ? 'invalid' : 'missing'
  reportRefusal(request, reason)
  const error = reason === 'invalid' ? ', error="invalid_token"' : ''
  reply.code(401).header('www-authenticate', `Bearer realm="screen"${error}`)
  sendEmpty(request, reply)
}

/** Sends 503, because the token may be valid: a client drops its token after a 401. */
export function sendUnavailable(cause: unknown, request: FastifyRequest, reply: FastifyReply): void {
  // Wrapped, because a host can throw any value, even one that cannot be logged.
  reportRefusal(request, 'unavailable', new TokenServiceError({ cause }))
  sendEmpty(request, setUnavailable(reply))
}

function reportRefusal(request: FastifyRequest, reason: RefusalEvent['reason'], err?: Error): void {
  const sender = senderOf(request)
  const text = err ? 'the token service failed' : `request refused, token ${reason}`
  audit(request, sender, { event: 'refusal', reason, err }, text, err ? 'error' : 'info')
  publish('refusal', { reason, address: sender.address }, { request })
}

function sendEmpty({ raw }: FastifyRequest, reply: FastifyReply): void {
  // Node does not close the socket of an upgrade request, and @fastify/websocket may not handle this request.
  if ('upgrade' in raw && raw.upgrade) reply.raw.once('finish', () => raw.socket.destroySoon())
  reply.header('cache-control', 'no-store').send()
}
