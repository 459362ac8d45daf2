import { isUtf8 } from 'node:buffer'
import * as http from 'node:http'
import * as https from 'node:https'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'

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
  /** The text as JSON; missing when it is not JSON, or not in UTF-8 without a byte order mark (RFC 8259 8.1). */
  body?: unknown
}

/** Says why there was no response. */
export class NoResponseError extends Error {
  override name = 'NoResponseError'
  /**
   * `unsendable`: HTTP cannot carry the request. `unreachable`: there was no connection. `silent`: there was one, but
   * no complete response.
   */
  readonly reason: 'unsendable' | 'unreachable' | 'silent'

  constructor(message: string, reason: NoResponseError['reason']) {
    super(message)
    this.reason = reason
  }
}

const MAX_BODY = 1024 * 1024
const TOO_LONG = 'the response is longer than 1 MiB'
const METHODS_WITH_BODY = ['POST', 'PUT', 'PATCH']

/**
 * Sends one request on a connection of its own, and follows no redirect.
 *
 * @param timeout seconds to wait for the complete response
 * @returns the response, decompressed
 * @throws NoResponseError when there is none, or none that can be read
 */
export async function send(origin: URL, request: HttpRequest, timeout: number): Promise<HttpResponse> {
  const { method, path, body = '' } = request
  const { request: open } = origin.protocol === 'https:' ? https : http
  const signal = AbortSignal.timeout(timeout * 1000)
  let isConnected = false
  try {
    // Headers as a list, because an object could not repeat one.
    const headers = headerLines(origin, request, 'close').flat()
    const outgoing = open(origin, { method, path, agent: false, signal, headers })
    outgoing.on('socket', socket => {
      socket.on('connect', () => {
        isConnected = true
      })
    })
    const incoming = await new Promise<http.IncomingMessage>((resolve, reject) => {
      outgoing.on('response', resolve).on('error', reject)
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
    const { message, code } = error as NodeJS.ErrnoException
    if (code === 'ERR_INVALID_CHAR') throw new NoResponseError('HTTP cannot carry the request', 'unsendable')
    const why = signal.aborted ? `no response within ${timeout} s` : message
    throw new NoResponseError(why, isConnected ? 'silent' : 'unreachable')
  }
}

/** The header fields of a request, with those that it does not have itself. */
export function headerLines(
  origin: URL,
  { method, headers, body, chunked }: HttpRequest,
  connection: 'close' | 'keep-alive'
): [string, string][] {
  const hasBody = body !== undefined || METHODS_WITH_BODY.includes(method)
  const defaults: [string, string][] = [
    ['Host', origin.host],
    ['Connection', connection],
    ['User-Agent', 'screen-auth-conformance'],
    ['Accept-Encoding', 'identity'],
    ['Accept', 'application/json'],
    ...(chunked ? [['Transfer-Encoding', 'chunked'] as [string, string]] : []),
    ...(hasBody && !chunked
      ? [['Content-Length', String(Buffer.byteLength(body ?? ''))] as [string, string]]
      : [])
  ]
  return [...defaults.filter(([name]) => !headers.some(([other]) => other === name)), ...headers]
}

/** Returns the two chunks of a body. */
export function halves(body: string | Buffer): Buffer[] {
  const bytes = Buffer.from(body)
  const middle = bytes.length >> 1
  return [bytes.subarray(0, middle), bytes.subarray(middle)]
}

async function read(incoming: http.IncomingMessage, method: string): Promise<HttpResponse> {
  const { statusCode, rawHeaders } = incoming
  const status = statusCode as number
  const lines = rawHeaders.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] as string]] : []
  )
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of status === 101 ? [] : incoming) {
    chunks.push(chunk)
    length += chunk.length
    if (length > MAX_BODY) throw new Error(TOO_LONG)
  }
  const body = method === 'HEAD' ? Buffer.alloc(0) : Buffer.concat(chunks)
  return responseOf(status, lines, body, incoming.httpVersion)
}

/** Returns a response as the expectations describe it. */
export function responseOf(
  status: number,
  lines: [string, string][],
  bytes: Buffer,
  version: string
): HttpResponse {
  const headers: Record<string, string> = {}
  for (const [name, value] of lines) {
    const key = name.toLowerCase()
    headers[key] = headers[key] === undefined ? value : `${headers[key]}, ${value}`
  }
  if (bytes.length > MAX_BODY) throw new Error(TOO_LONG)
  const content = decompress(bytes, headers['content-encoding'])
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(content)
  return { status, headers, text, version, ...(isUtf8(content) && parse(text)) }
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

function parse(text: string): { body?: unknown } {
  try {
    return { body: JSON.parse(text) }
  } catch {
    return {}
  }
}
