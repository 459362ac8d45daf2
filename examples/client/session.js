/**
 * The client's half of the contract, without anything to look at: what to ask the server, when, and which state to
 * show. A view passes `onState`, draws each state that it is given, and calls the methods.
 *
 * @module
 */
import { fieldsOf, readAuthResponse, readSaved, readScreen } from './screen.js'
import { isSendable, Service } from './service.js'

/** @import { Answer, Fetch } from './service.js' */
/** @import { Action, Screen } from './screen.js' */

/**
 * The states, in the order in which a person usually meets them.
 *
 * @typedef {{ name: 'starting' }} Starting
 *   nothing to show yet
 * @typedef {{ name: 'login', screen: Screen, values: Values, message: Message | null }} Login
 *   the login form; with a message after a rejection, the end of a session, or a logout
 * @typedef {{ name: 'submitting', screen: Screen, values: Values, message: null }} Submitting
 *   the login form, while the server looks at the credentials
 * @typedef {{ name: 'screen', screen: Screen, path: string, values: Values, message: Message | null, busy: boolean }} Shown
 *   the menu or a screen; busy while the next one is fetched or this one is saved
 * @typedef {{ name: 'offline', message: Message, path: string | null, retryIn: number, busy: boolean }} Offline
 *   the server did not answer; the token is kept, and `retry()` asks again, best after so many seconds
 *
 * @typedef {Starting | Login | Submitting | Shown | Offline} State
 *
 * @typedef {Map<string, string>} Values
 *   what the inputs of a form hold, by the id of the field
 * @typedef {{ kind: 'error' | 'info', text: string }} Message
 *   for the bottom bar
 *
 * @typedef {object} TokenStore
 *   where the token outlives a restart of the client; it must not throw
 * @property {() => string | null | Promise<string | null>} read
 * @property {(token: string) => unknown} write
 * @property {() => unknown} clear
 *
 * @typedef {object} SessionOptions
 * @property {string} baseUrl of the service, with its prefix if it has one
 * @property {TokenStore} tokens
 * @property {(state: State) => void} onState is told each new state
 * @property {Fetch} [fetch]
 */

const MENU = 'menu/main'
const LOGIN = 'auth/login'
/** Not in the contract (4): a server that keeps its sessions may have it. */
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
  /** Counts what the person wanted: the answer to anything but the last is out of date. */
  #turn = 0
  /** The screen that is wanted after the menu, or the menu itself. */
  #goal = MENU
  /** What the server did not answer. */
  #unanswered = MENU

  /**
   * @param {SessionOptions} options
   * @throws TypeError when the base URL cannot be used
   */
  constructor({ baseUrl, tokens, onState, fetch = (url, init) => globalThis.fetch(url, init) }) {
    this.#service = new Service(baseUrl, fetch)
    this.#tokens = tokens
    this.#onState = onState
  }

  /** Whether there is something to log out of: not before the login, and never in the no-auth mode. */
  get isLoggedIn() {
    return this.#token !== null
  }

  /** Whether a screen can be asked for: not while a login form stands in the way. */
  get canOpen() {
    const { name } = this.state
    return name === 'screen' || name === 'offline' || (name === 'login' && this.isLoggedIn)
  }

  /** The path of the main menu. */
  get menuPath() {
    return /** @type {string} */ (this.pathOf(MENU))
  }

  /**
   * The path, with query, of a URL that a screen holds: the same for each spelling of it. Null when it belongs to
   * another server.
   *
   * @param {string} url
   */
  pathOf(url) {
    return this.#service.pathOf(url)
  }

  /**
   * Asks for the main menu (contract 4 rule 1), and then for another screen, if one is wanted.
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

    const answer = await this.#service.ask('POST', screen.authAction, { values })
    const response = readAuthResponse(answer.body)
    if (response?.token && isSendable(response.token)) {
      // A login form that is still on its way is not wanted any more.
      this.#turn += 1
      this.#token = response.token
      await this.#tokens.write(response.token)
      if (response.screen === null) await this.#load(MENU)
      else this.#showScreen(response.screen, MENU)
    } else if (response?.token === null || answer.kind === 'unauthorized') {
      const message = error(response?.error || 'The login was rejected.')
      this.#show({ name: 'login', screen, values: withoutPasswords(screen, values), message })
    } else {
      // Nobody has rejected the credentials, so the person need not enter them again.
      this.#show({ name: 'login', screen, values, message: error(answer.message) })
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
   * Follows the action of a menu item. `open_url` and `popup` are the view's own: they change nothing here.
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
   * Saves a Card: posts `{ fields }` to its `save_action` and shows the message of the answer.
   *
   * @param {Values} entered
   */
  async save(entered) {
    const before = this.state
    if (before.name !== 'screen' || before.busy) return
    const { screen } = before
    const values = new Map([...initialValues(screen), ...entered])
    this.#show({ ...before, values, message: null, busy: true })

    const answer = await this.#ask('POST', screen.saveAction, values)
    if (answer === null) return
    const saved = readSaved(answer.body)
    if (saved === null) this.#show({ ...before, values, message: error(answer.message) })
    else {
      const message = saved.success ? info(saved.message || 'Saved.') : error(saved.message || 'Not saved.')
      this.#show({ ...before, values: withoutPasswords(screen, values), message })
    }
  }

  /** Asks again for what the server did not answer. */
  async retry() {
    if (this.state.name !== 'offline' || this.state.busy) return
    await (this.#unanswered === LOGIN ? this.#login() : this.#load(this.#unanswered))
  }

  /**
   * Drops the token, and begins anew. The contract has no logout, so the server is only told of it: nobody waits for the
   * answer, and whatever it is, 404 or nothing at all, the person is logged out.
   */
  async logOut() {
    if (!this.canOpen) return
    if (this.#token !== null) this.#service.ask('POST', LOGOUT, { token: this.#token, keepalive: true })
    await this.#dropToken(LOGGED_OUT)
    await this.#begin()
  }

  async #begin() {
    this.#show({ name: 'starting' })
    await this.#load(MENU)
  }

  /** @param {string} url */
  async #load(url) {
    const before = this.state
    this.#wait()
    const answer = await this.#ask('GET', url)
    if (answer === null) return
    const screen = answer.kind === 'ok' ? readScreen(answer.body) : null
    if (screen !== null) {
      const goal = this.#goal
      this.#goal = MENU
      this.#showScreen(screen, url)
      if (goal !== MENU) await this.open(goal)
    } else if (answer.kind !== 'unavailable' && before.name === 'screen')
      this.#show({ ...before, message: error(answer.message), busy: false })
    else this.#showOffline(answer, url)
  }

  /** Shows that an answer is on its way. */
  #wait() {
    if (this.state.name === 'screen') this.#show({ ...this.state, message: null, busy: true })
    if (this.state.name === 'offline') this.#show({ ...this.state, busy: true })
  }

  /** Fetches the login form (contract 4 rule 2). */
  async #login() {
    this.#goal = MENU
    this.#wait()
    const turn = ++this.#turn
    const answer = await this.#service.ask('GET', LOGIN)
    if (turn !== this.#turn) return
    const screen = answer.kind === 'ok' ? readScreen(answer.body) : null
    if (screen?.authAction) this.#showScreen(screen, LOGIN)
    else this.#showOffline(answer, LOGIN)
  }

  /**
   * Asks with the token. Null when there is nothing to be done with the answer: it came too late, or it was a 401,
   * and the login form is on its way.
   *
   * @param {'GET' | 'POST'} method
   * @param {string} url
   * @param {Values} [values]
   * @returns {Promise<Answer | null>}
   */
  async #ask(method, url, values) {
    const turn = ++this.#turn
    const token = this.#token
    const answer = await this.#service.ask(method, url, { token, ...(values && { values }) })
    if (answer.kind !== 'unauthorized') return turn === this.#turn ? answer : null
    // A 401 for an older token says nothing about the one of a new login.
    if (token === this.#token) {
      if (token !== null) await this.#dropToken(ENDED)
      await this.#login()
    }
    return null
  }

  /** @param {Message} notice */
  async #dropToken(notice) {
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
    // The name is shown on every screen, also on one for which the server has not set it.
    this.#displayName = screen.displayName || this.#displayName
    const named = { ...screen, displayName: this.#displayName }
    this.#show({ name: 'screen', screen: named, path, values, message: null, busy: false })
  }

  /**
   * @param {Answer} answer
   * @param {string} unanswered
   */
  #showOffline({ message, retryIn }, unanswered) {
    this.#unanswered = unanswered
    const path = this.pathOf(unanswered)
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
