import {
  canSave,
  changedFields,
  changesOf,
  type Draft,
  draftOf,
  fieldNamedBy,
  initialValues,
  isOtherVersion,
  otherThan,
  passwordsOf,
  readDraft,
  restore,
  typedUser
} from './form.ts'
import {
  type Action,
  fieldsOf,
  readActionResponse,
  readAuthResponse,
  readScreen,
  readStrings,
  type Screen,
  type ScreenAction
} from './screen.ts'
import { type Fetch, isSendable, isTemporary, type Result, Service } from './service.ts'
import type { Failed, Given, Login, Message, Question, Shown, State, WithScreen } from './state.ts'
import { attempt, type Store } from './stores.ts'
import { TEXTS, type TextKey } from './texts.ts'

/** What a {@link Session} needs. */
export interface SessionOptions {
  /** The base URL of the service, with its prefix if it has one. */
  baseUrl: string
  /** Keeps the token. One store for each base URL: a token must not go to another server. Default: in memory. */
  tokens?: Store
  /** Keeps what is typed and not saved, and whose it is, so that it survives a reload. Default: in memory. */
  drafts?: Store
  /** Keeps the texts of the server, so that they are there at the next start before it has sent any. Default: nothing. */
  strings?: Store
  /** Asks the person before changes go, before a delete, and before a button that wants it. Default: yes to all. */
  confirm?: (question: Question) => boolean | Promise<boolean>
  /** Default: that of the platform. */
  fetch?: Fetch
}

/** What to do with the screen of a response. */
interface Showing {
  /** What was requested. */
  url: string
  replaces?: boolean
  /** Shown with the screen, when that has no message of its own, which is then of the same kind. */
  message?: Message
  /** Whether what was typed is put into the new screen. */
  keeps?: boolean
  /** Whether it is the Card for a new record. */
  isNew?: boolean
  /** Whether it is the first after the start or a login: then the goal follows, and a failure is a state of its own. */
  isFirst?: boolean
}

/** Not in the contract (4): a server that can end sessions may have it. */
const LOGOUT = 'auth/logout'

/** The longest time between two tries, in seconds, before it is spread. */
const LONGEST_WAIT = 60

/** A server that names a longer time is asked after this time all the same. In seconds. */
const MAX_RETRY_AFTER = 300

/** A login that is locked for longer looks so for a day. In seconds. */
const LONGEST_LOCK = 86_400

/** At the start of a `status`: the screen was not saved. */
const ERROR = /^Error:\s*/

/**
 * A client of a screen service, without a user interface: which requests to send, when, and what to show. A view draws
 * each state that it gets, and calls the methods. None of them throws or rejects; what fails is in the state.
 *
 * @example
 * const session = new Session({ baseUrl: 'http://127.0.0.1:3000' })
 * session.subscribe(state => console.log(state.name))
 * await session.start()                                                    // starting, login
 * await session.submit({ username: 'demo', password: 'demo-password' })    // login (busy), screen
 */
export class Session {
  /** What is shown. */
  state!: State
  /** The client's own texts in the words of the last screen, by key (`ui_strings`). What is missing is up to the view. */
  strings: ReadonlyMap<string, string> = new Map()
  /** The language of these texts, for example `de`; empty when the server does not say. */
  language = ''

  readonly #service: Service
  readonly #options: SessionOptions
  readonly #listeners = new Set<() => unknown>()
  #unwatch: (() => void) | undefined
  #token: string | null = null
  #displayName = ''
  /** Who the user is as far as known without a display name: what was typed at the login. */
  #typed = ''
  /** What was stored of the texts. */
  #words = ''
  #draft: Draft | null = null
  /** For the login form that comes next. */
  #notice: Message | null = null
  /** Counts the requests: only the response to the last one is still wanted. */
  #turn = 0
  /** No response to this request or one before it is wanted, not even a 401. */
  #stoppedAt = 0
  /** The screen to open after the menu. */
  #goal: string | null = null
  /** The user that the goal is for; null for any, empty for none. */
  #owner: string | null = null
  /** The last screen that was requested: what `retry()` requests again. */
  #wanted: Showing | null = null
  /** How often in a row no screen came. */
  #failures = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  /** @throws TypeError when the base URL cannot be used */
  constructor(options: SessionOptions) {
    const { baseUrl, fetch = (url, init) => globalThis.fetch(url, init) } = options
    this.#service = new Service(baseUrl, fetch)
    this.#options = options
    this.#showStart()
  }

  /** The path of the main menu. */
  get menuPath(): string {
    return this.#service.below('menu/main')
  }

  get #loginPath(): string {
    return this.#service.below('auth/login')
  }

  /** Who is logged in, as far as it is known. */
  get #user(): string {
    return this.#displayName || this.#typed
  }

  /** A URL of a screen as path and query; null when it belongs to another server. */
  pathOf(url: string): string | null {
    return this.#service.pathOf(url)
  }

  /**
   * Calls a listener with the state, at once and after each change. An error of a listener is an unhandled rejection: it
   * is seen, and stops neither the session nor another listener.
   *
   * @returns a function that ends it
   */
  readonly subscribe = (listener: (state: State) => void): (() => void) => {
    const call = async () => listener(this.state)
    this.#listeners.add(call)
    call()
    return () => {
      this.#listeners.delete(call)
    }
  }

  /** Opens the main menu (contract 4 rule 1), and then another screen if one is given: after the login, if there is one. */
  async start(url?: string): Promise<void> {
    const { tokens, drafts, strings } = this.#options
    const turn = ++this.#turn
    this.#goal = !url || this.pathOf(url) === this.menuPath ? null : url
    this.#owner = null
    const stores = [tokens, drafts, strings].map(store => attempt(() => store?.read()))
    const [token, stored, words] = await Promise.all(stores)
    if (turn !== this.#turn) return
    this.#unwatch?.()
    attempt(() => {
      this.#unwatch = tokens?.watch?.(text => this.#hear(text))
    })
    if (tokens) this.#token = isSendable(token) ? token : null
    const draft = readDraft(stored)
    this.#draft = draft
    this.#typed = (this.#token && draft?.user) || ''
    this.#readWords(words)
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
    const token = response?.token
    if (!isSendable(token)) return this.#reject(result, before)
    const first = { url: response?.redirect || this.menuPath, replaces: true, isFirst: true }
    this.#wanted = first
    this.#become(token, typedUser(screen, before.values))
    await attempt(() => this.#options.tokens?.write(token))
    if (turn !== this.#turn) return
    await (response?.screen ? this.#receive(result, response.screen, first) : this.#load(first))
  }

  /** Fetches and shows a screen. Asks first when there are unsaved changes. */
  async open(url: string): Promise<void> {
    await this.#open({ url })
  }

  /** Shows the rows of the list in which the server finds a text; all of them when it is empty. */
  async search(text: string): Promise<void> {
    const { state } = this
    if (state.name !== 'screen' || !state.screen.list) return
    const query = text && `?query=${encodeURIComponent(text.toWellFormed())}`
    await this.#open({ url: state.path.replace(/\?.*/, '') + query, replaces: true })
  }

  /** Fetches the shown screen again, and keeps what was typed: after a conflict, for example. */
  async reload(): Promise<void> {
    if (this.state.name !== 'screen') return
    const { path, screen } = this.state
    await this.#open({ url: path, replaces: true, keeps: true, isNew: screen.actions.create !== '' })
  }

  /** Fetches and shows the Card for a new record, from a List or the Card of another. */
  async create(): Promise<void> {
    const { state } = this
    const url = state.name === 'screen' && state.screen.createUrl
    if (url) await this.#open({ url, isNew: true })
  }

  /** Follows a menu item. The view itself handles `open_url` and `popup`. */
  async follow({ type, url, text }: Action): Promise<void> {
    if (type === 'open_screen' || type === 'open_menu') await this.open(url)
    else if (this.state.name === 'screen') {
      const isKnown = type === 'message'
      this.#change({ message: isKnown ? say('info', text) : say('error', `${this.#text('unknown_action')} ${type}`) })
    }
  }

  /**
   * Saves a Card: posts a SaveChangeset with what was changed to the URL of the action, and shows the screen of the
   * response. When that says `Error:`, the shown screen stays, with what was typed. Asks before a delete.
   *
   * @param action by default `save`, or `create` where the Card can only be created
   */
  async save(action?: 'save' | 'create' | 'delete', values: Record<string, string> = {}): Promise<void> {
    this.#enterAll(values)
    const before = this.state
    if (before.name !== 'screen' || before.busy) return
    const { screen, path } = before
    const deed = action ?? (screen.actions.save ? 'save' : 'create')
    const url = screen.actions[deed]
    if (url === '') return
    const isDelete = deed === 'delete'
    if (deed === 'save' && !before.hasChanges) return this.#tell(say('info', this.#text('no_changes')))
    const text = this.#text('ask_delete').replace('{0}', () => screen.title)
    if (isDelete && !(await this.#ask('delete', text, this.#text('cannot_be_undone'), this.#text('delete')))) return
    if (!this.#isStill(before)) return

    const changes = isDelete ? {} : changesOf(screen, before.values, deed === 'create')
    const body = { screen_id: screen.screenId, record_id: screen.recordId, changes, action: deed }
    const result = await this.#send('POST', url, body)
    if (result === null) return
    const saved = screenOf(result)
    const message = saved && this.#statusOf(saved)
    if (saved !== null && message?.kind !== 'error') {
      return this.#receive(result, saved, { url: path, replaces: true, message: say('success', this.#text('saved')) })
    }
    const refusal = message?.text ?? this.#text(result.text === 'unreachable' ? 'maybe_saved' : result.text)
    const isOld = saved ? isOtherVersion(saved, screen, before.values) : result.text === 'conflict'
    this.#refuse(refusal, isOld && deed !== 'create' && 'reload')
  }

  /**
   * Presses a button of a screen, with the fields of its form if it is a `modal`. One of the login form sends what was
   * typed there, too. Asks first if it is a `confirm`.
   */
  async act(action: ScreenAction, fields: Record<string, string> = {}): Promise<void> {
    const before = this.state
    if (!('screen' in before) || before.busy) return
    const { id, kind, label, confirmMessage, endpoint } = action
    if (before.hasChanges && !(await this.#mayLeave())) return
    if (kind === 'confirm' && !(await this.#ask('action', confirmMessage || label, '', label))) return
    if (!this.#isStill(before)) return

    const { title, recordId } = before.screen
    const result = await this.#send('POST', endpoint, {
      action_id: id,
      record_id: recordId,
      screen_title: title,
      fields: before.name === 'login' ? { ...Object.fromEntries(before.values), ...fields } : fields
    })
    if (result === null) return
    const response = result.ok ? readActionResponse(result.body) : null
    if (response === null) return this.#refuse(this.#text(result.text))
    const { message, screen, url, replaces } = response
    if (!response.success) return this.#refuse(response.error || message || this.#text('refused'))
    const done = say('success', message || this.#text('done'))
    if (screen !== null) await this.#receive(result, screen, { url: before.path, replaces: true, message: done })
    else if (url !== '') await this.#load({ url, replaces, message: say('success', message) })
    else this.#tell(done)
  }

  /** Sends the request again after which a message or a state says that this may help. */
  async retry(): Promise<void> {
    const { name, message, busy } = this.state
    if (busy || (name !== 'failed' && message?.help !== 'retry') || this.#wanted === null) return
    await this.#open(this.#wanted)
  }

  /** Does not wait any longer for a screen, or for the check of a login; a save on its way is waited for. */
  cancel(): void {
    const { state } = this
    const wanted = this.#wanted
    if (!(state.busy === 'loading' ? wanted : state.busy && state.name === 'login')) return
    this.#turn += 1
    if ('screen' in state && !wanted?.isFirst) this.#change({ message: null, busy: null })
    else this.#fail(say('info', this.#text('cancelled')))
  }

  /** Takes the message of a screen away. */
  dismiss(): void {
    const { state } = this
    if ('screen' in state && state.message) this.#change({ message: null })
  }

  /**
   * Forgets the token, and starts again. The contract has no logout, so the response of the server does not matter: the
   * person is logged out even when there is none.
   */
  async logOut(): Promise<void> {
    if (!this.state.canOpen || (this.state.hasChanges && !(await this.#mayLeave()))) return
    if (this.#token !== null) {
      this.#service.send('POST', this.#service.below(LOGOUT), { token: this.#token })
    }
    this.#goal = null
    await this.#forget(say('success', this.#text('logged_out')))
    await this.#begin()
  }

  /** Ends all retries, and ignores the responses that are still to come. The token is kept. */
  stop(): void {
    this.#stoppedAt = ++this.#turn
    clearTimeout(this.#timer)
    this.#unwatch?.()
  }

  async #begin(): Promise<void> {
    if (this.state.name !== 'starting') this.#showStart()
    await this.#load({ url: this.menuPath, replaces: true, isFirst: true })
  }

  /** Opens a screen that the person wants, and asks before changes go. */
  async #open(showing: Showing): Promise<void> {
    const { name, canOpen, hasChanges, busy } = this.state
    // What became of a save must be told.
    if (name === 'screen' && busy === 'saving') return
    if (!canOpen || (hasChanges && !showing.keeps && !(await this.#mayLeave()))) return
    if (!showing.isFirst) this.#goal = null
    await this.#load(showing)
  }

  async #load(showing: Showing): Promise<void> {
    const { url, isFirst, message } = showing
    this.#wanted = showing
    const result = await this.#send('GET', url)
    if (result === null) return
    const screen = screenOf(result)
    // A server that sees no need for a login leads to another screen.
    const isElsewhere = result.location !== null && result.location !== this.#loginPath
    if (screen && (url !== this.#loginPath || screen.authAction || isElsewhere)) {
      return this.#receive(result, screen, showing)
    }
    const text = this.#text(result.text)
    if (isFirst || !('screen' in this.state)) this.#fail(say('error', text), result)
    // A 401 comes here on the login form only, where the message of its button says more.
    else if (result.status === 401 && message?.text) this.#tell(message)
    else this.#refuse(text, this.state.canOpen && !['foreign', 'not_found'].includes(result.text) && 'retry')
  }

  /**
   * Sends a request with the token. Returns null when there is nothing left to do: a newer request was sent, or the
   * response was a 401, after which the login form is shown. On a login form, a 401 ends only a session that there is,
   * and not if it is about what was entered.
   */
  async #send(method: 'GET' | 'POST', url: string, body?: object): Promise<Result | null> {
    const { state } = this
    const isForm = url === this.#loginPath && !body
    if (body) this.#wanted = null
    const busy = body ? 'saving' : 'loading'
    if ('screen' in state) this.#change({ busy, message: null })
    else if (state.name === 'failed') this.#change({ busy, retryAt: null })
    const turn = ++this.#turn
    const token = isForm ? null : this.#token
    const result = await this.#service.send(method, url, { token, ...(body && { body }) })
    const isAtLogin =
      this.state.name === 'login' && (token === null || (body && readAuthResponse(result.body) !== null))
    if (result.status !== 401 || isForm || isAtLogin) return turn === this.#turn ? result : null
    // A 401 for an older token does not concern the token of a new login; without a token, only the last one counts.
    if (token === this.#token && turn > (token === null ? this.#turn - 1 : this.#stoppedAt)) {
      if (token !== null) await this.#end()
      // Contract 4 rule 2. What was typed is lost (contract 5.8).
      this.#keep()
      await this.#load({ url: this.#loginPath, isFirst: true })
    }
    return null
  }

  /** What another client has done with the token. */
  async #hear(text: string | null): Promise<void> {
    if (text === null && this.#token !== null) await this.#end()
    else if (isSendable(text) && this.#token === null && this.state.name !== 'screen') this.#become(text)
    else return
    await this.#begin()
  }

  /** The session has ended while the person was somewhere, to which the next login of the same person leads back. */
  async #end(): Promise<void> {
    const { state } = this
    const url = state.busy === 'loading' ? this.#wanted?.url : 'path' in state && state.path
    if (url && this.pathOf(url) !== this.menuPath) this.#goal = url
    await this.#forget(say('info', this.#text('session_ended')))
  }

  /** Forgets the token, and what was typed. The notice is for the login form. */
  async #forget(notice: Message): Promise<void> {
    // A start that is reading the token now must not bring it back.
    this.#turn += 1
    this.#become(null)
    this.#notice = notice
    await attempt(() => this.#options.tokens?.clear())
  }

  /** What was known of another person goes. */
  #become(token: string | null, typed = ''): void {
    if (this.#token !== null) this.#owner = this.#user
    this.#token = token
    this.#displayName = ''
    this.#typed = typed
    this.#keep()
    this.#change({})
  }

  /** Takes from a screen what lasts longer than it, and shows it, or the goal in its place. */
  async #receive(result: Result, screen: Screen, showing: Showing): Promise<void> {
    this.#failures = 0
    this.#keepWords(screen, result.language)
    const typed = this.#typed
    this.#displayName = screen.displayName || this.#displayName
    if (showing.isFirst && !screen.authAction) {
      const user = this.#user
      this.#keep(typed && typed !== user ? null : this.#draft)
      const goal = this.#owner === null || (user && user === this.#owner) ? this.#goal : null
      this.#goal = null
      this.#owner = null
      if (goal !== null) return this.#load({ url: goal, replaces: true, isFirst: true })
    }
    if (this.state.hasChanges && !showing.keeps) this.#keep()
    this.#showScreen(result, screen, showing)
  }

  #showScreen(result: Result, screen: Screen, showing: Showing): void {
    const { url, replaces = false, message, isNew } = showing
    const asked = this.pathOf(url) as string
    const path = result.location ?? asked
    const shown = {
      screen: { ...screen, actions: actionsOf(screen, isNew) },
      language: result.language,
      path,
      busy: null
    }
    const said = this.#statusOf(screen, message?.kind) ?? (message?.text ? message : null)
    if (screen.authAction !== '') {
      const notice = this.#notice ?? said
      this.#notice = null
      this.#show({ ...shown, name: 'login', values: initialValues(screen), message: notice, retryAt: null })
      return
    }
    // The form of a new record leads to the record, once it is there.
    const draft = this.#draft && [asked, path].includes(this.#draft.path) ? this.#draft : null
    const { labels, ...form } = restore(draft, screen)
    const restored =
      labels.length > 0
        ? say('info', `${this.#text('changed_meanwhile')} ${labels.join(', ')}`)
        : changedFields(screen, form.values).length > 0 && say('info', this.#text('restored'))
    this.#show({ ...shown, ...form, name: 'screen', message: restored || said, replaces })
  }

  /** The login form stays. */
  #reject(result: Result, { screen, values }: Login): void {
    const { body, status, retryAfter } = result
    const response = readAuthResponse(body)
    // Any other status says nothing about the credentials, which then need not be entered again.
    const isJudged = result.ok || status === 403
    const isRejected = status === 401 || (response?.token === null && isJudged)
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

  /** There is no screen to show. */
  #fail(message: Message, result?: Result): void {
    this.#failures += 1
    const least = Math.min(result?.retryAfter ?? 0, MAX_RETRY_AFTER)
    // Spread, so that not all clients come back in the same second.
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

  /** Shows a message on the screen that stays. */
  #tell(message: Message): void {
    this.#change({ message, busy: null })
  }

  #refuse(text: string, help?: Message['help'] | false): void {
    // What helps is told with the message, which then is about more than the field.
    const { screen } = this.state as WithScreen
    const field = !help && canSave(screen) && fieldNamedBy(text, fieldsOf(screen))
    this.#tell({ kind: 'error', text, ...(field && { field }), ...(help && { help }) })
  }

  /** Shows the state with other properties. */
  #change(properties: Partial<Login | Shown | Failed>): void {
    this.#show({ ...this.state, ...properties } as State)
  }

  #show(state: Given): void {
    clearTimeout(this.#timer)
    if ('retryAt' in state && state.retryAt !== null) {
      const isLogin = state.name === 'login'
      const end = () => (isLogin ? this.#change({ retryAt: null, message: null }) : this.retry())
      this.#timer = setTimeout(end, state.retryAt - Date.now())
      // Nothing is requested then, so Node need not wait for it.
      if (isLogin) (this.#timer as { unref?(): void }).unref?.()
    }
    const { name } = state
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

  #enterAll(values: Record<string, string>): void {
    const { state } = this
    const entries = Object.entries(values)
    if (!('screen' in state) || state.busy || entries.length === 0) return
    const { screen, path } = state
    const entered = new Map([...state.values, ...entries])
    const isLocked = state.name === 'login' && state.retryAt !== null
    // Another user is not locked out.
    const isOther = isLocked && typedUser(screen, state.values) !== typedUser(screen, entered)
    const theirs = state.name === 'screen' && otherThan(entered, state.theirs)
    const isSolved = theirs && state.theirs.size > 0 && theirs.size === 0
    const isAbout = !isLocked && Object.hasOwn(values, state.message?.field ?? '')
    this.#change({
      values: entered,
      ...(theirs && { theirs }),
      ...(isOther && { retryAt: null }),
      ...((isOther || isSolved || isAbout) && { message: null })
    })
    if (state.name === 'screen') this.#keep(draftOf(path, screen, entered))
  }

  #mayLeave(): Promise<boolean> {
    return this.#ask('unsaved', this.#text('ask_unsaved'), this.#text('changes_lost'), this.#text('leave'))
  }

  /** False, too, when the view cannot ask, and when something else is shown meanwhile. */
  async #ask(about: Question['about'], text: string, details: string, label: string): Promise<boolean> {
    const { confirm = () => true } = this.#options
    const before = this.state
    return (await attempt(() => confirm({ about, text, details, label }))) === true && this.#isStill(before)
  }

  /** Whether the same is shown; a message may have gone meanwhile. */
  #isStill(before: State): boolean {
    const { screen, values, busy } = this.state as Shown
    const asked = before as Shown
    return screen === asked.screen && values === asked.values && busy === asked.busy
  }

  /** The message that came with a screen. */
  #statusOf({ status }: Screen, kind: Message['kind'] = 'info'): Message | null {
    if (ERROR.test(status)) return say('error', status.replace(ERROR, '') || this.#text('refused'))
    return status === '' ? null : { kind, text: status }
  }

  #text(key: TextKey): string {
    return this.strings.get(key) || TEXTS[key]
  }

  /** Whatever was stored, it is no reason not to start. */
  #readWords(stored: string | null | undefined): void {
    this.#words = stored ?? ''
    try {
      const { language, strings } = JSON.parse(stored as string)
      this.language = `${language ?? ''}`
      this.strings = readStrings(strings)
    } catch {}
  }

  #keepWords({ strings }: Screen, language: string): void {
    this.strings = strings
    if (language || strings.size > 0) this.language = language
    const words = strings.size > 0 ? JSON.stringify({ language, strings: Object.fromEntries(strings) }) : ''
    const store = this.#options.strings
    if (words !== this.#words) attempt(() => (words ? store?.write(words) : store?.clear()))
    this.#words = words
  }

  /** Keeps what was typed, and whose it is. */
  #keep(draft: Draft | null = null): void {
    this.#draft = draft
    const { drafts } = this.#options
    const user = this.#user
    const kept = JSON.stringify({ path: '', fields: [], ...draft, user })
    attempt(() => (user || draft ? drafts?.write(kept) : drafts?.clear()))
  }
}

/**
 * The URLs for a Card. One that has both `save` and `create` is for a new record: it is created when the person came to
 * it from the List, and saved when they came from elsewhere, a menu for example.
 */
function actionsOf({ actions }: Screen, isNew = false): Screen['actions'] {
  if (isNew && actions.create !== '') return { ...actions, save: '' }
  return actions.save === '' ? actions : { ...actions, create: '' }
}

/** Null when a response has no screen. The body of anything but a 2xx does not count. */
function screenOf({ ok, body }: Result): Screen | null {
  return ok ? readScreen(body) : null
}

function say(kind: Message['kind'], text: string): Message {
  return { kind, text }
}
