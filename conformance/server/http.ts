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

/** A response, in the form that the checks of the cases read. */
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

/** The reason why there is no response. */
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
const NO_HTTP = 'the response is not HTTP'
/** With any other method, a request without a body needs a Content-Length (RFC 9110 8.6). */
const METHODS_WITHOUT_BODY = ['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']

/** Sends one request on its own connection, as `sendOnOneConnection` does. Does not follow redirects. */
export async function send(origin: URL, request: HttpRequest, timeout: number): Promise<HttpResponse> {
  const [response] = await sendOnOneConnection(origin, [request], false, timeout)
  if (response === undefined) throw new NoResponseError('socket hang up', 'silent')
  return response
}

function headerLines(
  origin: URL,
  { method, headers, body, chunked }: HttpRequest,
  connection: 'close' | 'keep-alive'
): [string, string][] {
  const hasBody = body !== undefined || !METHODS_WITHOUT_BODY.includes(method)
  const defaults: [string, string][] = [
    ['Host', origin.host],
    ['Connection', connection],
    ['User-Agent', 'screen-auth-conformance'],
    ['Accept-Encoding', 'identity'],
    ['Accept', 'application/json']
  ]
  if (chunked) defaults.push(['Transfer-Encoding', 'chunked'])
  else if (hasBody) defaults.push(['Content-Length', String(Buffer.byteLength(body ?? ''))])
  return [...defaults.filter(([name]) => !headers.some(([other]) => other === name)), ...headers]
}

/** Joins repeated headers. Uses a Map, because a server may name a header `constructor` or `__proto__`. */
function headersOf(lines: [name: string, value: string][]): Record<string, string> {
  const headers = new Map<string, string>()
  for (const [name, value] of lines) {
    const before = headers.get(name.toLowerCase())
    headers.set(name.toLowerCase(), before === undefined ? value : `${before}, ${value}`)
  }
  return Object.fromEntries(headers)
}

/**
 * Sends requests on one connection. Writes to the socket directly, because the HTTP client of Node does not pipeline
 * requests, and rejects responses that the kit can judge.
 *
 * @param isPipelined whether all requests are sent at once
 * @param timeout seconds to wait for all responses
 * @returns the responses; fewer than the requests if the server closes the connection
 * @throws NoResponseError if the server cannot be reached, does not respond in time, or does not send HTTP
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
      if (response === undefined) break
      responses.push(response)
      if (/close/i.test(response.headers.connection ?? '')) break
    }
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException
    // For a host with several addresses, the message of the error is empty.
    throw new NoResponseError(message || String(code), isConnected ? 'silent' : 'unreachable', code)
  } finally {
    clearTimeout(timer)
    socket.destroy()
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
  const size = Buffer.byteLength(body).toString(16)
  return Buffer.concat([head, Buffer.from(`${size}\r\n`), Buffer.from(body), Buffer.from('\r\n0\r\n\r\n')])
}

function open({ protocol, hostname, port }: URL): Socket {
  const isTls = protocol === 'https:'
  const host = hostname.replace(/^\[|\]$/g, '')
  const to = { host, port: Number(port) || (isTls ? 443 : 80) }
  const socket = isTls ? connectTls({ ...to, servername: isIP(host) === 0 ? host : '' }) : connect(to)
  // Prevents an uncaught error. The promises that wait for the socket reject with it.
  return socket.on('error', () => {})
}

/** Returns the next response; undefined if the connection ends before the response is complete. */
async function readResponse(input: Input, method: string): Promise<HttpResponse | undefined> {
  const start = await input.line()
  if (start === undefined) return undefined
  const [, version, code] = /^HTTP\/(1\.[01]) (\d{3})(?: |$)/.exec(start) ?? []
  if (version === undefined) throw new Error(NO_HTTP)
  const lines: [string, string][] = []
  for (let line = await input.line(); line !== ''; line = await input.line()) {
    if (line === undefined) return undefined
    const colon = line.indexOf(':')
    lines.push([line.slice(0, colon), line.slice(colon + 1).trim()])
  }
  const headers = headersOf(lines)
  const status = Number(code)
  if (status < 200 && status !== 101) return readResponse(input, method)
  const hasNoBody = method === 'HEAD' || [101, 204, 304].includes(status)
  const bytes = hasNoBody ? Buffer.alloc(0) : await readBody(input, headers)
  if (bytes === undefined) return undefined
  const body = decompress(bytes, headers['content-encoding'])
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

async function readBody(input: Input, headers: Record<string, string>): Promise<Buffer | undefined> {
  if (/chunked/i.test(headers['transfer-encoding'] ?? '')) return readChunks(input)
  const length = headers['content-length']
  return length === undefined ? input.rest() : input.bytes(sizeOf(/^\d+$/, length, 10))
}

async function readChunks(input: Input): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  for (;;) {
    const line = await input.line()
    const size = line === undefined ? 0 : sizeOf(/^[\da-f]+(?=[\s;]|$)/i, line, 16)
    const chunk = line === undefined ? undefined : await input.bytes(size)
    if (chunk === undefined) return undefined
    // Skips the empty line after a chunk, and the trailers after the last chunk.
    while ((await input.line()) && size === 0);
    if (size === 0) return Buffer.concat(chunks)
    chunks.push(chunk)
  }
}

function sizeOf(pattern: RegExp, text: string, base: number): number {
  const [digits] = pattern.exec(text) ?? []
  if (digits === undefined) throw new Error(NO_HTTP)
  return Number.parseInt(digits, base)
}

/** Buffers the received data of a socket, and reads lines and bytes from it. */
class Input {
  readonly #chunks: AsyncIterator<Buffer>
  /** Allocated once: concatenating all data for each chunk would take quadratic time. */
  readonly #buffer = Buffer.allocUnsafe(MAX_RESPONSES)
  #start = 0
  #end = 0

  constructor(socket: Socket) {
    this.#chunks = socket[Symbol.asyncIterator]()
  }

  /** Returns the next line, without its line break; undefined at the end of the connection. */
  async line(): Promise<string | undefined> {
    let from = this.#start
    for (;;) {
      const end = this.#buffer.subarray(0, this.#end).indexOf('\r\n', from)
      if (end !== -1)
        return this.#take(end + 2 - this.#start)
          .toString('latin1')
          .slice(0, -2)
      from = Math.max(this.#start, this.#end - 1)
      if (!(await this.#more())) return undefined
    }
  }

  /** Returns `count` bytes; undefined if the connection ends before. */
  async bytes(count: number): Promise<Buffer | undefined> {
    while (this.#end - this.#start < count) if (!(await this.#more())) return undefined
    return this.#take(count)
  }

  /** Returns all bytes until the end of the connection. */
  async rest(): Promise<Buffer> {
    while (await this.#more());
    return this.#take(this.#end - this.#start)
  }

  #take(count: number): Buffer {
    this.#start += count
    return this.#buffer.subarray(this.#start - count, this.#start)
  }

  /**
   * Waits for more data. Returns false if the connection has ended. A reset is an end too, because a server may close a
   * connection before it has read the whole request.
   */
  async #more(): Promise<boolean> {
    try {
      const { value, done } = await this.#chunks.next()
      if (done) return false
      if (this.#end + value.length > MAX_RESPONSES) throw new Error('the response is longer than 2 MiB')
      value.copy(this.#buffer, this.#end)
      this.#end += value.length
      return true
    } catch (error) {
      if (['ECONNRESET', 'EPIPE'].includes(String((error as NodeJS.ErrnoException).code))) return false
      throw error
    }
  }
}
