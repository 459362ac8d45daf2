import { isIPv4 } from 'node:net'
import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'

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

/** Returns whether a proxy forwarded the request that `trustProxy` does not trust, so that the proxy's own address counts. */
export function isBehindUnknownProxy(request: FastifyRequest): boolean {
  // Fastify lists the forwarded addresses only after one that it trusts.
  return 'x-forwarded-for' in request.headers && (request.ips?.length ?? 1) === 1
}

/**
 * What an address is counted as: itself, but of IPv6 its /56, within which one household can change its address at
 * will (RFC 6177 2). Some proxies write a port behind it. Everything that is no address counts as one.
 */
export function networkOf(address = ''): string {
  if (isIPv4(address)) return address
  const bare = address.replace(/^\[(.*)\](:\d+)?$/, '$1').replace(/^([\d.]+):\d+$/, '$1')
  if (!ipaddr.isValid(bare)) return 'unknown'
  const parsed = ipaddr.process(bare)
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString()
  const [a, b, c, d] = parsed.parts as [number, number, number, number]
  return `${[a, b, c, d & 0xff00].map(part => part.toString(16)).join(':')}::/56`
}
