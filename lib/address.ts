import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'

/** Addresses of requests that are answered later: one whose client has hung up by then has lost its own. */
const addresses = new WeakMap<FastifyRequest, string>()

/** Keeps the address of a request. Call it before anything asynchronous. */
export function keepAddress(request: FastifyRequest): void {
  addresses.set(request, request.ip)
}

/** The address that a request came from; behind a proxy what Fastify's `trustProxy` makes of it. */
export function addressOf(request: FastifyRequest): string {
  return addresses.get(request) ?? request.ip
}

/**
 * What an address is counted as: itself, but of IPv6 its /64, which is the least that one client is given
 * (RFC 6177 2) and within which it can change its address at will. What is no address counts as one.
 */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown'
  const parsed = ipaddr.process(address)
  return parsed instanceof ipaddr.IPv6 ? `${parsed.parts.slice(0, 4).join(':')}::/64` : parsed.toString()
}

/** Whether a proxy says that it passed the request on, and Fastify was not told to believe it. */
export function isBehindUnknownProxy(request: FastifyRequest): boolean {
  return request.ips === undefined && request.headers['x-forwarded-for'] !== undefined
}
