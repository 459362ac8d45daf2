import type { Duplex } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { ClientGoneError, LoginTimedOutError } from './errors.ts'

/**
 * Does some work for a client. Its signal is aborted, and the work left to itself, when nobody waits any more.
 *
 * @param seconds that it may take; undefined when that is not limited
 * @throws ClientGoneError when the client has gone
 * @throws LoginTimedOutError when the time is over
 */
export async function withDeadline<T>(
  { raw }: FastifyRequest,
  seconds: number | undefined,
  work: (signal: AbortSignal) => Promise<T>
): Promise<T> {
  // HTTP/2's stream, else the socket: a response that waits in a pipeline is not told that its client has gone.
  const connection: Duplex = (raw as { stream?: Duplex }).stream ?? raw.socket
  // A slow hook of the host may have let it go before.
  if (connection.destroyed) throw new ClientGoneError()
  return new Promise((resolve, reject) => {
    const controller = new AbortController()
    const giveUp = (reason: Error) => {
      stop()
      controller.abort(reason)
      reject(reason)
    }
    const leave = () => giveUp(new ClientGoneError())
    // A pipeline may hold more requests than Node expects listeners.
    connection.setMaxListeners(0).once('close', leave)
    const timer = seconds && setTimeout(() => giveUp(new LoginTimedOutError()), seconds * 1000)
    const stop = () => {
      clearTimeout(timer)
      connection.off('close', leave)
    }
    work(controller.signal).finally(stop).then(resolve, reject)
  })
}
