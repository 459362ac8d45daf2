// Sends requests to a screen service, and sorts the responses.
import { redirectOf } from './screen.ts'
import type { TextKey } from './texts.ts'

/** A `fetch` of your own: to add a header, for example. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** What came of a request. */
export interface Result {
  /** Whether it is a 2xx. */
  ok: boolean
  /** The status of the response; 0 when nothing was sent, or nothing came. */
  status: number
  /** The JSON of the response; undefined when it is not JSON. */
  body: unknown
  /** What to say when the body has nothing to show. */
  text: TextKey
  /** Where the screen of the response lives, as path and query; null when the server does not say. */
  location: string | null
  /** The language of the response, for example `de`; empty when the server does not say. */
  language: string
  /** Seconds that the server wants to be left alone, or 0. */
  retryAfter: number
}

/** What a request has beside its URL. */
interface Content {
  token?: string | null
  body?: object
}

/** A response in the browser's cache would still be there after the logout. Node's types do not know it. */
const UNSTORED = { cache: 'no-store' } as const

/** Milliseconds until the whole response must be there. */
const TIMEOUT = 30_000

/** Statuses after which the same request may work a little later. */
const TEMPORARY = [408, 429, 502, 503, 504]

/**
 * The base URL of a service in its one spelling: a key for what a client stores for each server.
 *
 * @throws TypeError when it is no http or https URL, or has a password in it
 *
 * @example
 * baseUrlOf('http://127.0.0.1:3000/v1?x=1')   // 'http://127.0.0.1:3000/v1/'
 */
export function baseUrlOf(url: string): string {
  const base = new URL(url)
  if (!/^https?:$/.test(base.protocol) || base.username || base.password) {
    throw new TypeError('baseUrl must be http(s), without a password')
  }
  return base.origin + base.pathname.replace(/\/*$/, '/')
}

/** The requests to one service. */
export class Service {
  readonly #base: URL
  readonly #fetch: Fetch

  constructor(baseUrl: string, fetch: Fetch) {
    this.#base = new URL(baseUrlOf(baseUrl))
    this.#fetch = fetch
  }

  /** The path of one of the contract's own routes, which are below the base URL. */
  below(route: string): string {
    return this.#base.pathname + route
  }

  /** A URL of a screen as path and query; null when it belongs to another server. */
  pathOf(url: string, from = this.#base.origin): string | null {
    try {
      const { href, pathname, search } = new URL(url, from)
      // Not the origin alone: that of `blob:http://…` is the server's, too. And a path of `//x` would mean the server x.
      return href.startsWith(`${this.#base.origin}/`) && !pathname.startsWith('//') ? pathname + search : null
    } catch {
      return null
    }
  }

  /**
   * Never throws. Another server gets neither the token nor a password. Where a response names another screen in its
   * place, as `{ redirect: path }`, that is fetched, but only once.
   */
  async send(method: 'GET' | 'POST', url: string, content: Content = {}): Promise<Result> {
    const result = await this.#send(method, url, content)
    const target = result.ok ? redirectOf(result.body) : ''
    if (target === '') return result
    const followed = await this.#send('GET', target, { token: content.token ?? null })
    return { ...followed, location: followed.location ?? this.pathOf(target) }
  }

  async #send(method: 'GET' | 'POST', url: string, { token = null, body }: Content): Promise<Result> {
    const path = this.pathOf(url)
    if (path === null) return nothing('foreign')
    const target = this.#base.origin + path
    try {
      const response = await this.#fetch(target, {
        method,
        headers: {
          accept: 'application/json',
          ...(body && { 'content-type': 'application/json' }),
          ...(token !== null && { authorization: `Bearer ${token}` })
        },
        ...UNSTORED,
        // A redirect would send the password or the token to its target.
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT),
        // A logout is sent even if the page is closed meanwhile.
        keepalive: method === 'POST' && !body,
        ...(body && { body: JSON.stringify(body) })
      })
      const { ok, status, headers } = response
      const location = headers.get('content-location')
      return {
        ok,
        text: ok ? 'not_a_screen' : textOf(status),
        status,
        body: parse(await response.text()),
        location: location && this.pathOf(location, target),
        language: headers.get('content-language')?.split(',', 1)[0] ?? '',
        retryAfter: secondsOf(headers.get('retry-after') ?? '')
      }
    } catch {
      return nothing('unreachable')
    }
  }
}

/** Whether the same request may work a little later. */
export function isTemporary({ text, status }: Result): boolean {
  return text === 'unreachable' || TEMPORARY.includes(status)
}

/** Whether a header can contain the token (RFC 9110 5.5): one with a line break cannot be sent. */
export function isSendable(token: string | null | undefined): token is string {
  return typeof token === 'string' && /^[\t -~\x80-\xff]+$/.test(token)
}

function textOf(status: number): TextKey {
  if (status === 404) return 'not_found'
  if (status === 409 || status === 412) return 'conflict'
  return status >= 500 || TEMPORARY.includes(status) ? 'server_unavailable' : 'refused'
}

/** Seconds, or a date (RFC 9110 10.2.3). */
function secondsOf(retryAfter: string): number {
  return Number(retryAfter) || (Date.parse(retryAfter) - Date.now()) / 1000 || 0
}

function nothing(text: TextKey): Result {
  return { ok: false, text, status: 0, body: undefined, location: null, language: '', retryAfter: 0 }
}

function parse(content: string): unknown {
  try {
    return JSON.parse(content)
  } catch {
    return undefined
  }
}
