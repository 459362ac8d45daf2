/**
 * Sends requests to a screen service, and sorts the results into four kinds.
 *
 * @module
 */

/**
 * @typedef {object} Result
 * @property {'ok' | 'unauthorized' | 'unavailable' | 'refused'} kind `unavailable`: it may work later
 * @property {unknown} body the JSON of the response; undefined when it is not JSON
 * @property {string} message for the person, when there is nothing in the body to show
 * @property {number} retryIn seconds to wait before a retry, when it is unavailable
 *
 * @typedef {(url: string, init: RequestInit) => Promise<Response>} Fetch
 *
 * @typedef {object} RequestOptions
 * @property {string | null} [token]
 * @property {Map<string, string>} [values] submitted as `{ fields }`
 * @property {boolean} [keepalive] whether a browser sends it even if the page is closed meanwhile
 */

/** A response in the browser's cache would still be there after the logout. */
const UNSTORED = /** @type {const} */ ({ cache: 'no-store' })

/** Milliseconds until the whole response must be there. */
const TIMEOUT = 30_000

/** Seconds before a retry, unless the server says how many. */
const RETRY_IN = 5
const MAX_RETRY_IN = 300

export class Service {
  #base
  #fetch

  /**
   * @param {string} baseUrl with a path when the service lives below a prefix
   * @param {Fetch} fetch
   * @throws TypeError when it is no http or https URL, or has a password in it
   */
  constructor(baseUrl, fetch) {
    const base = new URL(baseUrl)
    if (!['http:', 'https:'].includes(base.protocol))
      throw new TypeError('the URL must begin with http:// or https://')
    if (base.username || base.password) throw new TypeError('the URL must have no username and no password')
    base.pathname = base.pathname.replace(/\/*$/, '/')
    base.search = ''
    base.hash = ''
    this.#base = base
    this.#fetch = fetch
  }

  /** The normalised base URL: the key of what is stored per server. */
  get baseUrl() {
    return this.#base.href
  }

  /**
   * A URL of a screen as path and query; null when it belongs to another server.
   *
   * @param {string} url relative to the base URL
   */
  pathOf(url) {
    const resolved = this.#resolve(url)
    return resolved && resolved.pathname + resolved.search
  }

  /**
   * Sends a request. Never throws.
   *
   * @param {'GET' | 'POST'} method
   * @param {string} url
   * @param {RequestOptions} [options]
   * @returns {Promise<Result>}
   */
  async send(method, url, { token = null, values, keepalive = false } = {}) {
    const resolved = this.#resolve(url)
    if (resolved === null) return result('refused', 'This belongs to another server. Nothing was sent to it.')

    if (token !== null && !isSendable(token)) return result('unauthorized')
    const headers = {
      accept: 'application/json',
      ...(values && { 'content-type': 'application/json' }),
      ...(token !== null && { authorization: `Bearer ${token}` })
    }
    try {
      const response = await this.#fetch(resolved.href, {
        method,
        headers,
        ...UNSTORED,
        // A redirect would send the password or the token to its target.
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT),
        keepalive,
        ...(values && { body: JSON.stringify({ fields: Object.fromEntries(values) }) })
      })
      return toResult(response, await response.text())
    } catch {
      return result('unavailable', 'The server cannot be reached.')
    }
  }

  /**
   * Null when the URL belongs to another server, which must get neither the token nor a password.
   *
   * @param {string} url
   */
  #resolve(url) {
    const resolved = URL.parse(url, this.#base.href)
    return resolved?.href.startsWith(`${this.#base.origin}/`) ? resolved : null
  }
}

/**
 * Whether a header can contain the token: one with a line break cannot be sent.
 *
 * @param {string} token
 */
export function isSendable(token) {
  try {
    return new Headers({ authorization: `Bearer ${token}` }).has('authorization')
  } catch {
    return false
  }
}

/**
 * @param {Response} response
 * @param {string} content
 * @returns {Result}
 */
function toResult({ ok, status, headers }, content) {
  const body = parse(content)
  if (ok) return { ...result('ok', 'The server sent something that this client cannot show.'), body }
  if (status === 401) return { ...result('unauthorized'), body }
  if (status >= 500 || status === 408 || status === 429) {
    const wanted = Number(headers.get('retry-after')) || RETRY_IN
    const retryIn = Math.min(Math.max(wanted, 1), MAX_RETRY_IN)
    return { ...result('unavailable', 'The server cannot answer at the moment.'), body, retryIn }
  }
  return { ...result('refused', refusal(status)), body }
}

/** @param {number} status */
function refusal(status) {
  if (status === 404) return 'The server has nothing at this address.'
  // A browser shows a redirect only as the status 0.
  if (status < 400) return 'The server leads to another address. Nothing was sent there.'
  return `The server refused this (${status}).`
}

/**
 * @param {Result['kind']} kind
 * @param {string} message
 * @returns {Result}
 */
function result(kind, message = 'The server wants a login, but shows no form for it.') {
  return { kind, message, body: undefined, retryIn: RETRY_IN }
}

/** @param {string} content */
function parse(content) {
  try {
    return JSON.parse(content)
  } catch {
    return undefined
  }
}
