import { setTimeout as sleep } from 'node:timers/promises'
import { CannotRunError, SkipError } from '../report/report.ts'
import { type HttpRequest, type HttpResponse, type NoResponseError, send } from './http.ts'
import type { ServerOptions } from './options.ts'

/** Longest total time, in seconds, of the pauses that a server demands with Retry-After. */
const MAX_PAUSES = 30

/** After this number of consecutive requests without a response, the run gives up on the server. */
const MAX_FAILURES = 3

type Options = Pick<ServerOptions, 'url' | 'timeout' | 'onPause'>

/** Sends the requests of a run. Honours Retry-After, and detects a server that no longer responds. */
export class RetryingClient {
  readonly #options: Options
  readonly #deadline: number
  /** Routes for which the server demanded too long a pause. The client sends no further request to these routes. */
  readonly limited = new Map<string, SkipError>()
  #pausesLeft = MAX_PAUSES
  #hasPausedForLogin = false
  #failures = 0
  #hasResponded = false

  /** @param deadline the time at which the run ends, on the clock of `performance.now` */
  constructor(options: Options, deadline: number) {
    this.#options = options
    this.#deadline = deadline
  }

  get isServerGone(): boolean {
    return this.#failures >= MAX_FAILURES
  }

  /**
   * Sends a request, or several on one connection. If the server demands a pause, sends them once more after the pause.
   * The first pause of a login may last until the end of the run.
   *
   * @param isLogin whether the request has right credentials
   * @param mayClose whether the server may close the connection, so that a missing response is no failure
   * @param isPipelined whether to send all requests at once
   * @returns the responses; fewer than the requests if the server closes the connection
   * @throws NoResponseError if there is no response
   * @throws SkipError if the server limits requests, and the pause is too long or does not help, or if the run has
   *   reached its time limit
   * @throws CannotRunError if the server cannot be reached, or responds to no request at all
   */
  async send(requests: HttpRequest[], { isLogin = false, mayClose = false, isPipelined = false } = {}) {
    const routes = requests.map(({ method, path }) => `${method} ${path}`)
    for (const route of routes) {
      const limited = this.limited.get(route)
      if (limited !== undefined) throw limited
    }
    for (let hasPaused = false; ; hasPaused = true) {
      const responses = await this.#sendOnce(requests, mayClose, isPipelined)
      const pauses = responses.map(response => pauseFor(response, isLogin))
      const index = pauses.findIndex(pause => pause !== undefined)
      if (index === -1) return responses
      const seconds = pauses[index] as number
      if (hasPaused || !this.#allowsPause(seconds, isLogin)) {
        const error = throttled(seconds)
        this.limited.set(routes[index] as string, error)
        throw error
      }
      this.#options.onPause(seconds)
      await sleep(seconds * 1000)
    }
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

  async #sendOnce(requests: HttpRequest[], mayClose: boolean, isPipelined: boolean) {
    const { url, timeout: longest } = this.#options
    const left = (this.#deadline - performance.now()) / 1000
    if (left <= 0) throw outOfTime()
    const timeout = Math.min(longest, left)
    try {
      const responses = await send(url, requests, timeout, isPipelined)
      this.#hasResponded = true
      this.#failures = 0
      return responses
    } catch (error) {
      const { reason, code } = error as NoResponseError
      if (reason === 'unsendable') throw error
      if (code === 'ETIMEDOUT' && timeout < longest) throw outOfTime()
      if (!this.#hasResponded) {
        const sentence = await explainUnreachable(url, error as NoResponseError, timeout)
        if (sentence !== undefined) throw new CannotRunError(sentence)
        this.#hasResponded = true
      }
      // The server may close the connection only for these requests, so send a plain request.
      if (!mayClose && ++this.#failures === MAX_FAILURES && (await respondsTo(url, longest))) this.#failures = 0
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
  const demandsPause = isRejection(response)
    ? isLogin && isThrottled(response)
    : status === 429 || (status === 503 && after !== undefined)
  return demandsPause ? secondsUntil(after) : undefined
}

/** Whether a rejection may be due to a limit. */
export const isThrottled = (response: HttpResponse | undefined) =>
  response?.status === 429 || response?.headers['retry-after'] !== undefined

export const isRejection = (response: HttpResponse | undefined) =>
  (Object(response?.body) as { success?: unknown }).success === false

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
  return send(url, [{ method: 'GET', path: url.pathname, headers: [] }], timeout).then(
    () => true,
    () => false
  )
}
