/**
 * The client's part of the contract, without a user interface: which requests to send, when, and which state to show.
 * A view passes `onState`, draws each state that it gets, and calls the methods.
 *
 * @module
 */
import { fieldsOf, readAuthResponse, readSaved, readScreen } from './screen.js'
import { isSendable, Service } from './service.js'

/** @import { Fetch, Result } from './service.js' */
/** @import { Action, Screen } from './screen.js' */

/**
 * The states, in their usual order.
 *
 * @typedef {{ name: 'starting' }} Starting
 *   nothing to show yet
 * @typedef {{ name: 'login', screen: Screen, values: Values, message: Message | null }} Login
 *   the login form; with a message after a rejection, the end of a session, or a logout
 * @typedef {{ name: 'submitting', screen: Screen, values: Values, message: null }} Submitting
 *   the login form, while the server checks the credentials
 * @typedef {{ name: 'screen', screen: Screen, path: string, values: Values, message: Message | null, busy: boolean }} Shown
 *   the menu or a screen; busy while the next one is fetched or this one is saved
 * @typedef {{ name: 'offline', message: Message, path: string | null, retryIn: number, busy: boolean }} Offline
 *   there was no usable response; the token is kept, and `retry()` tries again, best after `retryIn` seconds
 *
 * @typedef {Starting | Login | Submitting | Shown | Offline} State
 *
 * @typedef {Map<string, string>} Values
 *   the values of the inputs of a form, by the id of the field
 * @typedef {{ kind: 'error' | 'info', text: string }} Message
 *   for the bottom bar
 *
 * @typedef {object} TokenStore
 *   keeps the token when the client restarts; it must not throw
 * @property {() => string | null | Promise<string | null>} read
 * @property {(token: string) => unknown} write
 * @property {() => unknown} clear
 *
 * @typedef {object} SessionOptions
 * @property {string} baseUrl of the service, with its prefix if it has one
 * @property {TokenStore} tokens
 * @property {(state: State) => void} onState called with each new state
 * @property {Fetch} [fetch]
 */

const MENU = 'menu/main'
const LOGIN = 'auth/login'
/** Not in the contract (4): a server that stores sessions may have it. */
const LOGOUT = 'auth/logout'

const ENDED = error('Your session has ended. Please log in again.')
const LOGGED_OUT = info('You are logged out.')

/**
 * @example
 * const session = new Session({ baseUrl: 'http://127.0.0.1:3000', tokens, onState: draw })
 * await session.start()                                   // draw({ name: 'login', … })
 * await session.submit(new Map([['username', 'demo'], ['password', 'demo-password']]))
 */
export class Session {
  /** @type {State} */
  state = { name: 'starting' }

  #service
  #tokens
  #onState
  /** @type {string | null} */
  #token = null
  #displayName = ''
  /** @type {Message | null} for the login form that comes next */
  #notice = null
  /** Counts the requests: only the response to the last one is still wanted. */
  #turn = 0
  /** The screen to open after the menu, or the menu itself. */
  #goal = MENU
  /** The URL that `retry()` requests again. */
  #failed = MENU

  /**
   * @param {SessionOptions} options
   * @throws TypeError when the base URL cannot be used
   */
  constructor({ baseUrl, tokens, onState, fetch = (url, init) => globalThis.fetch(url, init) }) {
    this.#service = new Service(baseUrl, fetch)
    this.#tokens = tokens
    this.#onState = onState
  }

  /** False before the login, and always in the no-auth mode. */
  get isLoggedIn() {
    return this.#token !== null
  }

  /** Whether a screen can be opened: not before the login. */
  get canOpen() {
    const { name } = this.state
    return name === 'screen' || name === 'offline' || (name === 'login' && this.isLoggedIn)
  }

  /** The path of the main menu. */
  get menuPath() {
    return /** @type {string} */ (this.pathOf(MENU))
  }

  /**
   * The normalised path and query of a URL in a screen; null when it belongs to another server.
   *
   * @param {string} url
   */
  pathOf(url) {
    return this.#service.pathOf(url)
  }

  /**
   * Opens the main menu (contract 4 rule 1), and then another screen if one is given.
   *
   * @param {string} [url]
   */
  async start(url = MENU) {
    this.#token = await this.#tokens.read()
    this.#goal = url
    await this.#begin()
  }

  /**
   * Submits the login form to its `auth_action` (contract 4 rules 3 to 5).
   *
   * @param {Values} entered
   */
  async submit(entered) {
    if (this.state.name !== 'login') return
    const { screen } = this.state
    const values = new Map([...initialValues(screen), ...entered])
    this.#show({ name: 'submitting', screen, values, message: null })

    const result = await this.#service.send('POST', screen.authAction, { values })
    const response = readAuthResponse(result.body)
    if (response?.token && isSendable(response.token)) {
      // Ignores the response to an earlier request for the login form.
      this.#turn += 1
      this.#token = response.token
      await this.#tokens.write(response.token)
      if (response.screen === null) await this.#load(MENU)
      else this.#showScreen(response.screen, MENU)
    } else if (response?.token === null || result.kind === 'unauthorized') {
      const message = error(response?.error || 'The login was rejected.')
      this.#show({ name: 'login', screen, values: withoutPasswords(screen, values), message })
    } else {
      // The credentials were not rejected: the person need not enter them again.
      this.#show({ name: 'login', screen, values, message: error(result.message) })
    }
  }

  /**
   * Fetches and shows a screen.
   *
   * @param {string} url
   */
  async open(url) {
    if (this.canOpen) await this.#load(url)
  }

  /**
   * Follows the action of a menu item. The view itself handles `open_url` and `popup`.
   *
   * @param {Action} action
   */
  async follow({ type, url, text }) {
    if (this.state.name !== 'screen') return
    if (type === 'open_screen' || type === 'open_menu') await this.open(url)
    else if (type === 'message') this.#show({ ...this.state, message: info(text) })
    else this.#show({ ...this.state, message: error(`This client cannot follow the action "${type}".`) })
  }

  /**
   * Saves a Card: posts `{ fields }` to its `save_action` and shows the message of the response.
   *
   * @param {Values} entered
   */
  async save(entered) {
    const before = this.state
    if (before.name !== 'screen' || before.busy) return
    const { screen } = before
    const values = new Map([...initialValues(screen), ...entered])
    this.#show({ ...before, values, message: null, busy: true })

    const result = await this.#send('POST', screen.saveAction, values)
    if (result === null) return
    const saved = readSaved(result.body)
    if (saved === null) this.#show({ ...before, values, message: error(result.message) })
    else {
      const message = saved.success ? info(saved.message || 'Saved.') : error(saved.message || 'Not saved.')
      this.#show({ ...before, values: withoutPasswords(screen, values), message })
    }
  }

  /** Sends the failed request again. */
  async retry() {
    if (this.state.name !== 'offline' || this.state.busy) return
    await (this.#failed === LOGIN ? this.#login() : this.#load(this.#failed))
  }

  /**
   * Deletes the token, and starts again. The contract has no logout, so the response of the server does not matter: the
   * person is logged out even when it is a 404 or missing.
   */
  async logOut() {
    if (!this.canOpen) return
    if (this.#token !== null) this.#service.send('POST', LOGOUT, { token: this.#token, keepalive: true })
    await this.#clearToken(LOGGED_OUT)
    await this.#begin()
  }

  async #begin() {
    this.#show({ name: 'starting' })
    await this.#load(MENU)
  }

  /** @param {string} url */
  async #load(url) {
    const before = this.state
    this.#showBusy()
    const result = await this.#send('GET', url)
    if (result === null) return
    const screen = result.kind === 'ok' ? readScreen(result.body) : null
    if (screen !== null) {
      const goal = this.#goal
      this.#goal = MENU
      this.#showScreen(screen, url)
      if (goal !== MENU) await this.open(goal)
    } else if (result.kind !== 'unavailable' && before.name === 'screen')
      this.#show({ ...before, message: error(result.message), busy: false })
    else this.#showOffline(result, url)
  }

  /** Shows that a request is running. */
  #showBusy() {
    if (this.state.name === 'screen') this.#show({ ...this.state, message: null, busy: true })
    if (this.state.name === 'offline') this.#show({ ...this.state, busy: true })
  }

  /** Fetches the login form (contract 4 rule 2). */
  async #login() {
    this.#goal = MENU
    this.#showBusy()
    const turn = ++this.#turn
    const result = await this.#service.send('GET', LOGIN)
    if (turn !== this.#turn) return
    const screen = result.kind === 'ok' ? readScreen(result.body) : null
    if (screen?.authAction) this.#showScreen(screen, LOGIN)
    else this.#showOffline(result, LOGIN)
  }

  /**
   * Sends a request with the token. Returns null when there is nothing left to do: a newer request was sent, or the
   * response was a 401, after which the login form is shown.
   *
   * @param {'GET' | 'POST'} method
   * @param {string} url
   * @param {Values} [values]
   * @returns {Promise<Result | null>}
   */
  async #send(method, url, values) {
    const turn = ++this.#turn
    const token = this.#token
    const result = await this.#service.send(method, url, { token, ...(values && { values }) })
    if (result.kind !== 'unauthorized') return turn === this.#turn ? result : null
    // A 401 for an older token does not concern the token of a new login.
    if (token === this.#token) {
      if (token !== null) await this.#clearToken(ENDED)
      await this.#login()
    }
    return null
  }

  /** @param {Message} notice */
  async #clearToken(notice) {
    this.#token = null
    this.#displayName = ''
    this.#notice = notice
    await this.#tokens.clear()
  }

  /**
   * @param {Screen} screen
   * @param {string} url where it came from
   */
  #showScreen(screen, url) {
    const path = /** @type {string} */ (this.pathOf(url))
    const values = initialValues(screen)
    if (screen.authAction !== '') {
      this.#show({ name: 'login', screen, values, message: this.#notice })
      this.#notice = null
      return
    }
    // The name stays visible on screens for which the server does not send it.
    this.#displayName = screen.displayName || this.#displayName
    const named = { ...screen, displayName: this.#displayName }
    this.#show({ name: 'screen', screen: named, path, values, message: null, busy: false })
  }

  /**
   * @param {Result} result
   * @param {string} url
   */
  #showOffline({ message, retryIn }, url) {
    this.#failed = url
    const path = this.pathOf(url)
    this.#show({ name: 'offline', message: error(message), path, retryIn, busy: false })
  }

  /** @param {State} state */
  #show(state) {
    this.state = state
    this.#onState(state)
  }
}

/**
 * @param {Screen} screen
 * @returns {Values}
 */
function initialValues(screen) {
  return new Map(fieldsOf(screen).map(({ id, value }) => [id, value]))
}

/**
 * @param {Screen} screen
 * @param {Values} values
 * @returns {Values}
 */
function withoutPasswords(screen, values) {
  const passwords = fieldsOf(screen).filter(({ type }) => type === 'Password')
  return new Map([...values, ...passwords.map(({ id }) => /** @type {const} */ ([id, '']))])
}

/**
 * @param {string} text
 * @returns {Message}
 */
function error(text) {
  return { kind: 'error', text }
}

/**
 * @param {string} text
 * @returns {Message}
 */
function info(text) {
  return { kind: 'info', text }
}
