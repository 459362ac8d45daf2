import type { FastifyRequest } from 'fastify'

/** Longest username that is logged, in characters: the name comes from the client. */
const LONGEST_NAME = 128

/** Addresses of requests that are answered later: one whose client has hung up by then has lost its own. */
const addresses = new WeakMap<FastifyRequest, string>()

/** Keeps the address of a request for its line in the audit trail. Call it before anything asynchronous. */
export function keepAddress(request: FastifyRequest): void {
  addresses.set(request, request.ip)
}

/**
 * Writes one line of the audit trail: who, from where, to which route, what happened. Never a password, a token, a
 * body or a URL (its query may hold a secret).
 *
 * @param username the name that was tried; null when it is not known
 */
export function audit(request: FastifyRequest, event: string, username: string | null = null): void {
  const who = {
    username: username?.slice(0, LONGEST_NAME) ?? null,
    address: addresses.get(request) ?? request.ip,
    method: request.method,
    route: request.routeOptions.url ?? null
  }
  request.log.info(who, `screen-auth: ${event}`)
}
