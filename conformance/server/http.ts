import { isUtf8 } from 'node:buffer'
import { once } from 'node:events'
import * as http from 'node:http'
import * as https from 'node:https'
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { inert } from '../report/quote.ts'

/** A request ready to be sent: nothing of it is normalised on the way, neither the path nor the headers. */
export interface HttpRequest {
  method: string
  path: string
  headers: [name: string, value: string][]
  body?: string | Buffer
  /** The body is sent in chunks, without its length. */
  chunked?: true
}

/** A response as the expectations of the cases describe it. */
export interface HttpResponse {
  status: number
  /** By name in lower case; the values of a repeated header are joined. */
  headers: Record<string, string>
  text: string
  /** Of HTTP, `1.0` or `1.1`. */
  version: string
  /**
   * The text as JSON; missing when it is not JSON, nested deeper than 200, or not in UTF-8 without a byte order mark
   * (RFC 8259 8.1).
   */
  body?: unknown
}

/** Says why there was no response. */
export class NoResponseError extends Error {
  /**
   * `unsendable`: HTTP cannot carry the request. `unreachable`: there was no connection. `silent`: there was one, but
   * no complete response.
   */
  readonly reason: 'unsendable' | 'unreachable' | 'silent'
  /** That of Node, OpenSSL or zlib; `ETIMEDOUT` when the time was over. */
  readonly code: string

  constructor(message: string, reason: NoResponseError['reason'], code = '') {
    // A message of TLS has names that the server has chosen.
    super(inert(code === 'ERR_BUFFER_TOO_LARGE' ? TOO_LONG : message))
    this.reason = reason
    this.code = code
  }
}

const MAX_BODY = 1024 * 1024
/** Of the JSON of a response. */
const MAX_DEPTH = 200
/** Of interim responses (1xx), of which a server could send any number. */
const MAX_INTERIM = 100
const MAX_HEADERS = 2000
/** Of all responses on a shared connection, in bytes. */
const MAX_RESPONSES = 2 * MAX_BODY
const TOO_LONG = 'the response is longer than 1 MiB'
const NO_HTTP = 'the response is no HTTP'
/** Of every other one the length of its body is sent, also when it has none: Node would send it in chunks. */
const METHODS_WITHOUT_BODY = ['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']

/**
 * Sends one request on a connection of its own, and follows no redirect.
 *
 * @param timeout seconds to wait for the complete response
 * @returns the response, decompressed
 * @throws NoResponseError when there is none, or none that can be read
 */
export async function send(origin: URL, request: HttpRequest, timeout: number): Promise<HttpResponse> {
  const { method, path, body = '' } = request
  const { request: start } = origin.protocol === 'https:' ? https : http
  const signal = AbortSignal.timeout(Math.ceil(timeout * 1000))
  let isConnected = false
  /** What the parser says; the body that it was in says only that it was cut off. */
  let fault: NodeJS.ErrnoException | undefined
  try {
    // Headers as a list, because an object could not repeat one.
    const headers = headerLines(origin, request, 'close').flat()
    const outgoing = start(origin, { method, path, agent: false, signal, headers })
    outgoing.on('socket', socket => {
      socket.on('connect', () => {
        isConnected = true
      })
    })
    const incoming = await new Promise<http.IncomingMessage>((resolve, reject) => {
      outgoing.on('response', resolve).on('error', error => {
        fault = error
        reject(error)
      })
      let interim = 0
      outgoing.on('information', () => {
        if (++interim > MAX_INTERIM) outgoing.destroy(new Error('the server sends interim responses only'))
      })
      outgoing.on('upgrade', (response, socket) => {
        socket.destroy()
        resolve(response)
      })
      for (const chunk of request.chunked ? halves(body) : []) outgoing.write(chunk)
      outgoing.end(request.chunked ? '' : body)
    })
    const response = await read(incoming, method)
    // A body without Content-Length that the timeout cuts off looks complete.
    signal.throwIfAborted()
    return response
  } catch (error) {
    const { message, code } = fault ?? (error as NodeJS.ErrnoException)
    if (code === 'ERR_INVALID_CHAR') throw new NoResponseError('HTTP cannot carry the request', 'unsendable')
    const reason = isConnected ? 'silent' : 'unreachable'
    if (signal.aborted) throw new NoResponseError(`no response within ${timeout} s`, reason, 'ETIMEDOUT')
    throw new NoResponseError(message, reason, code)
  }
}

/** The header fields of a request, with those that it does not have itself. */
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

/** Returns the two chunks of a body. */
function halves(body: string | Buffer): Buffer[] {
  const bytes = Buffer.from(body)
  const middle = bytes.length >> 1
  return [bytes.subarray(0, middle), bytes.subarray(middle)]
}

async function read(incoming: http.IncomingMessage, method: string): Promise<HttpResponse> {
  const status = incoming.statusCode as number
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of status === 101 ? [] : incoming) {
    chunks.push(chunk)
    length += chunk.length
    if (length > MAX_BODY) throw new Error(TOO_LONG)
  }
  const body = method === 'HEAD' ? Buffer.alloc(0) : Buffer.concat(chunks)
  const raw = incoming.rawHeaders
  const lines = raw.flatMap((name, index): Line[] => (index % 2 === 0 ? [[name, raw[index + 1] as string]] : []))
  return responseOf(status, headersOf(lines), body, incoming.httpVersion)
}

type Line = [name: string, value: string]

/** Not by an object at first: a server may name a header `constructor` or `__proto__`. */
function headersOf(lines: Line[]): Record<string, string> {
  const headers = new Map<string, string>()
  for (const [name, value] of lines) {
    const before = headers.get(name.toLowerCase())
    headers.set(name.toLowerCase(), before === undefined ? value : `${before}, ${value}`)
  }
  return Object.fromEntries(headers)
}

/** Returns a response as the expectations describe it. */
function responseOf(status: number, headers: Record<string, string>, bytes: Buffer, version: string): HttpResponse {
  if (bytes.length > MAX_BODY) throw new Error(TOO_LONG)
  const content = decompress(bytes, headers['content-encoding'])
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(content)
  return { status, headers, text, version, ...(isUtf8(content) && parseJson(text)) }
}

/** Some servers compress although the request asks for `identity`. */
function decompress(body: Buffer, codings = ''): Buffer {
  const coding = codings.toLowerCase()
  const limit = { maxOutputLength: MAX_BODY }
  if (body.length === 0) return body
  if (/gzip/.test(coding)) return gunzipSync(body, limit)
  if (/deflate/.test(coding)) return inflateSync(body, limit)
  return /br/.test(coding) ? brotliDecompressSync(body, limit) : body
}

/** Returns the text as JSON in `body`; nothing when it is none, or nested too deep. */
export function parseJson(text: string): { body?: unknown } {
  try {
    return isTooDeep(text) ? {} : { body: JSON.parse(text) }
  } catch {
    return {}
  }
}

/** Before it is parsed: what is nested 100,000 deep costs seconds then, and when it is compared. */
function isTooDeep(text: string): boolean {
  let depth = 0
  let isInString = false
  for (let at = 0; at < text.length && depth <= MAX_DEPTH; at++) {
    const character = text[at] as string
    if (isInString && character === '\\') at++
    else if (character === '"') isInString = !isInString
    else if (isInString) continue
    else if (character === '[' || character === '{') depth++
    else if (character === ']' || character === '}') depth--
  }
  return depth > MAX_DEPTH
}

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
  const socket = open(origin)
  const late = new NoResponseError(`no response within ${timeout} s`, 'silent', 'ETIMEDOUT')
  const timer = setTimeout(() => socket.destroy(late), timeout * 1000)
  const responses: HttpResponse[] = []
  let isOpen = false
  try {
    await once(socket, origin.protocol === 'https:' ? 'secureConnect' : 'connect')
    isOpen = true
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
    throw new NoResponseError(message, isOpen ? 'silent' : 'unreachable', code)
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
    for (const [name, value] of lines) http.validateHeaderValue(name, value)
  } catch {
    throw new NoResponseError('HTTP cannot carry the request', 'unsendable')
  }
  const fields = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  const head = Buffer.from(`${method} ${path} HTTP/1.1\r\n${fields}\r\n`, 'latin1')
  if (!chunked) return Buffer.concat([head, Buffer.from(body)])
  const end = Buffer.from('\r\n')
  const chunks = halves(body).flatMap(half => [Buffer.from(half.length.toString(16)), end, half, end])
  return Buffer.concat([head, ...chunks, Buffer.from('0\r\n\r\n')])
}

/** Connects. The certificate of the server is verified, unless `rejectUnauthorized` is false. */
export function open({ protocol, hostname, port }: URL, rejectUnauthorized = true): Socket {
  const isTls = protocol === 'https:'
  const host = hostname.replace(/^\[|\]$/g, '')
  const to = { host, port: Number(port) || (isTls ? 443 : 80) }
  const socket = isTls
    ? connectTls({ ...to, servername: isIP(host) === 0 ? host : '', rejectUnauthorized })
    : connect(to)
  // What waits for the socket rejects with the error itself.
  return socket.on('error', () => {})
}

/** Returns the next response; undefined when the connection ends before. */
async function readResponse(input: Input, method: string, interim = 0): Promise<HttpResponse | undefined> {
  const start = await input.line()
  if (start === undefined) return undefined
  const [, version, code] = /^HTTP\/(1\.[01]) (\d{3})(?: |$)/.exec(start) ?? []
  if (version === undefined || interim > MAX_INTERIM) throw new Error(NO_HTTP)
  const lines: Line[] = []
  for (let line = await input.line(); line !== ''; line = await input.line()) {
    if (line === undefined) return undefined
    if (lines.length === MAX_HEADERS) throw new Error(`the response has more than ${MAX_HEADERS} headers`)
    const colon = line.indexOf(':')
    lines.push([line.slice(0, colon), line.slice(colon + 1).trim()])
  }
  const headers = headersOf(lines)
  const status = Number(code)
  if (status < 200 && status !== 101) return readResponse(input, method, interim + 1)
  const hasNoBody = method === 'HEAD' || [101, 204, 304].includes(status)
  const body = hasNoBody ? Buffer.alloc(0) : await readBody(input, headers)
  return body && responseOf(status, headers, body, version)
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
    // After a chunk an empty line, after the last one trailers too.
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

/** What a socket has received, and how much of it was read. */
class Input {
  readonly #chunks: AsyncIterator<Buffer>
  /** All of it: to put it together again for each chunk would cost the square of their number. */
  readonly #buffer = Buffer.allocUnsafe(MAX_RESPONSES)
  #start = 0
  #end = 0

  constructor(socket: Socket) {
    this.#chunks = socket[Symbol.asyncIterator]()
  }

  /** The next line, without its end; undefined when there is none. */
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

  /** So many bytes; undefined when there are fewer. */
  async bytes(count: number): Promise<Buffer | undefined> {
    while (this.#end - this.#start < count) if (!(await this.#more())) return undefined
    return this.#take(count)
  }

  /** All up to the end of the connection. */
  async rest(): Promise<Buffer> {
    while (await this.#more());
    return this.#take(this.#end - this.#start)
  }

  #take(count: number): Buffer {
    this.#start += count
    return this.#buffer.subarray(this.#start - count, this.#start)
  }

  /** Waits for more. A reset is an end: a server may close a connection whose request it refuses to read. */
  async #more(): Promise<boolean> {
    try {
      const { value, done } = await this.#chunks.next()
      if (done) return false
      if (this.#end + value.length > MAX_RESPONSES) throw new Error('the responses are longer than 2 MiB')
      value.copy(this.#buffer, this.#end)
      this.#end += value.length
      return true
    } catch (error) {
      if (['ECONNRESET', 'EPIPE'].includes(String((error as NodeJS.ErrnoException).code))) return false
      throw error
    }
  }
}
