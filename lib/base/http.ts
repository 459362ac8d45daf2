// What is known of the client of a request, and how it gets its response.
import type { Duplex } from 'node:stream'
import type { FastifyReply, FastifyRequest, RawServerBase, RouteGenericInterface } from 'fastify'
import { ClientGoneError, LoginTimedOutError, RETRY_AFTER } from './errors.ts'
import { isPromise } from './promises.ts'

/** A request of any server. A `FastifyRequest` alone is one of an HTTP/1 server. */
export type AnyRequest = FastifyRequest<RouteGenericInterface, RawServerBase>

/** Whether options stand in place of a request. Looks for `raw`: a host may decorate its requests with these names. */
export const areOptions = (value: unknown, names: string[]) =>
  !('raw' in Object(value)) && names.some(name => Object.hasOwn(Object(value), name))

/** Property that stores the address. Not a WeakMap, which slows down garbage collection. */
const kAddress = Symbol('screen-auth address')

type RequestWithAddress = FastifyRequest & { [kAddress]?: string }

/**
 * Stores the address of a request, because `request.ip` is lost when the client disconnects. Call it before anything
 * asynchronous.
 */
export function keepAddress(request: RequestWithAddress): void {
  request[kAddress] = request.ip
}

/** Returns the client's address; undefined over a Unix socket. Behind a proxy, it depends on Fastify's `trustProxy`. */
export function addressOf(request: RequestWithAddress): string | undefined {
  return request[kAddress] ?? request.ip
}

/**
 * Runs `work`. If the client disconnects or `work` times out, the signal aborts and the result of `work` is ignored.
 *
 * @param seconds the timeout. Default: no timeout
 * @throws ClientGoneError if the client disconnects
 * @throws LoginTimedOutError if `work` times out
 */
export async function whileClientWaits<T>(
  { raw }: FastifyRequest,
  work: (signal: AbortSignal) => T | PromiseLike<T>,
  seconds?: number
): Promise<T> {
  // The HTTP/2 stream, or else the socket: a queued response to a pipelined request emits no `close`. Some adapters, for
  // instance for Lambda, pass a plain object as the socket: then a client that disconnects goes unnoticed.
  const connection: Partial<Duplex> | undefined = (raw as { stream?: Duplex }).stream ?? raw.socket
  // The client may have disconnected during a slow hook of the host.
  if (connection?.destroyed) throw new ClientGoneError()
  // A socket that was reset has only its own address left. A Unix socket and the object of an adapter have neither.
  if (raw.socket?.localAddress && !raw.socket.remoteAddress) throw new ClientGoneError()

  const controller = new AbortController()
  const result = work(controller.signal)
  // No event can occur before a synchronous result, and listeners take as long as the guard.
  if (!isPromise(result)) return result
  const onClose = () => controller.abort(new ClientGoneError())
  const timer = seconds && setTimeout(() => controller.abort(new LoginTimedOutError()), seconds * 1000)
  // Pipelined requests share a socket, and may exceed Node's default limit of listeners.
  connection?.setMaxListeners?.(0)
  connection?.once?.('close', onClose)
  const aborted = new Promise<never>((_, reject) => {
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason))
  })
  try {
    return await Promise.race([result, aborted])
  } finally {
    clearTimeout(timer)
    connection?.off?.('close', onClose)
  }
}

/** Sends serialized JSON. A string skips the preSerialization hooks of the host, which could change it. */
export function sendJson(reply: FastifyReply, text: string): FastifyReply {
  // Removes a serializer that a hook of the host may have set: it would serialize the text again.
  reply.serializer(null as never)
  return reply.type('application/json; charset=utf-8').send(text)
}

/** Sets status 503, and `Retry-After` unless the host has set it. */
export function setUnavailable(reply: FastifyReply): FastifyReply {
  if (!reply.hasHeader('retry-after')) reply.header('retry-after', RETRY_AFTER)
  return reply.code(503)
}
