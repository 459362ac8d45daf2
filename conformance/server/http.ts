import { isUtf8 } from 'node:buffer'
import { once } from 'node:events'
import { validateHeaderValue } from 'node:http'
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { brotliDecompressSync, unzipSync } from 'node:zlib'
import { inert } from '../report/report.ts'
import { parseJson } from './json.ts'

/** A request to send. Its path and headers are sent as they are, without normalisation. */
export interface HttpRequest {
  method: string
  path: string
  headers: [name: string, value: string][]
  body?: string | Buffer
  /** Sends the body in chunks, without Content-Length. */
  chunked?: true
}

export interface HttpResponse {
  status: number
  /** Names are in lower case. The values of a repeated header are joined with commas. */
  headers: Record<string, string>
  text: string
  /** The HTTP version: `1.0` or `1.1`. */
  version: string
  /**
   * The parsed JSON. Missing if the text is not JSON, is nested more than 200 levels deep, is not UTF-8, or has a byte
   * order mark (RFC 8259 8.1).
   */
  body?: unknown
}

export class NoResponseError extends Error {
  /**
   * `unsendable`: HTTP cannot carry the request. `unreachable`: no connection was established. `silent`: the server
   * sent no complete response.
   */
  readonly reason: 'unsendable' | 'unreachable' | 'silent'
  /** The error code of Node, OpenSSL or zlib; `ETIMEDOUT` after a timeout. */
  readonly code: string

  constructor(message: string, reason: NoResponseError['reason'], code = '') {
    // The message of a TLS error contains names that the server chooses.
    super(inert(message))
    this.reason = reason
    this.code = code
  }
}

/** Longest total of all responses on a connection, in bytes. */
const MAX_RESPONSES = 2 * 1024 * 1024
const NO_HTTP = new Error('the response is not HTTP')
const CONNECTION_ENDED = new Error('socket hang up')
/** With any other method, a request without a body needs a Content-Length (RFC 9110 8.6). */
const METHODS_WITHOUT_BODY = ['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']

/**
 * Sends requests on one connection. Does not follow redirects. Writes to the socket directly, because the HTTP client of
 * Node does not pipeline requests, and rejects responses that the kit can judge.
 *
 * @param timeout seconds to wait for all responses
 * @param isPipelined whether all requests are sent at once
 * @returns the responses; fewer than the requests if the server closes the connection
 * @throws NoResponseError if the server cannot be reached, does not respond in time or does not send HTTP, or if a single
 *   request has no response
 */
export async function send(origin: URL, requests: HttpRequest[], timeout: number, isPipelined = false) {
  const messages = requests.map((request, index) => serialize(origin, request, index === requests.length - 1))
  const socket = open(origin)
  const timeoutError = new NoResponseError(`no response within ${timeout} s`, 'silent', 'ETIMEDOUT')
  const timer = setTimeout(() => socket.destroy(timeoutError), timeout * 1000)
  const responses: HttpResponse[] = []
  let isConnected = false
  socket.once('connect', () => {
    isConnected = true
  })
  try {
    await once(socket, origin.protocol === 'https:' ? 'secureConnect' : 'connect')
    const input = new Input(socket)
    if (isPipelined) socket.write(Buffer.concat(messages))
    for (const [index, { method }] of requests.entries()) {
      if (!isPipelined) socket.write(messages[index] as Buffer)
      const response = await readResponse(input, method)
      responses.push(response)
      if (/close/i.test(response.headers.connection ?? '')) break
    }
  } catch (error) {
    if (error === CONNECTION_ENDED && requests.length > 1) return responses
    const { message, code } = error as NodeJS.ErrnoException
    // For a host with several addresses, the message of the error is empty.
    throw new NoResponseError(message || String(code), isConnected ? 'silent' : 'unreachable', code)
  } finally {
    clearTimeout(timer)
    socket.destroy()
  }
  return responses
}

function serialize(origin: URL, { method, path, headers, body, chunked }: HttpRequest, isLast: boolean): Buffer {
  const content = Buffer.from(body ?? '')
  const hasBody = body !== undefined || !METHODS_WITHOUT_BODY.includes(method)
  const defaults: [name: string, value: string][] = [
    ['Host', origin.host],
    ['Connection', isLast ? 'close' : 'keep-alive'],
    ['User-Agent', 'screen-auth-conformance'],
    ['Accept-Encoding', 'identity'],
    ['Accept', 'application/json']
  ]
  if (chunked) defaults.push(['Transfer-Encoding', 'chunked'])
  else if (hasBody) defaults.push(['Content-Length', String(content.length)])
  const lines = [...defaults.filter(([name]) => !headers.some(([other]) => other === name)), ...headers]
  try {
    for (const [name, value] of lines) validateHeaderValue(name, value)
  } catch {
    throw new NoResponseError('HTTP cannot carry the request', 'unsendable')
  }
  const fields = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  const head = Buffer.from(`${method} ${path} HTTP/1.1\r\n${fields}\r\n`, 'latin1')
  if (!chunked) return Buffer.concat([head, content])
  const size = content.length.toString(16)
  return Buffer.concat([head, Buffer.from(`${size}\r\n`), content, Buffer.from('\r\n0\r\n\r\n')])
}

function open({ protocol, hostname, port }: URL): Socket {
  const isTls = protocol === 'https:'
  const host = hostname.replace(/^\[|\]$/g, '')
  const to = { host, port: Number(port) || (isTls ? 443 : 80) }
  const socket = isTls ? connectTls({ ...to, servername: isIP(host) === 0 ? host : '' }) : connect(to)
  // Prevents an uncaught error. The promises that wait for the socket reject with it.
  return socket.on('error', () => {})
}

async function readResponse(input: Input, method: string): Promise<HttpResponse> {
  const [, version, code] = /^HTTP\/(1\.[01]) (\d{3})(?: |$)/.exec(await input.line()) ?? []
  if (version === undefined) throw NO_HTTP
  // A Map, because a server may name a header `constructor` or `__proto__`.
  const lines = new Map<string, string>()
  for (let line = await input.line(); line !== ''; line = await input.line()) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).toLowerCase()
    const value = line.slice(colon + 1).trim()
    lines.set(name, lines.has(name) ? `${lines.get(name)}, ${value}` : value)
  }
  const headers = Object.fromEntries(lines)
  const status = Number(code)
  if (status < 200 && status !== 101) return readResponse(input, method)
  const hasNoBody = method === 'HEAD' || [101, 204, 304].includes(status)
  const body = hasNoBody ? Buffer.alloc(0) : decompress(await readBody(input, headers), headers['content-encoding'])
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(body)
  return { status, headers, text, version, ...(isUtf8(body) && parseJson(text)) }
}

/** Decompresses a body, because some servers compress although the request demands `identity`. */
function decompress(body: Buffer, codings = ''): Buffer {
  const coding = codings.toLowerCase()
  const limit = { maxOutputLength: MAX_RESPONSES }
  if (body.length === 0) return body
  if (/gzip|deflate/.test(coding)) return unzipSync(body, limit)
  return /br/.test(coding) ? brotliDecompressSync(body, limit) : body
}

async function readBody(input: Input, headers: Record<string, string>): Promise<Buffer> {
  if (/chunked/i.test(headers['transfer-encoding'] ?? '')) return readChunks(input)
  const length = headers['content-length']
  return length === undefined ? input.rest() : input.bytes(sizeOf(/^\d+$/, length, 10))
}

async function readChunks(input: Input): Promise<Buffer> {
  const chunks: Buffer[] = []
  for (;;) {
    const size = sizeOf(/^[\da-f]+(?=[\s;]|$)/i, await input.line(), 16)
    chunks.push(await input.bytes(size))
    // Skips the empty line after a chunk, and the trailers after the last chunk.
    while ((await input.line()) !== '' && size === 0);
    if (size === 0) return Buffer.concat(chunks)
  }
}

function sizeOf(pattern: RegExp, text: string, base: number): number {
  const [digits] = pattern.exec(text) ?? []
  if (digits === undefined) throw NO_HTTP
  return Number.parseInt(digits, base)
}

/** Reads lines and bytes from a socket. Throws CONNECTION_ENDED if the connection ends before. */
class Input {
  readonly #chunks: AsyncIterator<Buffer>
  #unread = Buffer.alloc(0)
  #received = 0

  constructor(socket: Socket) {
    this.#chunks = socket[Symbol.asyncIterator]()
  }

  /** Returns the next line, without its line break. */
  async line(): Promise<string> {
    for (;;) {
      const length = this.#unread.indexOf('\r\n')
      if (length !== -1) return this.#take(length + 2).toString('latin1', 0, length)
      if (!(await this.#receive())) throw CONNECTION_ENDED
    }
  }

  async bytes(count: number): Promise<Buffer> {
    while (this.#unread.length < count) if (!(await this.#receive())) throw CONNECTION_ENDED
    return this.#take(count)
  }

  /** Returns all bytes until the end of the connection. */
  async rest(): Promise<Buffer> {
    while (await this.#receive());
    return this.#unread
  }

  #take(count: number): Buffer {
    const taken = this.#unread.subarray(0, count)
    this.#unread = this.#unread.subarray(count)
    return taken
  }

  /**
   * Waits for more data. Returns false if the connection has ended. A reset is an end too, because a server may close a
   * connection before it has read the whole request.
   */
  async #receive(): Promise<boolean> {
    try {
      const { value, done } = await this.#chunks.next()
      if (done) return false
      this.#received += value.length
      if (this.#received > MAX_RESPONSES) throw new Error('the response is longer than 2 MiB')
      this.#unread = Buffer.concat([this.#unread, value])
      return true
    } catch (error) {
      if (['ECONNRESET', 'EPIPE'].includes(String((error as NodeJS.ErrnoException).code))) return false
      throw error
    }
  }
}
