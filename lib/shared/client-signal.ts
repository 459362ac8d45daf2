import type { Duplex } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { ClientGoneError, LoginTimedOutError } from './errors.ts'

/**
 * Runs `work`. If the client disconnects or `work` times out, the signal aborts and the result of `work` is ignored.
 *
 * @param seconds the timeout. Default: no timeout
 * @throws ClientGoneError if the client disconnects
 * @throws LoginTimedOutError if `work` times out
 */
export async function whileClientWaits<T>(
  { raw }: FastifyRequest,
  work: (signal: AbortSignal) => Promise<T>,
  seconds?: number
): Promise<T> {
  // The HTTP/2 stream, or else the socket: a queued response to a pipelined request emits no `close`.
  // Some adapters, for instance for Lambda, pass a plain object: then there is no sign of a client that leaves.
  const connection: Partial<Duplex> | undefined = (raw as { stream?: Duplex }).stream ?? raw.socket
  // The client may have disconnected during a slow hook of the host.
  if (connection?.destroyed) throw new ClientGoneError()

  const controller = new AbortController()
  let stop!: () => void
  const aborted = new Promise<never>((_, reject) => {
    const abort = (reason: Error) => {
      controller.abort(reason)
      reject(reason)
    }
    const onClose = () => abort(new ClientGoneError())
    const timer = seconds && setTimeout(() => abort(new LoginTimedOutError()), seconds * 1000)
    // Pipelined requests share a socket, and may exceed Node's default limit of listeners.
    connection?.setMaxListeners?.(0)
    connection?.once?.('close', onClose)
    stop = () => {
      clearTimeout(timer)
      connection?.off?.('close', onClose)
    }
  })
  return Promise.race([work(controller.signal), aborted]).finally(stop)
}
