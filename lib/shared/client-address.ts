import { isIPv4 } from 'node:net'
import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'

/** Property that stores the address. Not a WeakMap, which slows down garbage collection. */
const kAddress = Symbol('screen-auth address')

type RequestWithAddress = FastifyRequest & { [kAddress]?: string }

/**
 * Stores the address of a request, because `request.ip` is lost when the client disconnects. Call it before anything
 * asynchronous.
 */
export function keepAddress(request: RequestWithAddress): void {
  request[kAddress] = request.ip
}

/** Returns the client's address; undefined over a Unix socket. Behind a proxy, it depends on Fastify's `trustProxy`. */
export function addressOf(request: RequestWithAddress): string | undefined {
  return request[kAddress] ?? request.ip
}

/** Returns true if `trustProxy` excludes the proxy of the request. All clients then have the address of the proxy. */
export function isBehindUntrustedProxy(request: FastifyRequest): boolean {
  // `ips` contains a forwarded address only if Fastify trusts the address that forwarded it.
  return 'x-forwarded-for' in request.headers && (request.ips?.length ?? 1) === 1
}

/**
 * Returns the network for which an address is limited: an IPv4 address itself, or the /56 network of an IPv6 address,
 * because a household can use any address of its /56 (RFC 6177 2). Removes a port, which some proxies append. Returns
 * `unknown` if the text is not an address.
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
