import {
  canSave,
  changedFields,
  changesOf,
  type Draft,
  draftOf,
  fieldNamedBy,
  initialValues,
  isOtherVersion,
  passwordsOf,
  readDraft,
  restore,
  typedUser,
  unresolved
} from './form.ts'
import {
  type Action,
  fieldsOf,
  type Menu,
  readActionResponse,
  readAuthResponse,
  readScreen,
  type Screen,
  type ScreenAction
} from './screen.ts'
import { type Fetch, isSendable, isTemporary, type Result, readLogin, Service } from './service.ts'
import type { Failed, Given, Login, Message, Question, Shown, State, WithScreen } from './state.ts'
import { attempt, type Store } from './stores.ts'
import { TEXTS, type TextKey } from './texts.ts'

/** The options of a {@link Session}. */
export interface SessionOptions {
  /** The base URL of the service, with its prefix if it has one. */
  baseUrl: string
  /**
   * Stores the token, and behind a line break what its user typed at the login, except passwords. Use one store for
   * each base URL: a token must not reach another server. Default: in memory.
   */
  tokens?: Store
  /** Stores the unsaved changes, so that they survive a reload. Default: in memory. */
  drafts?: Store
  /** Asks the person before changes are lost, before a delete, and before a `confirm` button. Default: always yes. */
  confirm?: (question: Question) => boolean | Promise<boolean>
  /** Default: the platform's `fetch`. */
  fetch?: Fetch
}

/** A request for a screen, and how to show that screen. */
interface ScreenRequest {
  url: string
  replaces?: boolean
  /** Shown with the screen, unless the screen has its own message. That message gets this kind, unless it is an error. */
  message?: Message
  /** Whether the new screen keeps the unsaved changes. */
  keeps?: boolean
  /** Whether the screen is the Card for a new record. */
  isNew?: boolean
  /** Whether this is the first screen after a start or a login. The goal follows. A failure is a `failed` state. */
  isFirst?: boolean
}

/** The longest wait before a retry, in seconds, without `Retry-After` and without the random part. */
const LONGEST_WAIT = 60

/** The longest time to wait because of `Retry-After`, in seconds. */
const MAX_RETRY_AFTER = 300

/** The longest lockout that a state shows, in seconds. */
const LONGEST_LOCK = 86_400

/** The prefix of a `status` that reports an error, for example that the Card was not saved. */
const ERROR_PREFIX = /^Error:\s*/

/**
 * A client of a screen service, without a user interface. It sends the requests, and holds the state to show. A view
 * draws each state, and calls the methods. No method throws or rejects: the state shows a failure.
 *
 * @example
 * const session = new Session({ baseUrl: 'http://127.0.0.1:3000' })
 * session.subscribe(state => console.log(state.name))
 * await session.start()                                                    // starting, login
 * await session.submit({ username: 'demo', password: 'demo-password' })    // login (busy), screen
 */
export class Session {
  /** The current state, for the view to draw. */
  state!: State
  /** The server's texts by key: the `ui_strings` of the last screen. The view supplies missing texts. */
  strings: ReadonlyMap<string, string> = new Map()
  /** The main menu of the user, also while another screen is shown; null before the login. */
  menu: Menu | null = null
  /** The path of the main menu. */
  readonly menuPath: string

  readonly #loginPath: string
  readonly #service: Service
  readonly #options: SessionOptions
  readonly #listeners = new Set<() => unknown>()
  #stopWatching: (() => void) | undefined
  #token: string | null = null
  #displayName = ''
  /** Identifies the user: the values that were typed at the login, except passwords; empty if unknown. */
  #user = ''
  #draft: Draft | null = null
  /** For the next login form: a message, and the user whose session has expired. */
  #ended: { notice: Message; user: string | undefined } | null = null
  /** Counts the requests, because the session shows only the response to the last request. */
  #requests = 0
  /** The number of requests before `stop()`. The session ignores the responses to these requests, even a 401. */
  #stoppedAt = 0
  /** The screen to open after the menu. */
  #goal: string | null = null
  /** The only user who is led to the goal; null for every user, empty for no user. */
  #goalUser: string | null = null
  /** The request for a screen that is loading, or that could not be loaded and that `retry()` repeats. */
  #wanted: ScreenRequest | null = null
  /** The number of consecutive failures. */
  #failures = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  /** @throws TypeError if the base URL is invalid */
  constructor(options: SessionOptions) {
    const { baseUrl, fetch = (url, init) => globalThis.fetch(url, init) } = options
    this.#service = new Service(baseUrl, fetch)
    this.#options = options
    this.menuPath = this.#service.pathOfRoute('menu/main')
    this.#loginPath = this.#service.pathOfRoute('auth/login')
    this.#showStart()
  }

  /** Returns a URL of a screen as path and query; null if it belongs to another server. */
  pathOf(url: string): string | null {
    return this.#service.pathOf(url)
  }

  /**
   * Calls a listener with the state, at once and after each change. If a listener throws, the error becomes an
   * unhandled rejection. The session and the other listeners continue.
   *
   * @returns a function that ends the subscription
   */
  readonly subscribe = (listener: (state: State) => void): (() => void) => {
    const call = async () => listener(this.state)
    this.#listeners.add(call)
    call()
    return () => {
      this.#listeners.delete(call)
    }
  }

  /**
   * Requests the main menu first (contract 4 rule 1), and shows the login form if necessary. Then shows the screen of
   * the URL. Without a URL, shows the menu.
   */
  async start(url?: string): Promise<void> {
    const { tokens, drafts } = this.#options
    const request = ++this.#requests
    this.#goal = url && url !== this.menuPath ? url : null
    this.#goalUser = null
    const [login, draft] = await Promise.all([tokens, drafts].map(store => attempt(() => store?.read())))
    if (request !== this.#requests) return
    this.#stopWatching?.()
    attempt(() => {
      this.#stopWatching = tokens?.watch?.(text => this.#onTokenChanged(text))
    })
    if (tokens) [this.#token, this.#user] = readLogin(login)
    this.menu = null
    this.#displayName = ''
    // Only the same user gets the unsaved changes. In the no-auth mode there is no user.
    this.#keepDraft(this.#user || !this.#token ? readDraft(draft, this.#user) : null)
    await this.#begin()
  }

  /** Sets the value of a field of the login form or of a Card. Does nothing while the state is `busy`. */
  enter(id: string, value: string): void {
    this.#setValues({ [id]: value })
  }

  /** Submits the login form to its `auth_action` (contract 4 rules 3 to 5). */
  async submit(values: Record<string, string> = {}): Promise<void> {
    this.#setValues(values)
    const before = this.state
    if (before.name !== 'login' || before.busy) return
    const { screen } = before
    const result = await this.#send('POST', screen.authAction, { fields: Object.fromEntries(before.values) })
    if (result === null) return
    const response = readAuthResponse(result.body)
    if (response === null || !isSendable(response.token)) return this.#showFailedLogin(result, before)
    const { token } = response
    // With nothing but passwords, the user differs from all others. A change of user depends on the earlier user.
    const user = [typedUser(screen, before.values) || Math.random(), this.#user].filter(Boolean).join('&')
    this.#setToken(token, user)
    const first = { url: response.redirect || this.menuPath, replaces: true, isFirst: true }
    this.#wanted = first
    const request = this.#requests
    await attempt(() => this.#options.tokens?.write(`${token}\n${user}`))
    if (request !== this.#requests) return
    await (response.screen ? this.#receive(result, response.screen, first) : this.#load(first))
  }

  /** Fetches and shows a screen. Asks first if there are unsaved changes. */
  async open(url: string): Promise<void> {
    await this.#open({ url })
  }

  /** Shows the rows of the list in which the server finds a text; all rows for an empty text. */
  async search(text: string): Promise<void> {
    const { state } = this
    if (state.name !== 'screen' || !state.screen.list) return
    const query = text && `?query=${encodeURIComponent(text.toWellFormed())}`
    await this.#open({ url: state.path.replace(/\?.*/, '') + query, replaces: true })
  }

  /** Fetches the shown screen again, for example after a conflict. Keeps unsaved changes. */
  async reload(): Promise<void> {
    if (this.state.name !== 'screen') return
    await this.#open({ ...sameScreen(this.state), keeps: true })
  }

  /** Fetches and shows the Card for a new record, from a List or the Card of another record. */
  async create(): Promise<void> {
    const { state } = this
    const url = state.name === 'screen' && state.screen.createUrl
    if (url) await this.#open({ url, isNew: true })
  }

  /** Follows a menu item. The view must handle `open_url` and `popup`. */
  async follow({ type, url, text }: Action): Promise<void> {
    if (type === 'open_screen' || type === 'open_menu') return this.open(url)
    if (this.state.name !== 'screen') return
    const unknown = `${this.#text('unknown_action')} ${type}`
    this.#change({ message: type === 'message' ? { kind: 'info', text } : { kind: 'error', text: unknown } })
  }

  /**
   * Saves a Card: posts the changes as a SaveChangeset to the URL of the action. Shows the screen of the response. If
   * the `status` of that screen begins with `Error:`, the shown Card and its values stay. Asks before a delete.
   *
   * @param action default: `save`, or `create` if the Card has no `save`
   */
  async save(action?: 'save' | 'create' | 'delete', values: Record<string, string> = {}): Promise<void> {
    this.#setValues(values)
    const before = this.state
    if (before.name !== 'screen' || before.busy) return
    const { screen, path } = before
    const kind = action ?? (screen.actions.save ? 'save' : 'create')
    const url = screen.actions[kind]
    if (url === '') return
    if (kind === 'save' && !before.hasChanges)
      return this.#showMessage({ kind: 'info', text: this.#text('no_changes') })
    if (kind === 'delete' && !(await this.#confirmDelete(screen.title))) return
    if (!this.#isUnchanged(before)) return

    const changes = kind === 'delete' ? {} : changesOf(screen, before.values, kind === 'create')
    const body = { screen_id: screen.screenId, record_id: screen.recordId, changes, action: kind }
    const result = await this.#send('POST', url, body)
    if (result === null) return
    const saved = result.ok ? readScreen(result.body) : null
    const message = saved && this.#statusOf(saved)
    if (saved !== null && message?.kind !== 'error') {
      const done: Message = { kind: 'success', text: this.#text('saved') }
      if (passwordsOf(screen).some(({ id }) => changes[id])) {
        // A new password can end all sessions of the user. Then this request ends the session here, with the message.
        this.#wanted = { url: this.menuPath, message: message ?? done }
        if ((await this.#send('GET', this.menuPath, undefined, true)) === null) return
      }
      return this.#receive(result, saved, { url: path, replaces: true, message: done })
    }
    const isUnknown = result.text === 'unreachable'
    const refusal = message?.text ?? this.#text(isUnknown ? 'maybe_saved' : result.text)
    const isOther = saved ? isOtherVersion(saved, screen, before.values) : isUnknown || result.text === 'conflict'
    this.#showRefusal(refusal, isOther && kind !== 'create' && 'reload')
  }

  /**
   * Presses a button of a screen. A `modal` button sends the given fields. A button of the login form also sends the
   * values of that form. A `confirm` button asks first. If the response leads nowhere, fetches the screen again.
   */
  async act(action: ScreenAction, fields: Record<string, string> = {}): Promise<void> {
    const before = this.state
    if (!('screen' in before) || before.busy) return
    const { id, kind, label, confirmMessage, endpoint } = action
    if (before.hasChanges && !(await this.#confirmLeave())) return
    if (kind === 'confirm' && !(await this.#ask('action', confirmMessage || label, '', label))) return
    if (!this.#isUnchanged(before)) return

    const result = await this.#send('POST', endpoint, {
      action_id: id,
      record_id: before.screen.recordId,
      screen_title: before.screen.title,
      fields: before.name === 'login' ? { ...Object.fromEntries(before.values), ...fields } : fields
    })
    if (result === null) return
    const response = result.ok ? readActionResponse(result.body) : null
    if (response === null) return this.#showRefusal(this.#text(result.text))
    const { message, screen, url, replaces } = response
    if (!response.success) return this.#showRefusal(response.error || message || this.#text('refused'))
    const done: Message = { kind: 'success', text: message || this.#text('done') }
    if (screen !== null) await this.#receive(result, screen, { url: before.path, replaces: true, message: done })
    else if (url !== '') await this.#load({ url, replaces, message: { ...done, text: message } })
    else if (before.name === 'login') this.#showMessage(done)
    else await this.#load({ ...sameScreen(before), message: done })
  }

  /** Repeats the last request for a screen, in the state `failed` or if the message has `help: 'retry'`. */
  async retry(): Promise<void> {
    const { name, message, busy } = this.state
    if (busy || (name !== 'failed' && message?.help !== 'retry') || this.#wanted === null) return
    await this.#open(this.#wanted)
  }

  /** Stops waiting for a screen or for the response to a login request. Does not cancel a save. */
  cancel(): void {
    const { state } = this
    const wanted = this.#wanted
    if (!(state.busy === 'loading' ? wanted : state.busy && state.name === 'login')) return
    this.#requests += 1
    if ('screen' in state && !wanted?.isFirst) {
      this.#wanted = null
      this.#change({ message: null, busy: null })
    } else this.#showFailure({ kind: 'info', text: this.#text('cancelled') })
  }

  /** Removes the message of a screen. */
  dismiss(): void {
    const { state } = this
    if ('screen' in state && state.message) this.#change({ message: null })
  }

  /**
   * Drops the token, and starts again. Sends a logout request for a server that can revoke sessions, and ignores the
   * response, because the contract has no logout. Asks first if there are unsaved changes.
   */
  async logOut(): Promise<void> {
    if (!this.state.canOpen || (this.state.hasChanges && !(await this.#confirmLeave()))) return
    if (this.#token !== null) this.#service.send('POST', this.#service.pathOfRoute('auth/logout'), this.#token)
    await this.#endSession(undefined, { kind: 'success', text: this.#text('logged_out') })
    this.#goal = null
    await this.#begin()
  }

  /** Ends all retries, and ignores the responses to running requests. Keeps the token. */
  stop(): void {
    this.#stoppedAt = ++this.#requests
    clearTimeout(this.#timer)
    this.#stopWatching?.()
  }

  async #begin(): Promise<void> {
    if (this.state.name !== 'starting') this.#showStart()
    await this.#load({ url: this.menuPath, replaces: true, isFirst: true })
  }

  /** Opens a screen for the person. Asks first if unsaved changes would be lost. */
  async #open(wanted: ScreenRequest): Promise<void> {
    const { name, canOpen, hasChanges, busy } = this.state
    // The person must see the result of a running save.
    if (name === 'screen' && busy === 'saving') return
    if (!canOpen || (hasChanges && !wanted.keeps && !(await this.#confirmLeave()))) return
    if (!wanted.isFirst) this.#goal = null
    await this.#load(wanted)
  }

  async #load(wanted: ScreenRequest): Promise<void> {
    const { url, isFirst, message } = wanted
    this.#wanted = wanted
    const result = await this.#send('GET', url)
    if (result === null) return
    const screen = result.ok ? readScreen(result.body) : null
    // A server that needs no login may send another screen, with its path in `Content-Location` or in a `redirect`.
    const isElsewhere = (result.location ?? this.#loginPath) !== this.#loginPath
    if (screen && (url !== this.#loginPath || screen.authAction || isElsewhere)) {
      return this.#receive(result, screen, wanted)
    }
    const text = this.#text(result.text)
    if (isFirst || !('screen' in this.state)) this.#showFailure({ kind: 'error', text }, result)
    // The message of a pressed button is more useful. A 401 reaches this line only on a login form.
    else if (message?.text && (result.status === 401 || url === this.state.path)) this.#showMessage(message)
    else this.#showRefusal(text, this.state.canOpen && !['foreign', 'not_found'].includes(result.text) && 'retry')
  }

  /**
   * Sends a request with the token. Returns null if the caller must ignore the response: a newer request was sent, or a
   * 401 has led to the login form. On a login form, returns a 401 if the session has no token, or if the 401 is the
   * response to a POST and its body is an AuthResponse.
   */
  async #send(method: 'GET' | 'POST', url: string, body?: object, isSave = !!body): Promise<Result | null> {
    const { state } = this
    const isForm = url === this.#loginPath && !body
    if (body) this.#wanted = null
    const busy = isSave ? 'saving' : 'loading'
    if ('screen' in state) this.#change({ busy, message: null })
    else if (state.name === 'failed') this.#change({ busy, retryAt: null })
    const request = ++this.#requests
    const token = isForm ? null : this.#token
    const result = await this.#service.send(method, url, token, body)
    const isAtLogin =
      this.state.name === 'login' && (token === null || (body && readAuthResponse(result.body) !== null))
    if (result.status !== 401 || isForm || isAtLogin) return request === this.#requests ? result : null
    // Ignores a 401 for an earlier token. Without a token, ignores a 401 for any request but the last.
    if (token === this.#token && request > (token === null ? this.#requests - 1 : this.#stoppedAt)) {
      if (token !== null) await this.#endSession(this.#user)
      // Contract 4 rule 2. Unsaved changes are lost (contract 5.8).
      this.#keepDraft()
      // Meanwhile, the person may have logged in with another client.
      if (this.#token === null) await this.#load({ url: this.#loginPath, isFirst: true })
    }
    return null
  }

  /** Handles a token that another client has written or cleared. */
  async #onTokenChanged(text: string | null): Promise<void> {
    const [token, user] = readLogin(text)
    // In the no-auth mode, a screen is shown without a token.
    if (token === this.#token || (this.#token === null && this.state.name === 'screen')) return
    if (token === null) await this.#endSession()
    else this.#setToken(token, user)
    await this.#begin()
  }

  /** Drops the token after a 401 or a logout. The next login form shows the notice, and what the user typed there. */
  async #endSession(user?: string, notice = this.#wanted?.message): Promise<void> {
    this.#setToken(null)
    this.#ended = { user, notice: notice?.text ? notice : { kind: 'info', text: this.#text('session_ended') } }
    await attempt(() => this.#options.tokens?.clear())
  }

  /** Sets the token and its user. Drops the name and the unsaved changes of the previous user, but keeps the goal. */
  #setToken(token: string | null, user = ''): void {
    const { state } = this
    // Counts as a request, because a `start()` that is reading the store would otherwise restore the token.
    this.#requests += 1
    if (this.#token !== null) {
      const url = this.#wanted?.url ?? ('path' in state && state.name !== 'login' && state.path)
      if (url && url !== this.menuPath) this.#goal = url
      this.#goalUser = this.#user
    }
    this.#token = token
    this.#user = user
    this.menu = null
    this.#displayName = ''
    this.#ended = null
    this.#keepDraft()
    this.#change({})
  }

  /** Keeps the texts and the display name of a screen. Then shows the screen, or loads the goal instead. */
  async #receive(result: Result, screen: Screen, wanted: ScreenRequest): Promise<void> {
    this.#failures = 0
    this.#wanted = null
    this.strings = screen.strings
    this.#displayName = screen.displayName || this.#displayName
    if (wanted.url === this.menuPath) this.menu = screen.menu
    if (wanted.isFirst && !screen.authAction) {
      const goal = this.#goalUser === null || (this.#user && this.#user === this.#goalUser) ? this.#goal : null
      this.#goal = null
      this.#goalUser = null
      if (goal !== null) return this.#load({ url: goal, replaces: true, isFirst: true })
    }
    if (this.state.hasChanges && !wanted.keeps) this.#keepDraft()
    this.#showScreen(result, screen, wanted)
  }

  #showScreen(result: Result, screen: Screen, wanted: ScreenRequest): void {
    const { url, replaces = false, message, isNew } = wanted
    const requested = this.pathOf(url) as string
    const path = result.location ?? requested
    const shown = {
      screen: { ...screen, actions: actionsOf(screen, isNew) },
      language: result.language,
      path,
      busy: null
    }
    const status = this.#statusOf(screen, message?.kind) ?? (message?.text ? message : null)
    if (screen.authAction !== '') {
      const { notice = status, user } = this.#ended ?? {}
      this.#ended = null
      this.#show({ ...shown, name: 'login', values: initialValues(screen, user), message: notice, retryAt: null })
      return
    }
    // After a create, a request for the form of a new record may return the record, which has another path.
    const draft = this.#draft && [requested, path].includes(this.#draft.path) ? this.#draft : null
    const form = restore(draft, screen)
    const labels = fieldsOf(screen).flatMap(({ id, label }) => (form.theirs.has(id) ? label : []))
    const restored =
      labels.length > 0
        ? `${this.#text('changed_meanwhile')} ${labels.join(', ')}`
        : changedFields(screen, form.values).length > 0 && this.#text('restored')
    const notice: Message | null = restored ? { kind: 'info', text: restored } : status
    this.#show({ ...shown, ...form, name: 'screen', message: notice, replaces })
  }

  /** Shows a failed login. The login form stays. */
  #showFailedLogin(result: Result, { screen, values }: Login): void {
    const { body, status, retryAfter } = result
    const response = readAuthResponse(body)
    // With any other status, the server has not checked the credentials, so the form keeps the password.
    const isChecked = result.ok || status === 403
    const isRejected = status === 401 || (response?.token === null && isChecked)
    const passwords = isRejected ? passwordsOf(screen) : []
    const field = passwords[0]?.id
    const text = response?.error || this.#text(isRejected ? 'refused' : result.text)
    this.#change({
      busy: null,
      values: new Map([...values, ...passwords.map(({ id }): [string, string] => [id, ''])]),
      message: { kind: 'error', text, ...(field && { field }) },
      retryAt: retryAfter > 0 ? Date.now() + Math.min(retryAfter, LONGEST_LOCK) * 1000 : null
    })
  }

  /** Shows a failure in place of a screen. */
  #showFailure(message: Message, result?: Result): void {
    this.#failures += 1
    const least = Math.min(result?.retryAfter ?? 0, MAX_RETRY_AFTER)
    // Random, so that not all clients retry in the same second.
    const wait = Math.max(least, Math.min(2 ** this.#failures, LONGEST_WAIT)) * (1 + Math.random() / 2)
    this.#show({
      name: 'failed',
      message,
      path: this.pathOf(this.#wanted?.url as string),
      status: result?.status ?? 0,
      isOffline: result?.text === 'unreachable',
      retryAt: result && isTemporary(result) ? Date.now() + wait * 1000 : null,
      busy: null
    })
  }

  #showStart(): void {
    this.#show({ name: 'starting', busy: 'loading', message: null })
  }

  #showMessage(message: Message): void {
    this.#change({ message, busy: null })
  }

  #showRefusal(text: string, help?: Message['help'] | false): void {
    // If the message has a `help`, it is not about a single field.
    const { screen } = this.state as WithScreen
    const field = !help && canSave(screen) && fieldNamedBy(text, fieldsOf(screen))
    this.#showMessage({ kind: 'error', text, ...(field && { field }), ...(help && { help }) })
  }

  /** Shows the current state with some properties replaced. */
  #change(properties: Partial<Login | Shown | Failed>): void {
    this.#show({ ...this.state, ...properties } as State)
  }

  #show(state: Given): void {
    const { name } = state
    clearTimeout(this.#timer)
    if ('retryAt' in state && state.retryAt !== null) {
      const onTimeout = () => (name === 'login' ? this.#change({ retryAt: null, message: null }) : this.retry())
      this.#timer = setTimeout(onTimeout, state.retryAt - Date.now())
      // The timer of a lockout sends no request, so a Node process may exit before it fires.
      if (name === 'login') (this.#timer as { unref?(): void }).unref?.()
    }
    const isLoggedIn = this.#token !== null
    this.state = {
      ...state,
      isLoggedIn,
      canOpen: name === 'login' ? isLoggedIn : name !== 'starting',
      hasChanges: name === 'screen' && changedFields(state.screen, state.values).length > 0,
      displayName: this.#displayName
    }
    for (const call of this.#listeners) call()
  }

  #setValues(values: Record<string, string>): void {
    const { state } = this
    const entries = Object.entries(values)
    if (!('screen' in state) || state.busy || entries.length === 0) return
    const { screen, path } = state
    const entered = new Map([...state.values, ...entries])
    const isLocked = state.name === 'login' && state.retryAt !== null
    // A lockout applies to one user only.
    const isOther = isLocked && typedUser(screen, state.values) !== typedUser(screen, entered)
    const theirs = state.name === 'screen' && unresolved(state.theirs, entered)
    const isResolved = theirs && state.theirs.size > 0 && theirs.size === 0
    const isAbout = !isLocked && Object.hasOwn(values, state.message?.field ?? '')
    const isOfSaved = state.message?.kind === 'success' || state.message?.text === this.#text('no_changes')
    const isStale = isOfSaved && changedFields(screen, entered).length > 0
    this.#change({
      values: entered,
      ...(theirs && { theirs }),
      ...(isOther && { retryAt: null }),
      ...((isOther || isResolved || isAbout || isStale) && { message: null })
    })
    if (state.name === 'screen') this.#keepDraft(draftOf(path, screen, entered))
  }

  #confirmLeave(): Promise<boolean> {
    return this.#ask('unsaved', this.#text('ask_unsaved'), this.#text('changes_lost'), this.#text('leave'))
  }

  #confirmDelete(title: string): Promise<boolean> {
    const text = this.#text('ask_delete').replace('{0}', () => title)
    return this.#ask('delete', text, this.#text('cannot_be_undone'), this.#text('delete'))
  }

  /** Asks the person. Also resolves to false if `confirm` fails, or if the shown screen or its values change. */
  async #ask(about: Question['about'], text: string, details: string, label: string): Promise<boolean> {
    const { confirm = () => true } = this.#options
    const before = this.state
    return (await attempt(() => confirm({ about, text, details, label }))) === true && this.#isUnchanged(before)
  }

  /** Whether the session still shows the same screen and values; the message may differ. */
  #isUnchanged(before: State): boolean {
    const keys = ['screen', 'values', 'busy'] as (keyof State)[]
    return keys.every(key => this.state[key] === before[key])
  }

  /** Returns the message in the `status` of a screen; null if there is none. */
  #statusOf({ status }: Screen, kind: Message['kind'] = 'info'): Message | null {
    const text = status.replace(ERROR_PREFIX, '')
    if (text !== status) return { kind: 'error', text: text || this.#text('refused') }
    return text === '' ? null : { kind, text }
  }

  #text(key: TextKey): string {
    return this.strings.get(key) || TEXTS[key]
  }

  /** Keeps the unsaved changes, and stores them with the user. */
  #keepDraft(draft: Draft | null = null): void {
    this.#draft = draft
    const { drafts } = this.#options
    attempt(() => (draft ? drafts?.write(JSON.stringify({ ...draft, user: this.#user })) : drafts?.clear()))
  }
}

/**
 * Returns the URLs for a Card. A Card with both `save` and `create` is for a new record. If a List or another Card
 * opened it, `create` applies. Otherwise `save` applies, for example if a menu opened it.
 */
function actionsOf({ actions }: Screen, isNew: boolean | undefined): Screen['actions'] {
  const isCreate = actions.create && (isNew || !actions.save)
  return { ...actions, [isCreate ? 'save' : 'create']: '' }
}

/** The request that fetches a shown screen again. */
function sameScreen({ path, screen }: Shown): ScreenRequest {
  return { url: path, replaces: true, isNew: screen.actions.create !== '' }
}
