import { setTimeout as sleep } from 'node:timers/promises'
import { CannotRunError } from '../report/report.ts'
import { type Answer, type NoAnswerError, type Request, send } from './http.ts'

/** Longest time in seconds that a run waits in all because the server asks for it with Retry-After. */
const PATIENCE = 30

/** So many requests in a row without an answer, and there is no use in going on. */
const SILENCES = 3

/** Says that the server limits requests, so that a case cannot be judged now. */
export class ThrottledError extends Error {
  override name = 'ThrottledError'
}

/** The line to a server: it waits when the server asks for it, and notices when the server is gone. */
export class Line {
  readonly #url: URL
  readonly #timeout: number
  readonly #login: string
  /** The routes that have asked for a longer pause than there is time for: they are left alone. */
  readonly #closed = new Map<string, ThrottledError>()
  #patience = PATIENCE
  #silences = 0
  #isOpen = false

  /** @param login the body of a login with the right credentials */
  constructor(url: URL, timeout: number, login: string) {
    this.#url = url
    this.#timeout = timeout
    this.#login = login
  }

  /** The routes that were left alone because they asked for too long a pause. */
  get closed(): string[] {
    return [...this.#closed.keys()]
  }

  /** Whether the server has stopped to answer. */
  get isGone(): boolean {
    return this.#silences >= SILENCES
  }

  /**
   * Sends a request, once more after a pause when the server asks for one.
   *
   * @throws NoAnswerError, ThrottledError, and CannotRunError when the server cannot be reached at all
   */
  async send(request: Request): Promise<Answer> {
    const route = `${request.method} ${request.path}`
    const closed = this.#closed.get(route)
    if (closed !== undefined) throw closed

    const answer = await this.#try(request)
    const seconds = this.#waitFor(request, answer)
    if (seconds === undefined) return answer
    if (seconds <= this.#patience) {
      this.#patience -= seconds
      await sleep(seconds * 1000)
      const second = await this.#try(request)
      if (this.#waitFor(request, second) === undefined) return second
    }
    const error = throttled(seconds)
    this.#closed.set(route, error)
    throw error
  }

  async #try(request: Request): Promise<Answer> {
    try {
      const answer = await send(this.#url, request, this.#timeout)
      this.#isOpen = true
      this.#silences = 0
      return answer
    } catch (error) {
      const { message, reason } = error as NoAnswerError
      if (reason === 'unreachable' && !this.#isOpen) {
        throw new CannotRunError(`${this.#url.host} cannot be reached: ${message}`)
      }
      if (reason !== 'unsendable') this.#silences++
      throw error
    }
  }

  /**
   * How long the server wants to be left alone, in seconds; undefined when this is an answer. A rejection of wrong
   * credentials is one, whatever its status: only right ones are worth another try.
   */
  #waitFor({ body }: Request, { status, headers, body: answer }: Answer): number | undefined {
    const after = headers['retry-after']
    const isRejection = (Object(answer) as { success?: unknown }).success === false
    const isThrottled = isRejection
      ? body === this.#login && (status === 429 || after !== undefined)
      : status === 429 || (status === 503 && after !== undefined)
    return isThrottled ? secondsUntil(after) : undefined
  }
}

/** Retry-After is a number of seconds or a date (RFC 9110 10.2.3). */
function secondsUntil(after = ''): number {
  const seconds = /^\d+$/.test(after) ? Number(after) : (Date.parse(after) - Date.now()) / 1000
  return Number.isNaN(seconds) ? Number.POSITIVE_INFINITY : Math.max(0, seconds)
}

/** How the message of every ThrottledError begins. */
export const LIMITED = 'the server limits requests'

function throttled(seconds: number): ThrottledError {
  const when = Number.isFinite(seconds) ? `for ${Math.ceil(seconds)} s more` : 'and does not say for how long'
  return new ThrottledError(`${LIMITED} ${when}`)
}
