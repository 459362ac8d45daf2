import type { FastifyRequest } from 'fastify'

/** Where the address of a request is kept. A WeakMap would do, but the collector takes its time over one. */
const kAddress = Symbol('screen-auth address')

type Kept = FastifyRequest & { [kAddress]?: string }

/**
 * Keeps the address of a request whose response comes later: when the client has hung up by then, the request has lost
 * its own. Call it before anything asynchronous.
 */
export function keepAddress(request: Kept): void {
  request[kAddress] = request.ip
}

/** The address that a request came from, undefined over a Unix socket; behind a proxy what Fastify's `trustProxy` makes of it. */
export function addressOf(request: Kept): string | undefined {
  return request[kAddress] ?? request.ip
}

/** Whether a proxy has passed the request on, but its own address counts: Fastify does not believe it. */
export function isBehindUnknownProxy(request: FastifyRequest): boolean {
  return 'x-forwarded-for' in request.headers && request.ip === request.socket.remoteAddress
}
