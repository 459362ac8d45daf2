import { setTimeout as sleep } from 'node:timers/promises'
import { CannotRunError } from '../report/report.ts'
import { type HttpRequest, type HttpResponse, type NoResponseError, send, sendOnOneConnection } from './http.ts'

/** Longest time in seconds that a run waits in total because the server asks for it with Retry-After. */
const MAX_PAUSES = 30

/** So many requests in a row without a response end the run. */
const MAX_FAILURES = 3

/** How the message of every ThrottledError begins. */
export const LIMITED = 'the server limits requests'

/** Says that the server limits requests, so that a case cannot be checked now. */
export class ThrottledError extends Error {}

/** Sends the requests of a run: waits where the server asks for it, and gives up on a server that is gone. */
export class RetryingClient {
  readonly #url: URL
  readonly #timeout: number
  /** The routes that asked for a longer pause than a run makes: they get no further request. */
  readonly limited = new Map<string, ThrottledError>()
  #pausesLeft = MAX_PAUSES
  #failures = 0
  #hasResponded = false

  /**
   * @param timeout seconds to wait for a response
   */
  constructor(url: URL, timeout: number) {
    this.#url = url
    this.#timeout = timeout
  }

  /** Whether the server no longer responds. */
  get isServerGone(): boolean {
    return this.#failures >= MAX_FAILURES
  }

  /**
   * Sends a request, and once more after a pause when the server asks for one.
   *
   * @param isLogin whether it has right credentials
   * @param mayClose whether no response is no sign of a server that is gone
   * @returns the response
   * @throws NoResponseError when there is none
   * @throws ThrottledError when the server limits requests and a pause is too long or does not help
   * @throws CannotRunError when the server cannot be reached at all
   */
  async send(request: HttpRequest, isLogin: boolean, mayClose: boolean): Promise<HttpResponse> {
    const route = `${request.method} ${request.path}`
    const limited = this.limited.get(route)
    if (limited !== undefined) throw limited

    const response = await this.#try(request, mayClose)
    const seconds = pauseFor(response, isLogin)
    if (seconds === undefined) return response
    if (seconds <= this.#pausesLeft) {
      this.#pausesLeft -= seconds
      await sleep(seconds * 1000)
      const second = await this.#try(request, mayClose)
      if (pauseFor(second, isLogin) === undefined) return second
    }
    const error = throttled(seconds)
    this.limited.set(route, error)
    throw error
  }

  /**
   * Sends requests on one connection, without another try.
   *
   * @returns the responses before the server closes the connection
   * @throws what `send` throws
   */
  async sendOnOneConnection(requests: HttpRequest[], isPipelined: boolean): Promise<HttpResponse[]> {
    const responses = await this.#count(sendOnOneConnection(this.#url, requests, isPipelined, this.#timeout))
    for (const response of responses) {
      const seconds = pauseFor(response, false)
      if (seconds !== undefined) throw throttled(seconds)
    }
    return responses
  }

  #try(request: HttpRequest, mayClose: boolean): Promise<HttpResponse> {
    return this.#count(send(this.#url, request, this.#timeout), mayClose)
  }

  /** Counts how often in a row there is no response. */
  async #count<T>(sending: Promise<T>, mayClose = false): Promise<T> {
    try {
      const responses = await sending
      this.#hasResponded = true
      this.#failures = 0
      return responses
    } catch (error) {
      const { message, reason } = error as NoResponseError
      if (reason === 'unreachable' && !this.#hasResponded) {
        throw new CannotRunError(`${this.#url.host} cannot be reached: ${message}`)
      }
      if (reason !== 'unsendable' && !mayClose) this.#failures++
      throw error
    }
  }
}

/**
 * The pause in seconds that the server asks for; undefined when this response can be checked. A rejection of wrong
 * credentials can be, with any status: only right ones are worth another try.
 */
function pauseFor(response: HttpResponse, isLogin: boolean): number | undefined {
  const { status, headers } = response
  const after = headers['retry-after']
  const isThrottled = isRejection(response)
    ? isLogin && (status === 429 || after !== undefined)
    : status === 429 || (status === 503 && after !== undefined)
  return isThrottled ? secondsUntil(after) : undefined
}

/** Whether a response says that the credentials are wrong. */
export function isRejection({ body }: HttpResponse): boolean {
  return (Object(body) as { success?: unknown }).success === false
}

/** Retry-After is a number of seconds or a date (RFC 9110 10.2.3). */
function secondsUntil(after = ''): number {
  const seconds = /^\d+$/.test(after) ? Number(after) : (Date.parse(after) - Date.now()) / 1000
  return Number.isNaN(seconds) ? Number.POSITIVE_INFINITY : Math.max(0, seconds)
}

function throttled(seconds: number): ThrottledError {
  const when = Number.isFinite(seconds) ? `for ${Math.ceil(seconds)} s more` : 'and does not say for how long'
  return new ThrottledError(`${LIMITED} ${when}`)
}
