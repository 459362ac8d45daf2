import type { IncomingMessage, ServerResponse } from 'node:http'
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os'
import type { Incoming } from './recorded-request.ts'
import type { ScriptedResponse } from './scenarios.ts'

/** In bytes: how much of a body to keep. No login has more. */
const KEPT = 1 << 14

export async function received(incoming: IncomingMessage): Promise<Incoming> {
  const { method = '', url = '', headers, headersDistinct } = incoming
  // Joins all Authorization headers, because Node keeps only the first.
  const authorization = headersDistinct.authorization?.join(', ')
  return {
    method,
    // A client that uses a proxy sends the whole URL.
    path: url.replace(/^https?:\/\/[^/?]*/i, ''),
    headers: { ...headers, ...(authorization !== undefined && { authorization }) },
    body: await bodyOf(incoming)
  }
}

async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of incoming) {
    if (length < KEPT) chunks.push(chunk)
    length += chunk.length
  }
  return Buffer.concat(chunks).subarray(0, KEPT)
}

/** Sends a response that a browser, too, hands over to a client of another origin, even if that origin is public. */
export function send({ status, body }: ScriptedResponse, { headers }: Incoming, outgoing: ServerResponse): void {
  outgoing.writeHead(status, {
    'Access-Control-Allow-Origin': headers.origin ?? '*',
    'Access-Control-Allow-Credentials': 'true',
    'Access-Control-Allow-Headers': headers['access-control-request-headers'] ?? '*',
    'Access-Control-Allow-Methods': headers['access-control-request-method'] ?? '*',
    ...(headers['access-control-request-private-network'] === 'true' && {
      'Access-Control-Allow-Private-Network': 'true'
    }),
    'Cache-Control': 'no-store',
    ...(body !== undefined && { 'Content-Type': 'application/json' })
  })
  outgoing.end(body && JSON.stringify(body))
}

/**
 * Returns the base URLs of a server. For `0.0.0.0` or `::`, there is a URL for each IPv4 address of the machine, with
 * external addresses first. For any other address, there is one URL.
 */
export function urlsOf(host: string, port: number, interfaces = networkInterfaces()): string[] {
  const own = Object.values(interfaces).flat() as NetworkInterfaceInfo[]
  const all = own
    .filter(({ family }) => family === 'IPv4')
    .sort((one, other) => Number(one.internal) - Number(other.internal))
    .map(({ address }) => address)
  const hosts = host === '0.0.0.0' || host === '::' ? all : [host]
  return hosts.map(one => `http://${one.includes(':') ? `[${one}]` : one}:${port}`)
}
