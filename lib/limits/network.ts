import { isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

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
