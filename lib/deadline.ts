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
    if (hasLeft(reply)) leave()
    else reply.raw.once('close', leave)
    work(controller.signal).then(resolve, reject)
  })
}

/** `stream` is HTTP/2's. */
function hasLeft({ raw }: FastifyReply): boolean {
  const { destroyed, stream } = raw as { destroyed: boolean; stream?: { destroyed: boolean } }
  return destroyed || stream?.destroyed === true
}

/** The answer of something that may never answer; a rejection when the signal is aborted before. */
export function unlessAborted<T>(signal: AbortSignal, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
    answer.then(resolve, reject)
  })
}
