import type { FastifyReply } from 'fastify'
import { LoginTimedOutError } from './errors.ts'

/**
 * Lets a login take so many seconds. Its signal is aborted when they are over, and when the client has hung up;
 * Fastify's own `request.signal` and `handlerTimeout` end with the body of the request.
 *
 * @throws LoginTimedOutError when they are over; the work is left to itself
 */
export function withDeadline<T>(
  reply: FastifyReply,
  seconds: number,
  work: (signal: AbortSignal) => Promise<T>
): Promise<T> {
  const controller = new AbortController()
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      controller.abort()
      reject(new LoginTimedOutError())
    }, seconds * 1000)
    const leave = () => {
      clearTimeout(timer)
      controller.abort()
    }
    // A slow hook of the host may have let the client go before.
    if (reply.raw.destroyed) leave()
    else reply.raw.once('close', leave)
    work(controller.signal).then(resolve, reject)
  })
}
