import { validateHeaderValue } from 'node:http'
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import {
  type HttpRequest,
  type HttpResponse,
  halves,
  headerLines,
  NoResponseError,
  responseOf
} from './http.ts'

/**
 * Sends requests on one connection. By hand, because no HTTP client sends a request before the response to the one
 * before has come.
 *
 * @param isPipelined whether all are written at once
 * @param timeout seconds to wait for all responses
 * @returns the responses; fewer than the requests when the server closes the connection
 * @throws NoResponseError when the server cannot be reached, does not respond in time, or sends no HTTP
 */
export async function sendOnOneConnection(
  origin: URL,
  requests: HttpRequest[],
  isPipelined: boolean,
  timeout: number
): Promise<HttpResponse[]> {
  const messages = requests.map((request, index) =>
    serialize(origin, request, index === requests.length - 1 ? 'close' : 'keep-alive')
  )
  const socket = await open(origin)
  const timer = setTimeout(() => socket.destroy(new Error(`no response within ${timeout} s`)), timeout * 1000)
  const methods = requests.map(({ method }) => method)
  return converse(socket, messages, methods, isPipelined)
    .catch(({ message }) => {
      throw new NoResponseError(message, 'silent')
    })
    .finally(() => {
      clearTimeout(timer)
      socket.destroy()
    })
}

async function converse(
  socket: Socket,
  messages: Buffer[],
  methods: string[],
  isPipelined: boolean
): Promise<HttpResponse[]> {
  const input = new Input(socket)
  const responses: HttpResponse[] = []
  if (isPipelined) socket.write(Buffer.concat(messages))
  for (const [index, message] of messages.entries()) {
    if (!isPipelined) socket.write(message)
    const response = await readResponse(input, methods[index] as string)
    if (response === undefined) break
    responses.push(response)
    if (/close/i.test(response.headers.connection ?? '')) break
  }
  return responses
}

function serialize(origin: URL, request: HttpRequest, connection: 'close' | 'keep-alive'): Buffer {
  const { method, path, body = '', chunked } = request
  const lines = headerLines(origin, request, connection)
  try {
    for (const [name, value] of lines) validateHeaderValue(name, value)
  } catch {
    throw new NoResponseError('HTTP cannot carry the request', 'unsendable')
  }
  const fields = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  const head = Buffer.from(`${method} ${path} HTTP/1.1\r\n${fields}\r\n`, 'latin1')
  if (!chunked) return Buffer.concat([head, Buffer.from(body)])
  const chunks = halves(body).flatMap(half => [
    Buffer.from(`${half.length.toString(16)}\r\n`),
    half,
    Buffer.from('\r\n')
  ])
  return Buffer.concat([head, ...chunks, Buffer.from('0\r\n\r\n')])
}

async function open({ protocol, hostname, port }: URL): Promise<Socket> {
  const isTls = protocol === 'https:'
  const host = hostname.replace(/^\[|\]$/g, '')
  const to = { host, port: Number(port) || (isTls ? 443 : 80) }
  return new Promise((resolve, reject) => {
    const socket = isTls ? connectTls({ ...to, servername: isIP(host) === 0 ? host : '' }) : connect(to)
    socket.once(isTls ? 'secureConnect' : 'connect', () => resolve(socket))
    socket.on('error', ({ message }) => reject(new NoResponseError(message, 'unreachable')))
  })
}

/** Returns the next response; undefined when the connection ends before. */
async function readResponse(input: Input, method: string): Promise<HttpResponse | undefined> {
  const start = await input.line()
  if (start === undefined) return undefined
  const [, version, code] = /^HTTP\/(1\.[01]) (\d{3})(?: |$)/.exec(start) ?? []
  if (version === undefined) throw new Error('the response is no HTTP')
  const lines: [string, string][] = []
  for (let line = await input.line(); line !== ''; line = await input.line()) {
    if (line === undefined) return undefined
    const colon = line.indexOf(':')
    lines.push([line.slice(0, colon), line.slice(colon + 1).trim()])
  }
  const status = Number(code)
  if (status < 200 && status !== 101) return readResponse(input, method)
  const hasNoBody = method === 'HEAD' || [101, 204, 304].includes(status)
  const body = hasNoBody
    ? Buffer.alloc(0)
    : await readBody(input, responseOf(status, lines, Buffer.alloc(0), version))
  return body && responseOf(status, lines, body, version)
}

async function readBody(input: Input, { headers }: HttpResponse): Promise<Buffer | undefined> {
  if (/chunked/i.test(headers['transfer-encoding'] ?? '')) return readChunks(input)
  const length = headers['content-length']
  return length === undefined ? input.rest() : input.bytes(Number(length))
}

async function readChunks(input: Input): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  for (;;) {
    const size = Number.parseInt((await input.line()) ?? '', 16)
    const chunk = Number.isNaN(size) ? undefined : await input.bytes(size)
    if (chunk === undefined) return undefined
    // After a chunk an empty line, after the last one trailers too.
    while ((await input.line()) && size === 0);
    if (size === 0) return Buffer.concat(chunks)
    chunks.push(chunk)
  }
}

/** What a socket has received and nobody has read. */
class Input {
  readonly #chunks: AsyncIterator<Buffer>
  #buffer = Buffer.alloc(0)

  constructor(socket: Socket) {
    this.#chunks = socket[Symbol.asyncIterator]()
  }

  /** The next line, without its end; undefined when there is none. */
  async line(): Promise<string | undefined> {
    let end = this.#buffer.indexOf('\r\n')
    while (end === -1 && (await this.#more())) end = this.#buffer.indexOf('\r\n')
    return end === -1 ? undefined : this.#take(end + 2).toString('latin1', 0, end)
  }

  /** So many bytes; undefined when there are fewer. */
  async bytes(count: number): Promise<Buffer | undefined> {
    while (this.#buffer.length < count) if (!(await this.#more())) return undefined
    return this.#take(count)
  }

  /** All up to the end of the connection. */
  async rest(): Promise<Buffer> {
    let isOpen = true
    while (isOpen) isOpen = await this.#more()
    return this.#take(this.#buffer.length)
  }

  #take(count: number): Buffer {
    const taken = this.#buffer.subarray(0, count)
    this.#buffer = this.#buffer.subarray(count)
    return taken
  }

  /** Waits for more. A reset is an end: a server may close a connection whose request it refuses to read. */
  async #more(): Promise<boolean> {
    try {
      const { value, done } = await this.#chunks.next()
      if (done) return false
      this.#buffer = Buffer.concat([this.#buffer, value])
      if (this.#buffer.length > 2 ** 21) throw new Error('the responses are longer than 2 MiB')
      return true
    } catch (error) {
      if (['ECONNRESET', 'EPIPE'].includes(String((error as NodeJS.ErrnoException).code))) return false
      throw error
    }
  }
}
