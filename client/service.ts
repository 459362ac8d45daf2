// Sends requests to a screen service, and classifies the responses.
import type { PersonLocale } from './numbers.ts'
import { redirectOf } from './reader.ts'
import { attempt } from './stores.ts'
import type { TextKey } from './texts.ts'

/** A replacement for `fetch`, to add a header for example. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** The result of a request. */
export interface Result {
  /** Whether the status is 2xx. */
  ok: boolean
  /** The status of the response; 0 without a request or a response. Then only the text is set too. */
  status: number
  /** The JSON of the response; null if it is not JSON. */
  body?: unknown
  /** The key of the message to show if the response has nothing to show. */
  text: TextKey
  /** The path and query of the screen, from `Content-Location` or a followed `redirect`; null if there is neither. */
  location?: string | null
  /** The language of the response, for example `de`. */
  language?: string | undefined
  /** The seconds of `Retry-After`, or 0. */
  retryAfter?: number
}

/** The server of a session, and the locale of the person. */
export interface Site {
  /** The paths of the routes of the contract. */
  menuPath: string
  loginPath: string
  logoutPath: string
  /** Returns a URL of a screen as path and query; null if it belongs to another server. */
  pathOf: (url: string) => string | null
  /** Numbers in the values of the inputs have the format of this locale. */
  locale: PersonLocale
}

/** Prevents that a cached response outlasts the logout. A constant, because Node's types lack `cache`. */
const NO_STORE = { cache: 'no-store' } as const

/** The longest time to wait for the complete response, in milliseconds. */
const TIMEOUT = 30_000

/** Statuses after which the same request may succeed a little later. */
const TEMPORARY = [408, 429, 502, 503, 504]

/**
 * Returns the base URL of a service in a normalized form. A client can use it as a key for data of each server.
 *
 * @throws TypeError if the URL is not http or https, or contains a username or a password
 *
 * @example
 * baseUrlOf('http://127.0.0.1:3000/v1?x=1')   // 'http://127.0.0.1:3000/v1/'
 */
export function baseUrlOf(url: string): string {
  const base = new URL(url)
  if (!/^https?:$/.test(base.protocol) || base.username || base.password) {
    throw new TypeError('baseUrl must be a plain http(s) URL')
  }
  return base.origin + base.pathname.replace(/\/*$/, '/')
}

/** Sends requests to one service, and tells the steps of a session what they must know of it. */
export interface Service {
  site: Site
  /**
   * Sends a request. Never rejects, and never sends the token or a password to another server. If the response is
   * `{ redirect: path }`, fetches that path, but follows no second redirect.
   */
  send(url: string, token: string | null, body?: object, method?: string): Promise<Result>
}

export function createService(baseUrl: string, fetch: Fetch, locale: PersonLocale): Service {
  const { origin, pathname } = new URL(baseUrlOf(baseUrl))

  /** Returns a URL of a screen as path and query; null if it belongs to another server. */
  function pathOf(url: string, from = origin): string | null {
    try {
      const { href, pathname, search } = new URL(url, from)
      // Compares the prefix, because `blob:http://…` has the server's origin too. A path `//x` means the server x.
      return href.startsWith(`${origin}/`) && !pathname.startsWith('//') ? pathname + search : null
    } catch {
      return null
    }
  }

  async function request(url: string, token: string | null, body: object | undefined, method: string): Promise<Result> {
    const path = pathOf(url)
    if (path === null) return noResponse('foreign')
    const wasOffline = isOffline()
    try {
      const response = await fetch(origin + path, {
        method,
        headers: {
          accept: 'application/json',
          ...(body && { 'content-type': 'application/json' }),
          ...(token !== null && { authorization: `Bearer ${token}` })
        },
        ...NO_STORE,
        // Following a redirect would send the password or the token to its target.
        redirect: 'manual',
        // React Native has no `AbortSignal.timeout`, but a time limit of its own.
        signal: globalThis.AbortSignal?.timeout?.(TIMEOUT) ?? null,
        // A POST without a body is a logout: the browser sends it even if the page is closed.
        keepalive: method === 'POST' && !body,
        ...(body && { body: JSON.stringify(body) })
      })
      const { ok, status, headers } = response
      // The connection was cut, whatever the error is.
      const content = await response.text().catch(() => Promise.reject({ name: 'NetworkError' }))
      const location = headers.get('content-location')
      return {
        ok,
        text: ok ? 'not_a_screen' : textOf(status),
        status,
        body: await attempt(() => JSON.parse(content)),
        location: location && pathOf(location, origin + path),
        language: headers.get('content-language')?.split(',', 1)[0],
        retryAfter: secondsOf(headers.get('retry-after') ?? '')
      }
    } catch (error) {
      if (isNetworkError(error)) return noResponse(wasOffline && body ? 'not_sent' : 'unreachable')
      // A mistake of the host's `fetch` must not look like a failure of the network.
      console.error(error)
      return noResponse('client_error')
    }
  }

  return {
    // The routes of the contract are below the base URL.
    site: {
      menuPath: `${pathname}menu/main`,
      loginPath: `${pathname}auth/login`,
      logoutPath: `${pathname}auth/logout`,
      pathOf,
      locale
    },
    async send(url, token, body, method = body ? 'POST' : 'GET') {
      const result = await request(url, token, body, method)
      const target = result.ok && redirectOf(result.body)
      if (!target) return result
      const followed = await request(target, token, undefined, 'GET')
      return { ...followed, location: followed.location ?? pathOf(target) }
    }
  }
}

/** Whether the platform knows that it has no network. Node does not know. */
function isOffline(): boolean {
  return (globalThis as { navigator?: { onLine?: boolean } }).navigator?.onLine === false
}

/** The texts of a TypeError for a failure of the network, on all platforms. */
const NETWORK = /fetch failed|failed to fetch|network|load failed|terminated|sending request|input stream/i

/** Whether `fetch` has failed because of the network or the time limit, and not because of a mistake in a program. */
function isNetworkError(error: unknown): boolean {
  const { name, message, code } = Object(error)
  if (name === 'TypeError' && NETWORK.test(message)) return true
  return /^(Abort|Timeout|Network)Error$/.test(name) || (typeof code === 'string' && !code.startsWith('ERR_'))
}

/** Whether the same request may succeed a little later. */
export function isTemporary({ text, status }: Result): boolean {
  return text === 'unreachable' || text === 'client_error' || TEMPORARY.includes(status)
}

/** Whether a header can contain the token (RFC 9110 5.5). For example, a line break is forbidden. */
export function isSendable(token: string | null | undefined): token is string {
  return typeof token === 'string' && /^[\t -~\x80-\xff]+$/.test(token)
}

/** Reads a stored text: a token, and behind a line break what its user typed at the login. */
export function readLogin(text: string | null | undefined): [token: string | null, user: string] {
  const [token, user = ''] = `${text ?? ''}`.split('\n', 2)
  return isSendable(token) ? [token, user] : [null, '']
}

function textOf(status: number): TextKey {
  if (status === 404) return 'not_found'
  if (status === 409 || status === 412) return 'conflict'
  return status >= 500 || TEMPORARY.includes(status) ? 'server_unavailable' : 'refused'
}

/** Reads `Retry-After`: seconds, or a date (RFC 9110 10.2.3). */
function secondsOf(retryAfter: string): number {
  return Number(retryAfter) || (Date.parse(retryAfter) - Date.now()) / 1000 || 0
}

function noResponse(text: TextKey): Result {
  return { ok: false, text, status: 0 }
}
