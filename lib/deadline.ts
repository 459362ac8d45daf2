import type { FastifyReply } from 'fastify'
import { LoginTimedOutError } from './errors.ts'

/** Made once: nobody sees it, and to make an error costs as much as the rest of the deadline. */
const OVER = new Error('nobody waits for the answer any more')

/** The end of the time that a login may take; it comes early when the client hangs up. */
export class Deadline {
  #isOver = false
  #giveUp = () => {}

  /** Whether nobody waits for the answer any more. */
  get isOver(): boolean {
    return this.#isOver
  }

  end(): void {
    this.#isOver = true
    this.#giveUp()
  }

  throwIfOver(): void {
    if (this.#isOver) throw OVER
  }

  /** The answer of something that may never answer, one at a time; a rejection when this is over before. */
  wait<T>(answer: Promise<T>): Promise<T> {
    return settle(answer, reject => {
      if (this.#isOver) reject(OVER)
      this.#giveUp = () => reject(OVER)
      return () => {
        this.#giveUp = () => {}
      }
    })
  }
}

/**
 * Lets a login take so many seconds. Not with an AbortSignal, which makes an error for every login; and Fastify's own
 * `request.signal` and `handlerTimeout` end with the body of the request.
 *
 * @throws LoginTimedOutError when they are over; the work is left to itself
 */
export function withDeadline<T>(
  reply: FastifyReply,
  seconds: number,
  work: (deadline: Deadline) => Promise<T>
): Promise<T> {
  const deadline = new Deadline()
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      deadline.end()
      reject(new LoginTimedOutError())
    }, seconds * 1000)
    const leave = () => {
      clearTimeout(timer)
      deadline.end()
    }
    // A slow hook of the host may have let the client go before.
    if (hasLeft(reply)) leave()
    else reply.raw.once('close', leave)
    work(deadline).then(resolve, reject)
  })
}

/** `stream` is HTTP/2's. */
function hasLeft({ raw }: FastifyReply): boolean {
  const { destroyed, stream } = raw as { destroyed: boolean; stream?: { destroyed: boolean } }
  return destroyed || stream?.destroyed === true
}

/** Waits so many seconds for an answer, and then no longer: it rejects with `late()`. */
export function within<T>(
  seconds: number,
  answer: Promise<T>,
  late: () => Error = () => new LoginTimedOutError()
): Promise<T> {
  return settle(answer, reject => {
    const timer = setTimeout(() => reject(late()), seconds * 1000)
    return () => clearTimeout(timer)
  })
}

/**
 * The answer, unless something rejects before.
 *
 * @param start arranges for that, and answers how to call it off
 */
function settle<T>(answer: Promise<T>, start: (reject: (error: Error) => void) => () => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const callOff = start(reject)
    answer.then(
      value => {
        callOff()
        resolve(value)
      },
      error => {
        callOff()
        reject(error)
      }
    )
  })
}
