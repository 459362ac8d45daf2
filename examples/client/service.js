/**
 * Asks a screen service, and says in one of four words what came of it.
 *
 * @module
 */

/**
 * @typedef {object} Answer
 * @property {'ok' | 'unauthorized' | 'unavailable' | 'refused'} kind `unavailable`: another time it may well work
 * @property {unknown} body the JSON that came; undefined when it was none
 * @property {string} message for the person, when there is nothing in the body to show
 * @property {number} retryIn seconds after which it is worth asking again, when it is unavailable
 *
 * @typedef {(url: string, init: RequestInit) => Promise<Response>} Fetch
 *
 * @typedef {object} Question
 * @property {string | null} [token]
 * @property {Map<string, string>} [values] submitted as `{ fields }`
 * @property {boolean} [keepalive] whether a browser sends it even if the page is closed meanwhile
 */

/** An answer in the cache of a browser would outlive the login that it was for. */
const UNSTORED = /** @type {const} */ ({ cache: 'no-store' })

/** Milliseconds for a whole answer. */
const TIMEOUT = 30_000

/** Seconds until an unavailable server is asked again, unless it says how many. */
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

  /** The base URL in its one spelling, for what is kept by server. */
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
   * Never throws.
   *
   * @param {'GET' | 'POST'} method
   * @param {string} url
   * @param {Question} [question]
   * @returns {Promise<Answer>}
   */
  async ask(method, url, { token = null, values, keepalive = false } = {}) {
    const resolved = this.#resolve(url)
    if (resolved === null) return answer('refused', 'This belongs to another server. Nothing was sent to it.')

    if (token !== null && !isSendable(token)) return answer('unauthorized')
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
        // Whoever is redirected to would get the password or the token.
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT),
        keepalive,
        ...(values && { body: JSON.stringify({ fields: Object.fromEntries(values) }) })
      })
      return judge(response, await response.text())
    } catch {
      return answer('unavailable', 'The server cannot be reached.')
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
 * Whether a request can carry a token: not one with a line break in it, say.
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
 * @returns {Answer}
 */
function judge({ ok, status, headers }, content) {
  const body = parse(content)
  if (ok) return { ...answer('ok', 'The server answered something that this client cannot show.'), body }
  if (status === 401) return { ...answer('unauthorized'), body }
  if (status >= 500 || status === 408 || status === 429) {
    const wanted = Number(headers.get('retry-after')) || RETRY_IN
    const retryIn = Math.min(Math.max(wanted, 1), MAX_RETRY_IN)
    return { ...answer('unavailable', 'The server cannot answer at the moment.'), body, retryIn }
  }
  return { ...answer('refused', refusal(status)), body }
}

/** @param {number} status */
function refusal(status) {
  if (status === 404) return 'The server has nothing at this address.'
  // Of a redirect a browser tells no more than the status 0.
  if (status < 400) return 'The server leads to another address. Nothing was sent there.'
  return `The server refused this (${status}).`
}

/**
 * @param {Answer['kind']} kind
 * @param {string} message
 * @returns {Answer}
 */
function answer(kind, message = 'The server wants a login, but shows no form for it.') {
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
