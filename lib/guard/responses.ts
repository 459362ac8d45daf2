import type { FastifyReply, FastifyRequest } from 'fastify'
import { audit, publish, type RefusalEvent, retryLater, senderOf, TokenServiceError } from '../shared/index.ts'
import { hasBearerToken } from './authorization-header.ts'

/**
 * Sends 401 with an empty body (contract 7). The challenge is a constant: an app name in it could hold characters that
 * no header can carry. `invalid_token` tells a client that its token is the trouble (RFC 6750 3.1).
 */
export function sendUnauthorized(request: FastifyRequest, reply: FastifyReply): void {
  const reason = hasBearerToken(request) ? 'invalid' : 'missing'
  reportRefusal(request, reason)
  const error = reason === 'invalid' ? ', error="invalid_token"' : ''
  reply.code(401).header('www-authenticate', `Bearer realm="screen"${error}`)
  sendEmpty(request, reply)
}

/** Sends 503: it is not known whether the token is good, and a 401 would make the client drop it. */
export function sendUnavailable(cause: unknown, request: FastifyRequest, reply: FastifyReply): void {
  // Wrapped, because what a host throws can be anything, even something that cannot be logged.
  reportRefusal(request, 'unavailable', new TokenServiceError({ cause }))
  sendEmpty(request, retryLater(reply))
}

/** Logs and publishes it. */
function reportRefusal(request: FastifyRequest, reason: RefusalEvent['reason'], err?: Error): void {
  const sender = senderOf(request)
  const text = err ? 'the token service failed' : `request refused, token ${reason}`
  audit(request, sender, { event: 'refusal', reason, err }, text, err ? 'error' : 'info')
  publish('refusal', { reason, address: sender.address }, { request })
}

function sendEmpty({ raw }: FastifyRequest, reply: FastifyReply): void {
  // After an upgrade Node leaves the socket to others, and @fastify/websocket may not have seen this request.
  if ('upgrade' in raw && raw.upgrade) reply.raw.once('finish', () => raw.socket.destroySoon())
  reply.header('cache-control', 'no-store').send()
}
