import {
  changedFields,
  changesOf,
  type Draft,
  draftOf,
  initialValues,
  readDraft,
  restore,
  type Values,
  withoutPasswords
} from './changes.ts'
import {
  type Action,
  readActionResponse,
  readAuthResponse,
  readScreen,
  type Screen,
  type ScreenAction
} from './screen.ts'
import { type Fetch, isSendable, isTemporary, type Result, Service } from './service.ts'
import { TEXTS, type TextKey } from './texts.ts'

/** Nothing to show yet. */
export interface Starting {
  name: 'starting'
}

/** A screen, and what was typed into it. */
interface WithScreen {
  screen: Screen
  /** Where it lives, as path and query: what `open()` takes. */
  path: string
  /** The language of the screen, for example `de`; empty when the server does not say (Content-Language). */
  language: string
  values: Values
  message: Message | null
  /** Whether a request is running: the credentials are checked, the next screen is on its way, or this one is saved. */
  busy: boolean
}

/** The login form, or another Card with an `auth_action`; with a message after a rejection or a logout, for example. */
export interface Login extends WithScreen {
  name: 'login'
}

/** The menu or another screen. */
export interface Shown extends WithScreen {
  name: 'screen'
  /** Whether it came in the place of the screen before, so that "back" must not lead there: it was saved, for example. */
  replaces: boolean
}

/** There is no screen to show. The token is kept. */
export interface Failed {
  name: 'failed'
  message: Message
  path: string | null
  /** Whether nothing came at all. */
  isOffline: boolean
  /** When the session tries again, in milliseconds since 1970; null when it does not. `retry()` tries at once. */
  retryAt: number | null
  busy: boolean
}

/** What to show. */
export type State = Starting | Login | Shown | Failed

/** A message for the bottom bar. */
export interface Message {
  kind: 'error' | 'info'
  text: string
}

/** Keeps a text when the client restarts. A promise is waited for. A store that throws or rejects has kept nothing. */
export interface Store {
  read(): string | null | Promise<string | null>
  write(text: string): unknown
  clear(): unknown
}

/** A question to the person, to be answered with yes or no. */
export interface Question {
  about: 'unsaved' | 'delete' | 'action'
  text: string
  /** The text of the button for yes. */
  label: string
}

/** What a {@link Session} needs. */
export interface SessionOptions {
  /** The base URL of the service, with its prefix if it has one. */
  baseUrl: string
  /** Keeps the token. One store for each base URL: a token must not go to another server. */
  tokens: Store
  /** Keeps what is typed and not saved, so that it survives a reload. Default: only the session itself does. */
  drafts?: Store
  /** Called with each new state. */
  onState: (state: State) => void
  /** Asks the person before changes go, before a delete, and before a button that wants it. Default: yes to all. */
  confirm?: (question: Question) => boolean | Promise<boolean>
  /** Default: that of the platform. */
  fetch?: Fetch
}

/** What to do with the screen of a response. */
interface Showing {
  replaces?: boolean
  /** Shown with the screen, when that has no message of its own. */
  message?: Message | null
  /** Whether what was typed is put into the new screen. */
  keeps?: boolean
  /** Whether it is the Card for a new record. */
  isNew?: boolean
}

/** Not in the contract (4): a server that can end sessions may have it. */
const LOGOUT = 'auth/logout'

/** The longest time between two tries, in seconds, before it is spread. */
const LONGEST_WAIT = 60

/** At the start of a `status`: the screen was not saved. */
const ERROR = /^Error:\s*/

/**
 * A client of a screen service, without a user interface: which requests to send, when, and what to show. A view draws
 * each state that it gets, and calls the methods. None of them throws or rejects; what fails is in the state.
 *
 * @example
 * let token = null
 * const session = new Session({
 *   baseUrl: 'http://127.0.0.1:3000',
 *   tokens: { read: () => token, write: text => { token = text }, clear: () => { token = null } },
 *   onState: state => console.log(state.name)
 * })
 * await session.start()                                                    // starting, login
 * await session.submit({ username: 'demo', password: 'demo-password' })    // login (busy), screen
 */
export class Session {
  /** What is shown. */
  state: State = { name: 'starting' }

  readonly #service: Service
  readonly #options: SessionOptions
  #token: string | null = null
  #displayName = ''
  #strings: ReadonlyMap<string, string> = new Map()
  #draft: Draft | null = null
  /** For the login form that comes next. */
  #notice: Message | null = null
  /** Counts the requests: only the response to the last one is still wanted. */
  #turn = 0
  /** No response to this request or one before it is wanted, not even a 401. */
  #stoppedAt = 0
  /** The screen to open after the menu. */
  #goal: string | null = null
  /** What `retry()` requests again. */
  #failed: string
  /** How often in a row no screen came. */
  #failures = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  /** @throws TypeError when the base URL cannot be used */
  constructor(options: SessionOptions) {
    const { baseUrl, fetch = (url, init) => globalThis.fetch(url, init) } = options
    this.#service = new Service(baseUrl, fetch)
    this.#options = options
    this.#failed = this.menuPath
  }

  /** False before the login, and always in the no-auth mode. */
  get isLoggedIn(): boolean {
    return this.#token !== null
  }

  /** Whether a screen can be opened: not before the login. */
  get canOpen(): boolean {
    const { name } = this.state
    return name === 'login' ? this.isLoggedIn : name !== 'starting'
  }

  /** Whether something was typed that is not saved. */
  get hasChanges(): boolean {
    const { state } = this
    return state.name === 'screen' && changedFields(state.screen, state.values).length > 0
  }

  /** The client's own texts in the words of the last screen, by key (`ui_strings`). What is missing is up to the view. */
  get strings(): ReadonlyMap<string, string> {
    return this.#strings
  }

  /** The path of the main menu. */
  get menuPath(): string {
    return this.#service.below('menu/main')
  }

  get #loginPath(): string {
    return this.#service.below('auth/login')
  }

  /** A URL of a screen as path and query; null when it belongs to another server. */
  pathOf(url: string): string | null {
    return this.#service.pathOf(url)
  }

  /** Opens the main menu (contract 4 rule 1), and then another screen if one is given. */
  async start(url?: string): Promise<void> {
    const { tokens, drafts } = this.#options
    const turn = ++this.#turn
    const token = await attempt(() => tokens.read())
    const draft = await attempt(() => drafts?.read())
    if (turn !== this.#turn) return
    this.#token = token && isSendable(token) ? token : null
    this.#draft = readDraft(draft)
    this.#goal = !url || this.pathOf(url) === this.menuPath ? null : url
    await this.#begin()
  }

  /** Notes what was typed into a field of the login form or of a Card. Nothing can be typed while it is busy. */
  enter(id: string, value: string): void {
    this.#enterAll({ [id]: value })
  }

  /** Submits the login form to its `auth_action` (contract 4 rules 3 to 5). */
  async submit(values: Record<string, string> = {}): Promise<void> {
    this.#enterAll(values)
    const before = this.state
    if (before.name !== 'login' || before.busy) return
    const { screen } = before
    const result = await this.#send('POST', screen.authAction, { fields: Object.fromEntries(before.values) })
    if (result === null) return
    const turn = this.#turn
    const response = readAuthResponse(result.body)
    if (response?.token && isSendable(response.token)) {
      this.#become(response.token)
      await attempt(() => this.#options.tokens.write(response.token as string))
      if (turn !== this.#turn) return
      if (response.screen === null) await this.#begin(response.redirect || this.menuPath)
      else this.#showScreen(result, response.screen, this.menuPath, { replaces: true })
    } else {
      // Any other status says nothing about the credentials.
      const isJudged = result.kind === 'ok' || result.status === 403
      const isRejected = result.status === 401 || (response?.token === null && isJudged)
      const text = response?.error || this.#say(isRejected ? 'refused' : result.text)
      // Credentials that were not rejected need not be entered again.
      const values = isRejected ? withoutPasswords(screen, before.values) : before.values
      this.#show({ ...before, values, message: error(text) })
    }
  }

  /** Fetches and shows a screen. Asks first when there are unsaved changes. */
  async open(url: string): Promise<void> {
    await this.#leaveFor(url)
  }

  /** Fetches the shown screen again, and keeps what was typed: after somebody else has saved it, for example. */
  async reload(): Promise<void> {
    if (this.state.name !== 'screen') return
    const { path, screen } = this.state
    await this.#load(path, { replaces: true, keeps: true, isNew: screen.actions.create !== '' })
  }

  /** Fetches and shows the Card for a new record, from a List or the Card of another. */
  async create(): Promise<void> {
    if (this.state.name !== 'screen') return
    const { createUrl } = this.state.screen
    if (createUrl !== '') await this.#leaveFor(createUrl, { isNew: true })
  }

  /** Follows a menu item. The view itself handles `open_url` and `popup`. */
  async follow({ type, url, text }: Action): Promise<void> {
    const { state } = this
    if (type === 'open_screen' || type === 'open_menu') await this.open(url)
    else if (state.name === 'screen') {
      const message = type === 'message' ? info(text) : error(`${this.#say('unknown_action')} ${type}`)
      this.#show({ ...state, message })
    }
  }

  /**
   * Saves a Card: posts a SaveChangeset with what was changed to the URL of the action, and shows the screen of the
   * response. When that says `Error:`, the shown screen stays, with what was typed. Asks before a delete.
   */
  async save(action: 'save' | 'create' | 'delete' = 'save', values: Record<string, string> = {}): Promise<void> {
    this.#enterAll(values)
    const before = this.state
    if (before.name !== 'screen' || before.busy) return
    const { screen, path } = before
    const url = screen.actions[action]
    if (url === '') return
    const isDelete = action === 'delete'
    if (action === 'save' && !this.hasChanges) return this.#tell(info(this.#say('no_changes')))
    if (isDelete && !(await this.#ask('delete', this.#say('ask_delete'), this.#say('delete')))) return
    if (this.state !== before) return

    const changes = isDelete ? {} : changesOf(screen, before.values, action === 'create')
    const body = { screen_id: screen.screenId, record_id: screen.recordId, changes, action }
    const result = await this.#send('POST', url, body)
    if (result === null) return
    const saved = screenOf(result)
    const message = saved && this.#statusOf(saved)
    if (saved === null) {
      this.#tell(error(this.#say(result.kind === 'offline' ? 'maybe_saved' : result.text)))
    } else if (message?.kind === 'error') {
      this.#tell(message)
    } else {
      this.#showScreen(result, saved, path, { replaces: true, message: info(this.#say('saved')) })
    }
  }

  /**
   * Presses a button of a screen, with the fields of its form if it is a `modal`. One of the login form sends what was
   * typed there, too. Asks first if it is a `confirm`.
   */
  async act(action: ScreenAction, fields: Record<string, string> = {}): Promise<void> {
    const before = this.state
    if (!('screen' in before) || before.busy) return
    const { id, kind, label, confirmMessage, endpoint } = action
    if (this.hasChanges && !(await this.#mayLeave())) return
    if (kind === 'confirm' && !(await this.#ask('action', confirmMessage || label, label))) return
    if (this.state !== before) return

    const { title, recordId } = before.screen
    const result = await this.#send('POST', endpoint, {
      action_id: id,
      record_id: recordId,
      screen_title: title,
      fields: before.name === 'login' ? { ...Object.fromEntries(before.values), ...fields } : fields
    })
    if (result === null) return
    const response = result.kind === 'ok' ? readActionResponse(result.body) : null
    if (response === null) return this.#tell(error(this.#say(result.text)))
    const { success, message, screen, url, replaces } = response
    if (!success) return this.#tell(error(response.error || message || this.#say('refused')))
    const notice = info(message || this.#say('done'))
    if (screen !== null) this.#showScreen(result, screen, before.path, { replaces: true, message: notice })
    else if (url !== '') await this.#load(url, { replaces, message: message === '' ? null : notice })
    else this.#tell(notice)
  }

  /** Sends the failed request again. */
  async retry(): Promise<void> {
    if (this.state.name !== 'failed' || this.state.busy) return
    await (this.#failed === this.#loginPath ? this.#login() : this.#load(this.#failed))
  }

  /**
   * Forgets the token, and starts again. The contract has no logout, so the response of the server does not matter: the
   * person is logged out even when there is none.
   */
  async logOut(): Promise<void> {
    if (!this.canOpen || (this.hasChanges && !(await this.#mayLeave()))) return
    if (this.#token !== null) {
      this.#service.send('POST', this.#service.below(LOGOUT), { token: this.#token })
    }
    await this.#forget('logged_out', 'info')
    await this.#begin()
  }

  /** Ends all retries, and ignores the responses that are still to come. The token is kept. */
  stop(): void {
    this.#stoppedAt = ++this.#turn
    clearTimeout(this.#timer)
  }

  async #leaveFor(url: string, showing?: Showing): Promise<void> {
    if (!this.canOpen || (this.hasChanges && !(await this.#mayLeave()))) return
    this.#goal = null
    await this.#load(url, showing)
  }

  async #begin(url = this.menuPath): Promise<void> {
    this.#show({ name: 'starting' })
    await this.#load(url, { replaces: true })
  }

  async #load(url: string, showing: Showing = {}): Promise<void> {
    const result = await this.#send('GET', url)
    if (result === null) return
    const screen = screenOf(result)
    const goal = this.#goal
    // A 401 comes here on the login form only, where the message of its button says more.
    const message = (result.status === 401 && showing.message) || error(this.#say(result.text))
    if (screen === null && 'screen' in this.state) this.#tell(message)
    else if (screen === null) this.#showFailure(result, url)
    else if (goal === null) this.#showScreen(result, screen, url, showing)
    else {
      // The menu is shown only if the goal cannot be: nobody wants to see it for a moment.
      this.#goal = null
      this.#displayName = screen.displayName
      const reached = await this.#send('GET', goal)
      if (reached === null) return
      const wanted = screenOf(reached)
      if (wanted !== null) this.#showScreen(reached, wanted, goal)
      else this.#showScreen(result, screen, url, { message: error(this.#say(reached.text)) })
    }
  }

  /** Fetches the login form (contract 4 rule 2). What was typed is lost (contract 5.8). */
  async #login(): Promise<void> {
    this.#clearDraft()
    this.#goal = null
    this.#showBusy()
    const turn = ++this.#turn
    const result = await this.#service.send('GET', this.#loginPath)
    if (turn !== this.#turn) return
    const screen = screenOf(result)
    // A server that sees no need for a login leads to another screen.
    const isElsewhere = result.location !== null && result.location !== this.#loginPath
    if (screen?.authAction || (screen !== null && isElsewhere)) this.#showScreen(result, screen, this.#loginPath)
    else this.#showFailure(result, this.#loginPath)
  }

  /**
   * Sends a request with the token. Returns null when there is nothing left to do: a newer request was sent, or the
   * response was a 401, after which the login form is shown. On a login form, a 401 ends only a session that there is,
   * and not if it is about what was entered.
   */
  async #send(method: 'GET' | 'POST', url: string, body?: object): Promise<Result | null> {
    this.#showBusy()
    const turn = ++this.#turn
    const token = this.#token
    const result = await this.#service.send(method, url, { token, ...(body && { body }) })
    const isAtLogin = this.state.name === 'login' && (token === null || readAuthResponse(result.body) !== null)
    if (result.status !== 401 || isAtLogin) return turn === this.#turn ? result : null
    // A 401 for an older token does not concern the token of a new login.
    if (token === this.#token && turn > this.#stoppedAt) {
      if (token !== null) await this.#forget('session_ended', 'error')
      await this.#login()
    }
    return null
  }

  /** Forgets the token, and what was typed. The notice is for the login form. */
  async #forget(notice: TextKey, kind: Message['kind']): Promise<void> {
    this.#become(null)
    this.#notice = { kind, text: this.#say(notice) }
    await attempt(() => this.#options.tokens.clear())
  }

  /** What was known of another person goes. */
  #become(token: string | null): void {
    this.#token = token
    this.#displayName = ''
    this.#clearDraft()
  }

  #showScreen(result: Result, screen: Screen, url: string, showing: Showing = {}): void {
    const { replaces = false, message = null, keeps = false, isNew = false } = showing
    const { language } = result
    this.#failures = 0
    this.#strings = screen.strings
    if (this.hasChanges && !keeps) this.#clearDraft()
    // The name stays visible on screens for which the server does not send it.
    this.#displayName = screen.displayName || this.#displayName
    const asked = this.pathOf(url) as string
    const path = result.location ?? asked
    const shown = {
      screen: { ...screen, actions: actionsOf(screen, isNew), displayName: this.#displayName },
      language,
      path,
      busy: false
    }
    if (screen.authAction !== '') {
      const notice = this.#notice ?? this.#statusOf(screen) ?? message
      this.#notice = null
      this.#show({ ...shown, name: 'login', values: initialValues(screen), message: notice })
      return
    }
    // The form of a new record leads to the record, once it is there.
    const draft = this.#draft && [asked, path].includes(this.#draft.path) ? this.#draft.fields : []
    const { values, meanwhile } = restore(draft, screen)
    const restored = meanwhile
      ? error(`${this.#say('changed_meanwhile')} ${meanwhile}`)
      : changedFields(screen, values).length > 0
        ? info(this.#say('restored'))
        : this.#statusOf(screen)
    this.#show({ ...shown, name: 'screen', values, message: restored ?? message, replaces })
  }

  #showFailure(result: Result, url: string): void {
    this.#failed = url
    this.#failures += 1
    // Spread, so that not all clients come back in the same second.
    const wait = Math.max(result.retryAfter, Math.min(2 ** this.#failures, LONGEST_WAIT)) * (1 + Math.random() / 2)
    this.#show({
      name: 'failed',
      message: error(this.#say(result.text)),
      path: this.pathOf(url),
      isOffline: result.kind === 'offline',
      retryAt: isTemporary(result) ? Date.now() + wait * 1000 : null,
      busy: false
    })
  }

  /** Shows that a request is running. */
  #showBusy(): void {
    if ('screen' in this.state) this.#show({ ...this.state, message: null, busy: true })
    if (this.state.name === 'failed') this.#show({ ...this.state, retryAt: null, busy: true })
  }

  /** Shows a message on the screen that stays. */
  #tell(message: Message): void {
    if ('screen' in this.state) this.#show({ ...this.state, message, busy: false })
  }

  #show(state: State): void {
    clearTimeout(this.#timer)
    if (state.name === 'failed' && state.retryAt !== null) {
      this.#timer = setTimeout(() => this.retry(), state.retryAt - Date.now())
    }
    this.state = state
    this.#options.onState(state)
  }

  #enterAll(values: Record<string, string>): void {
    const { state } = this
    const entries = Object.entries(values)
    if (!('screen' in state) || state.busy || entries.length === 0) return
    this.#show({ ...state, values: new Map([...state.values, ...entries]) })
    this.#keepDraft()
  }

  #mayLeave(): Promise<boolean> {
    return this.#ask('unsaved', this.#say('ask_unsaved'), this.#say('leave'))
  }

  /** False, too, when the view cannot ask, and when something else is shown meanwhile. */
  async #ask(about: Question['about'], text: string, label: string): Promise<boolean> {
    const { confirm = () => true } = this.#options
    const before = this.state
    return (await attempt(() => confirm({ about, text, label }))) === true && this.state === before
  }

  /** The message that came with a screen. */
  #statusOf({ status }: Screen): Message | null {
    if (ERROR.test(status)) return error(status.replace(ERROR, '') || this.#say('refused'))
    return status === '' ? null : info(status)
  }

  #say(key: TextKey): string {
    return this.#strings.get(key) || TEXTS[key]
  }

  #keepDraft(): void {
    const { state } = this
    if (state.name !== 'screen') return
    this.#draft = draftOf(state.path, state.screen, state.values)
    if (this.#draft) attempt(() => this.#options.drafts?.write(JSON.stringify(this.#draft)))
    else this.#clearDraft()
  }

  #clearDraft(): void {
    this.#draft = null
    attempt(() => this.#options.drafts?.clear())
  }
}

/**
 * The URLs for a Card. One that has both `save` and `create` is for a new record: it is created when the person came to
 * it from the List, and saved when they came from elsewhere, a menu for example.
 */
function actionsOf({ actions }: Screen, isNew: boolean): Screen['actions'] {
  if (isNew && actions.create !== '') return { ...actions, save: '' }
  return actions.save === '' ? actions : { ...actions, create: '' }
}

/** Null when a response has no screen. The body of anything but a 2xx does not count. */
function screenOf({ kind, body }: Result): Screen | null {
  return kind === 'ok' ? readScreen(body) : null
}

/** Calls what the view has given; null when that throws or rejects. */
async function attempt<Value>(call: () => Value | Promise<Value>): Promise<Value | null> {
  try {
    return await call()
  } catch {
    return null
  }
}

function error(text: string): Message {
  return { kind: 'error', text }
}

function info(text: string): Message {
  return { kind: 'info', text }
}
