import { type AddressInfo, connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/** Sends raw bytes in pieces. Resolves to all that the server sends until it closes the connection. */
export function exchange(app: FastifyInstance, pieces: (string | Buffer)[], { end = false } = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const { port, address } = app.server.address() as AddressInfo
    const response: Buffer[] = []
    const socket = connect({ port, host: address, noDelay: true }, async () => {
      for (const [index, piece] of pieces.entries()) {
        if (index > 0) await setTimeout(0)
        if (socket.writable) socket.write(piece as Buffer)
      }
      if (end) socket.end()
    })
    socket.setTimeout(60_000, () => socket.destroy(new Error('the server did not respond within a minute')))
    socket.on('data', data => response.push(data))
    // A server may respond and close before it has read everything.
    socket.on('error', error => (response.length > 0 ? resolve(Buffer.concat(response).toString()) : reject(error)))
    socket.on('close', () => resolve(Buffer.concat(response).toString()))
  })
}

/** Status, headers and body of the only response in `text`, without interim responses (100 Continue). */
export function parseResponse(text: string): {
  statusCode: number
  headers: Record<string, string>
  body: string
} {
  const final = text.replace(/^(HTTP\/1\.1 1\d\d [^\r]*\r\n\r\n)+/, '')
  const end = final.indexOf('\r\n\r\n')
  const [status, ...lines] = final.slice(0, end).split('\r\n')
  const headers = lines.map(line => [
    line.slice(0, line.indexOf(':')).toLowerCase(),
    line.slice(line.indexOf(':') + 1).trim()
  ])
  return {
    statusCode: Number(status?.split(' ')[1]),
    headers: Object.fromEntries(headers),
    body: final.slice(end + 4)
  }
}
