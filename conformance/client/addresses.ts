import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os'

/**
 * Returns the base URLs at which a server can be reached: one for an address, and for `0.0.0.0` or `::` those of the
 * machine, the ones that other machines can use first.
 */
export function urlsOf(host: string, port: number, interfaces = networkInterfaces()): string[] {
  const isAny = host === '0.0.0.0' || host === '::'
  const own = Object.values(interfaces).flat() as NetworkInterfaceInfo[]
  const hosts = isAny
    ? own
        .filter(({ family }) => family === 'IPv4')
        .sort((one, other) => Number(one.internal) - Number(other.internal))
        .map(({ address }) => address)
    : [host]
  return hosts.map(one => `http://${one.includes(':') ? `[${one}]` : one}:${port}`)
}
