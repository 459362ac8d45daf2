import { setTimeout as sleep } from 'node:timers/promises'
import { CannotRunError, SkipError } from '../report/report.ts'
import { type HttpRequest, type HttpResponse, type NoResponseError, send, sendOnOneConnection } from './http.ts'

/** Longest total time, in seconds, of the pauses that a server demands with Retry-After. */
const MAX_PAUSES = 30

/** After this number of consecutive requests without a response, the run gives up on the server. */
const MAX_FAILURES = 3

/** Sends the requests of a run. Honours Retry-After, and detects a server that no longer responds. */
export class RetryingClient {
  readonly #url: URL
  readonly #timeout: number
  /** Routes for which the server demanded too long a pause. The client sends no further request to these routes. */
  readonly limited = new Map<string, SkipError>()
  readonly #deadline: number
  readonly #onPause: (seconds: number) => void
  #pausesLeft = MAX_PAUSES
  #hasPausedForLogin = false
  #failures = 0
  #hasResponded = false

  /**
   * @param timeout seconds to wait for a response
   * @param deadline the time at which the run ends, on the clock of `performance.now`
   */
  constructor(url: URL, timeout: number, deadline: number, onPause: (seconds: number) => void) {
    this.#url = url
    this.#timeout = timeout
    this.#deadline = deadline
    this.#onPause = onPause
  }

  get isServerGone(): boolean {
    return this.#failures >= MAX_FAILURES
  }

  /**
   * Sends a request. If the server demands a pause, sends the request once more after the pause. The first pause of a
   * login may last until the end of the run.
   *
   * @param isLogin whether the request has right credentials
   * @param mayClose whether the server may close the connection, so that a missing response is no failure
   * @throws NoResponseError if there is no response
   * @throws SkipError if the server limits requests, and the pause is too long or does not help, or if the run has
   *   reached its time limit
   * @throws CannotRunError if the server cannot be reached, or responds to no request at all
   */
  async send(request: HttpRequest, isLogin: boolean, mayClose: boolean): Promise<HttpResponse> {
    const route = `${request.method} ${request.path}`
    const limited = this.limited.get(route)
    if (limited !== undefined) throw limited

    const sendOnce = () => this.#sendBeforeDeadline(timeout => send(this.#url, request, timeout), mayClose)
    const response = await sendOnce()
    const seconds = pauseFor(response, isLogin)
    if (seconds === undefined) return response
    if (this.#allowsPause(seconds, isLogin)) {
      this.#onPause(seconds)
      await sleep(seconds * 1000)
      const second = await sendOnce()
      if (pauseFor(second, isLogin) === undefined) return second
    }
    const error = throttled(seconds)
    this.limited.set(route, error)
    throw error
  }

  /** Sends requests on one connection, without a retry. Returns the responses until the server closes it. */
  async sendOnOneConnection(requests: HttpRequest[], isPipelined: boolean): Promise<HttpResponse[]> {
    const responses = await this.#sendBeforeDeadline(timeout =>
      sendOnOneConnection(this.#url, requests, isPipelined, timeout)
    )
    for (const response of responses) {
      const seconds = pauseFor(response, false)
      if (seconds !== undefined) throw throttled(seconds)
    }
    return responses
  }

  /** Returns whether to make a pause. Subtracts it from the time left for pauses, except the first pause of a login. */
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

  async #sendBeforeDeadline<T>(attempt: (timeout: number) => Promise<T>, mayClose = false): Promise<T> {
    const left = (this.#deadline - performance.now()) / 1000
    if (left <= 0) throw outOfTime()
    const timeout = Math.min(this.#timeout, left)
    try {
      const responses = await attempt(timeout)
      this.#hasResponded = true
      this.#failures = 0
      return responses
    } catch (error) {
      const { reason, code } = error as NoResponseError
      if (reason === 'unsendable') throw error
      if (code === 'ETIMEDOUT' && timeout < this.#timeout) throw outOfTime()
      if (!this.#hasResponded) {
        const sentence = await explainUnreachable(this.#url, error as NoResponseError, timeout)
        if (sentence !== undefined) throw new CannotRunError(sentence)
        this.#hasResponded = true
      }
      // The server may close the connection only for these requests, so send a plain request.
      if (!mayClose && ++this.#failures === MAX_FAILURES && (await respondsTo(this.#url, this.#timeout)))
        this.#failures = 0
      throw error
    }
  }
}

/**
 * Returns the pause in seconds that the server demands; undefined if a case can check the response. A case can check a
 * rejection of wrong credentials with any status. Only a rejection of right credentials may be due to a limit.
 */
function pauseFor(response: HttpResponse, isLogin: boolean): number | undefined {
  const { status, headers } = response
  const after = headers['retry-after']
  const isThrottled = isRejection(response)
    ? isLogin && (status === 429 || after !== undefined)
    : status === 429 || (status === 503 && after !== undefined)
  return isThrottled ? secondsUntil(after) : undefined
}

export function isRejection(response: HttpResponse | undefined): boolean {
  return (Object(response?.body) as { success?: unknown }).success === false
}

/** Parses Retry-After: a number of seconds or a date (RFC 9110 10.2.3). Any other value means an unlimited pause. */
function secondsUntil(after = ''): number {
  const seconds = /^\d+$/.test(after) ? Number(after) : (Date.parse(after) - Date.now()) / 1000
  return Number.isNaN(seconds) ? Number.POSITIVE_INFINITY : Math.max(0, seconds)
}

function throttled(seconds: number): SkipError {
  const when = Number.isFinite(seconds) ? `for ${Math.ceil(seconds)} s more` : 'and does not say for how long'
  return new SkipError(`the server limits requests ${when}`, 'limited')
}

const outOfTime = () => new SkipError('the run reached its time limit', 'out of time')

/** Explains why the server has not responded, and how to fix this; undefined if it responds to a plain request. */
async function explainUnreachable(url: URL, error: NoResponseError, timeout: number): Promise<string | undefined> {
  const { host } = url
  const { message, reason, code } = error
  if (/CERT|UNABLE_TO/.test(code))
    return `the certificate of ${host} cannot be verified: ${message}. Save the certificate of its authority (a self-signed certificate is its own authority) in a file, and set NODE_EXTRA_CA_CERTS to the path of that file.`
  if (reason === 'unreachable')
    return `${host} cannot be reached: ${message}. Correct the URL, or check the log of the server.`
  if (await respondsTo(url, timeout)) return undefined
  const why = code === 'ETIMEDOUT' ? 'accepts connections, but does not respond' : 'sends no response that can be read'
  const other = url.protocol === 'http:' ? 'https:' : 'http:'
  return `${host} ${why}: ${message}. Check the log of the server, correct the port, or use ${other} in the URL.`
}

async function respondsTo(url: URL, timeout: number): Promise<boolean> {
  return send(url, { method: 'GET', path: url.pathname, headers: [] }, timeout).then(
    () => true,
    () => false
  )
}
