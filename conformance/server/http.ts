import * as http from 'node:http'
import * as https from 'node:https'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'

/** A request ready to be sent: nothing of it is normalised on the way, neither the path nor the headers. */
export interface HttpRequest {
  method: string
  path: string
  headers: [name: string, value: string][]
  body?: string
}

/** A response as the expectations of the cases describe it. */
export interface HttpResponse {
  status: number
  /** By name in lower case; the values of a repeated header are joined. */
  headers: Record<string, string>
  text: string
  /** The text as JSON; missing when it is not JSON. */
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
const METHODS_WITH_BODY = ['POST', 'PUT', 'PATCH']

/**
 * Sends one request on a connection of its own, and follows no redirect.
 *
 * @param timeout seconds to wait for the complete response
 * @returns the response, decompressed
 * @throws NoResponseError when there is none, or none that can be read
 */
export async function send(origin: URL, request: HttpRequest, timeout: number): Promise<HttpResponse> {
  const { method, path, headers, body } = request
  const { request: open } = origin.protocol === 'https:' ? https : http
  const signal = AbortSignal.timeout(timeout * 1000)
  let isConnected = false
  try {
    const outgoing = open(origin, {
      method,
      path,
      agent: false,
      signal,
      // As a list, because an object could not repeat a header.
      headers: [
        ['Host', origin.host],
        ['Connection', 'close'],
        ['User-Agent', 'screen-auth-conformance'],
        ['Accept-Encoding', 'identity'],
        ...(headers.some(([name]) => name === 'Accept') ? [] : [['Accept', 'application/json']]),
        ...lengthOf(method, body),
        ...headers
      ].flat()
    })
    outgoing.on('socket', socket => {
      socket.on('connect', () => {
        isConnected = true
      })
    })
    const incoming = await new Promise<http.IncomingMessage>((resolve, reject) => {
      outgoing.on('response', resolve).on('error', reject).end(body)
      outgoing.on('upgrade', (_, socket) => {
        socket.destroy()
        reject(new Error('the server switched protocols'))
      })
    })
    const response = await read(incoming)
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

function lengthOf(method: string, body?: string): [string, string][] {
  if (body === undefined && !METHODS_WITH_BODY.includes(method)) return []
  return [['Content-Length', String(Buffer.byteLength(body ?? ''))]]
}

async function read(incoming: http.IncomingMessage): Promise<HttpResponse> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of incoming) {
    chunks.push(chunk)
    length += chunk.length
    if (length > MAX_BODY) throw new Error('the response is longer than 1 MiB')
  }
  const text = new TextDecoder().decode(
    decompress(Buffer.concat(chunks), incoming.headers['content-encoding'])
  )
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [name, [value].flat().join(', ')])
  )
  return { status: incoming.statusCode as number, headers, text, ...parse(text) }
}

/** Some servers compress although the request asks for `identity`. */
function decompress(body: Buffer, coding = ''): Buffer {
  const limit = { maxOutputLength: MAX_BODY }
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
