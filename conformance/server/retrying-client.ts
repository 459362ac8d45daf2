import { setTimeout as sleep } from 'node:timers/promises'
import { CannotRunError } from '../report/report.ts'
import { type HttpRequest, type HttpResponse, type NoResponseError, send, sendOnOneConnection } from './http.ts'
import { otherProtocol, respondsTo, whyUnreachable } from './unreachable.ts'

/** Longest time in seconds that a run waits in total because the server asks for it with Retry-After. */
const MAX_PAUSES = 30

/** So many requests in a row without a response end the run. */
const MAX_FAILURES = 3

/** How the message of every ThrottledError begins. */
export const LIMITED = 'the server limits requests'

/** Says that the server limits requests, so that a case cannot be checked now. */
export class ThrottledError extends CannotRunError {}

/** Says that the time of the run is over, so that a case is not judged. */
export class DeadlineError extends CannotRunError {
  override message = 'the time of the run was over'
}

/** How long a run may take when its caller says nothing else, in milliseconds. */
const LONGEST_RUN = 600_000

/** Sends the requests of a run: waits where the server asks for it, and gives up on a server that is gone. */
export class RetryingClient {
  readonly #url: URL
  readonly #timeout: number
  /** The routes that asked for a longer pause than a run makes: they get no further request. */
  readonly limited = new Map<string, ThrottledError>()
  readonly #deadline: number
  readonly #onPause: (seconds: number) => void
  #pausesLeft = MAX_PAUSES
  #hasPausedForLogin = false
  #failures = 0
  #hasResponded = false

  /**
   * @param timeout seconds to wait for a response
   * @param options.deadline when the run ends, as `performance.now` counts
   * @param options.onPause called before a pause that the server asks for
   */
  constructor(
    url: URL,
    timeout: number,
    {
      deadline = performance.now() + LONGEST_RUN,
      onPause = () => {}
    }: { deadline?: number; onPause?: (seconds: number) => void } = {}
  ) {
    this.#url = url
    this.#timeout = timeout
    this.#deadline = deadline
    this.#onPause = onPause
  }

  /** Whether a request was not sent, or not waited for, because the time of the run was over. */
  isTimeOver = false

  /** Whether the server no longer responds. */
  get isServerGone(): boolean {
    return this.#failures >= MAX_FAILURES
  }

  /**
   * Sends a request, and once more after a pause when the server asks for one: the first time at a login, as long as
   * the time of the run allows it.
   *
   * @param isLogin whether it has right credentials
   * @param mayClose whether no response is no sign of a server that is gone
   * @returns the response
   * @throws NoResponseError when there is none
   * @throws ThrottledError when the server limits requests and a pause is too long or does not help
   * @throws DeadlineError when the time of the run is over
   * @throws CannotRunError when the server cannot be reached, or responds to no request at all
   */
  async send(request: HttpRequest, isLogin: boolean, mayClose: boolean): Promise<HttpResponse> {
    const route = `${request.method} ${request.path}`
    const limited = this.limited.get(route)
    if (limited !== undefined) throw limited

    const response = await this.#try(request, mayClose)
    const seconds = pauseFor(response, isLogin)
    if (seconds === undefined) return response
    if (this.#allowsPause(seconds, isLogin)) {
      this.#onPause(seconds)
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
    const responses = await this.#count(timeout => sendOnOneConnection(this.#url, requests, isPipelined, timeout))
    for (const response of responses) {
      const seconds = pauseFor(response, false)
      if (seconds !== undefined) throw throttled(seconds)
    }
    return responses
  }

  /** Whether a pause is made; it is counted then. */
  #allowsPause(seconds: number, isLogin: boolean): boolean {
    if (seconds * 1000 >= this.#deadline - performance.now()) return false
    if (isLogin && !this.#hasPausedForLogin) {
      this.#hasPausedForLogin = true
      return true
    }
    if (seconds > this.#pausesLeft) return false
    this.#pausesLeft -= seconds
    return true
  }

  async #try(request: HttpRequest, mayClose: boolean): Promise<HttpResponse> {
    const isFirst = !this.#hasResponded
    const response = await this.#count(timeout => send(this.#url, request, timeout), mayClose)
    // Some servers tell in plain HTTP that they speak TLS.
    if (isFirst && response.status === 400 && /https/i.test(response.text)) {
      const sentence = await otherProtocol(this.#url, this.#timeout)
      if (sentence !== undefined) throw new CannotRunError(sentence)
    }
    return response
  }

  #timeIsOver(): DeadlineError {
    this.isTimeOver = true
    return new DeadlineError()
  }

  /** Sends within the time that is left, and counts how often in a row there is no response. */
  async #count<T>(sending: (timeout: number) => Promise<T>, mayClose = false): Promise<T> {
    const left = (this.#deadline - performance.now()) / 1000
    if (left <= 0) throw this.#timeIsOver()
    const timeout = Math.min(this.#timeout, left)
    try {
      const responses = await sending(timeout)
      this.#hasResponded = true
      this.#failures = 0
      return responses
    } catch (error) {
      const { reason, code } = error as NoResponseError
      if (reason === 'unsendable') throw error
      if (code === 'ETIMEDOUT' && timeout < this.#timeout) throw this.#timeIsOver()
      if (!this.#hasResponded) {
        const sentence = await whyUnreachable(this.#url, error as NoResponseError, timeout)
        if (sentence !== undefined) throw new CannotRunError(sentence)
        this.#hasResponded = true
      }
      // It may only close the connection of some requests.
      if (!mayClose && ++this.#failures === MAX_FAILURES && (await respondsTo(this.#url, this.#timeout)))
        this.#failures = 0
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
export function isRejection(response: HttpResponse | undefined): boolean {
  return (Object(response?.body) as { success?: unknown }).success === false
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
