import { once } from 'node:events'
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'

/** Milliseconds after which a request without an answer has failed: much more than the 10 seconds of a login. */
const PATIENCE = 30_000

/** An answer, and in a word what it says. */
export interface Answer {
  outcome: string
  status: number
  headers: IncomingHttpHeaders
  body: string
}

export interface Question {
  method?: string
  headers?: Record<string, string>
  /** Of several pieces, each is sent 200 ms after the one before. */
  body?: (string | Buffer)[]
  /** The address that it comes from, within 127.0.0.0/8. */
  from?: string | undefined
}

/** Talks to the server over sockets that are kept open. */
export class Client {
  readonly #port: number
  readonly #agent = new Agent({ keepAlive: true })

  constructor(port: number) {
    this.#port = port
  }

  /** @throws when there is no answer */
  async ask(path: string, { method = 'GET', headers = {}, body = [], from }: Question = {}): Promise<Answer> {
    const outgoing = request({
      port: this.#port,
      host: '127.0.0.1',
      agent: this.#agent,
      path,
      method,
      headers,
      ...(from !== undefined && { localAddress: from })
    })
    outgoing.setTimeout(PATIENCE, () => outgoing.destroy(new Error('no answer')))
    const answered = once(outgoing, 'response')
    for (const [i, piece] of body.entries()) {
      if (i > 0) await setTimeout(200)
      if (i < body.length - 1) outgoing.write(piece)
    }
    outgoing.end(body.at(-1))
    const [incoming] = await answered
    const answer = { status: incoming.statusCode, headers: incoming.headers, body: await text(incoming) }
    return { outcome: outcomeOf(answer), ...answer }
  }

  /** Sends bytes as they are, and hangs up after so many milliseconds, whatever comes back. */
  async hangUp(bytes: string, after: number, abruptly: boolean): Promise<Answer> {
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

/** The status; of a login what it decided. An answer that is not as the contract says has a question mark. */
function outcomeOf({ status, headers, body }: Omit<Answer, 'outcome'>): string {
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
