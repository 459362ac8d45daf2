import type { Duplex } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { ClientGoneError, LoginTimedOutError } from './errors.ts'

/**
 * Does some work as long as its client waits. The signal is aborted, and the work left to itself, when nobody waits any
 * more.
 *
 * @param seconds that it may take. Default: without a limit
 * @returns what the work returns
 * @throws ClientGoneError when the client has gone
 * @throws LoginTimedOutError when the time is over
 */
export async function whileClientWaits<T>(
  { raw }: FastifyRequest,
  work: (signal: AbortSignal) => Promise<T>,
  seconds?: number
): Promise<T> {
  // HTTP/2's stream, else the socket: a response that waits in a pipeline is not told that its client has gone.
  const connection: Duplex = (raw as { stream?: Duplex }).stream ?? raw.socket
  // A slow hook of the host may have let it go before.
  if (connection.destroyed) throw new ClientGoneError()

  const controller = new AbortController()
  let stop!: () => void
  const nobodyWaits = new Promise<never>((_, reject) => {
    const giveUp = (reason: Error) => {
      controller.abort(reason)
      reject(reason)
    }
    const leave = () => giveUp(new ClientGoneError())
    const timer = seconds && setTimeout(() => giveUp(new LoginTimedOutError()), seconds * 1000)
    // A pipeline may hold more requests than Node expects listeners.
    connection.setMaxListeners(0).once('close', leave)
    stop = () => {
      clearTimeout(timer)
      connection.off('close', leave)
    }
  })
  return Promise.race([work(controller.signal), nobodyWaits]).finally(stop)
}
