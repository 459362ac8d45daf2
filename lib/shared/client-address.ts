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

/** The servers whose log has the warning about their proxy. */
const warned = new WeakSet<object>()

/** Warns once if `trustProxy` excludes the proxy of a blocked login: all clients then have the address of the proxy. */
export function warnAboutProxy(request: FastifyRequest): void {
  const { 'x-forwarded-for': forwarded = '' } = request.headers
  const address = addressOf(request)
  // `ips` contains a forwarded address only if Fastify trusts the address that forwarded it. An adapter of Lambda passes
  // the address of the client itself.
  const isTrusted = (request.ips ?? []).length > 1 || String(forwarded).endsWith(String(address))
  if (forwarded === '' || isTrusted || warned.has(request.server.server)) return
  warned.add(request.server.server)
  const fix = address === undefined ? '`trustProxy: address => address === undefined`' : '`trustProxy` to its address'
  const text = `a blocked login came through a proxy; set ${fix}, or all clients share one limit`
  request.log.warn({ address }, `screen-auth: ${text}`)
}

const NAT64 = ipaddr.IPv6.parse('64:ff9b::')

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
  // NAT64 puts the IPv4 address of each client into the last 32 bits (RFC 6052 2.1).
  if (parsed.match(NAT64, 96)) return ipaddr.fromByteArray(parsed.toByteArray().slice(12)).toString()
  return `${[a, b, c, d & 0xff00].map(part => part.toString(16)).join(':')}::/56`
}
