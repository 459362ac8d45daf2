import { once } from 'node:events'
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'

/** Milliseconds after which a request without a response has failed: much more than the 10 seconds of a login. */
export const PATIENCE = 30_000

/** A response, with its meaning in a word. */
export interface ClientResponse {
  outcome: string
  status: number
  headers: IncomingHttpHeaders
  body: string
}

export interface RequestOptions {
  method?: string
  headers?: Record<string, string>
  /** The parts of the body, which are sent 200 ms apart. */
  body?: (string | Buffer)[]
  /** The source address, within 127.0.0.0/8. */
  from?: string | undefined
}

/** An HTTP client that keeps its connections open. */
export class Client {
  readonly #port: number
  readonly #agent = new Agent({ keepAlive: true })

  constructor(port: number) {
    this.#port = port
  }

  /** @throws when there is no response */
  async send(
    path: string,
    { method = 'GET', headers = {}, body = [], from }: RequestOptions = {}
  ): Promise<ClientResponse> {
    const outgoing = request({
      port: this.#port,
      host: '127.0.0.1',
      agent: this.#agent,
      path,
      method,
      headers,
      ...(from !== undefined && { localAddress: from })
    })
    outgoing.setTimeout(PATIENCE, () => outgoing.destroy(new Error('no response')))
    const responded = once(outgoing, 'response')
    for (const [i, piece] of body.entries()) {
      if (i > 0) await setTimeout(200)
      if (i < body.length - 1) outgoing.write(piece)
    }
    outgoing.end(body.at(-1))
    const [incoming] = await responded
    const response = { status: incoming.statusCode, headers: incoming.headers, body: await text(incoming) }
    return { outcome: outcomeOf(response), ...response }
  }

  /** Sends raw bytes, and closes the connection after so many milliseconds. With `abruptly` it sends a reset (RST). */
  async hangUp(bytes: string, after: number, abruptly: boolean): Promise<ClientResponse> {
    const socket = connect(this.#port, '127.0.0.1')
    await once(socket, 'connect')
    socket.on('error', () => {})
    socket.write(bytes)
    await setTimeout(after)
    const closed = once(socket, 'close')
    if (abruptly) socket.resetAndDestroy()
    else socket.destroy()
    await closed
    return { outcome: 'hung up', status: 0, headers: {}, body: '' }
  }

  close(): void {
    this.#agent.destroy()
  }
}

/** The status, or the outcome of a login. A question mark means that the response breaks the contract. */
function outcomeOf({ status, headers, body }: Omit<ClientResponse, 'outcome'>): string {
  if (status === 401) {
    const isChallenge = body === '' && headers['www-authenticate']?.startsWith('Bearer realm="screen"')
    return isChallenge ? '401' : '401?'
  }
  if (!body.startsWith('{"success":')) return String(status)

  const { success, token, error, screen } = JSON.parse(body)
  if (success) {
    const isFull = status === 200 && typeof token === 'string' && error === null && screen?.layout
    return isFull ? 'accepted' : 'accepted?'
  }
  if (token !== null || screen !== null || typeof error !== 'string') return `${status}?`
  if (status !== 200) return `refused ${status}`
  return headers['retry-after'] === undefined ? 'rejected' : 'blocked'
}
