import type { Duplex } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import pTimeout from 'p-timeout'
import { ClientGoneError, LoginTimedOutError } from './errors.ts'

/**
 * Does some work as long as its client waits. The signal is aborted, and the work left to itself, when nobody waits any
 * more.
 *
 * @param seconds that it may take
 * @returns what the work returns
 * @throws ClientGoneError when the client has gone
 * @throws LoginTimedOutError when the time is over
 */
export async function whileClientWaits<T>(
  { raw }: FastifyRequest,
  work: (signal: AbortSignal) => Promise<T>,
  seconds = Number.POSITIVE_INFINITY
): Promise<T> {
  // HTTP/2's stream, else the socket: a response that waits in a pipeline is not told that its client has gone.
  const connection: Duplex = (raw as { stream?: Duplex }).stream ?? raw.socket
  // A slow hook of the host may have let it go before.
  if (connection.destroyed) throw new ClientGoneError()

  const controller = new AbortController()
  const { signal } = controller
  const leave = () => controller.abort(new ClientGoneError())
  // A pipeline may hold more requests than Node expects listeners.
  connection.setMaxListeners(0).once('close', leave)
  const fallback = () => {
    controller.abort(new LoginTimedOutError())
    throw signal.reason
  }
  // In a microtask, so that this timer is set before those of the work, and fires before them.
  const result = Promise.resolve(signal).then(work)
  try {
    return await pTimeout(result, { signal, milliseconds: seconds * 1000, fallback })
  } finally {
    connection.off('close', leave)
  }
}
