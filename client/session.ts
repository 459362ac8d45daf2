import { firstModel, type ScreenRequest, stateOf, textOf } from './model.ts'
import type { PersonLocale } from './numbers.ts'
import { sameScreen } from './requests.ts'
import { createRunner, type Handle, type Host } from './runner.ts'
import type { Action, Menu, ScreenAction } from './screen.ts'
import { createService, type Fetch } from './service.ts'
import type { Message, State } from './state.ts'

/** The options of a {@link Session}. */
export interface SessionOptions extends Host {
  /** The base URL of the service, with its prefix if it has one. */
  baseUrl: string
  /**
   * The language of the person, for example `navigator.languages`: in the values of inputs, numbers are in its format.
   * Default: the language of the platform.
   */
  locale?: PersonLocale
  /** Default: the platform's `fetch`. */
  fetch?: Fetch
}

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
  state: State
  /** The server's texts by key: the `ui_strings` of the last screen. The view supplies missing texts. */
  strings: ReadonlyMap<string, string> = new Map()
  /** The main menu of the user, also while another screen is shown; null before the login. */
  menu: Menu | null = null
  /** The path of the main menu. */
  readonly menuPath: string
  /** Returns a URL of a screen as path and query; null if it belongs to another server. */
  readonly pathOf: (url: string) => string | null
  /**
   * Calls a listener with the state, at once and after each change. If a listener throws, the error becomes an
   * unhandled rejection. The session and the other listeners continue.
   *
   * @returns a function that ends the subscription
   */
  readonly subscribe: (listener: (state: State) => void) => () => void
  /** Ends all retries, and ignores the responses to running requests. Keeps the token. */
  readonly stop: () => void
  /** @internal A function and no method, because private members do not survive a `Proxy`, for example that of Vue. */
  readonly handle: Handle

  /** @throws TypeError if the base URL is invalid */
  constructor(options: SessionOptions) {
    const { baseUrl, locale, fetch = (url, init) => globalThis.fetch(url, init) } = options
    const service = createService(baseUrl, fetch, locale)
    const model = firstModel(service.site)
    const listeners = new Set<() => unknown>()
    this.menuPath = model.site.menuPath
    this.pathOf = model.site.pathOf
    this.state = stateOf(model)
    const { handle, stop } = createRunner(options, service, model, () => {
      for (const call of listeners) call()
    })
    this.handle = handle
    this.stop = stop
    this.subscribe = listener => {
      const call = async () => listener(this.state)
      listeners.add(call)
      call()
      return () => {
        listeners.delete(call)
      }
    }
  }

  /**
   * Requests the main menu first (contract 4 rule 1), and shows the login form if necessary. Then shows the screen of
   * the URL. Without a URL, shows the menu.
   */
  start(url?: string): Promise<void> {
    return this.handle({ type: 'start', url }, this)
  }

  /** Sets the value of a field of the login form or of a Card. Does nothing while the state is `busy`. */
  enter(id: string, value: string): void {
    this.handle({ type: 'enter', values: { [id]: value } }, this)
  }

  /** Submits the login form to its `auth_action` (contract 4 rules 3 to 5). */
  submit(values: Record<string, string> = {}): Promise<void> {
    this.handle({ type: 'enter', values }, this)
    return this.handle({ type: 'submit' }, this)
  }

  /** Fetches and shows a screen. Asks first if there are unsaved changes. */
  open(url: string): Promise<void> {
    return open(this, { url })
  }

  /** Shows the rows of the list in which the server finds a text; all rows for an empty text. */
  async search(text: string): Promise<void> {
    const { state } = this
    if (state.name !== 'screen' || !state.screen.list) return
    const query = text && `?query=${encodeURIComponent(text.toWellFormed())}`
    await open(this, { url: state.path.replace(/\?.*/, '') + query, replaces: true })
  }

  /** Fetches the shown screen again, for example after a conflict. Keeps unsaved changes. */
  async reload(): Promise<void> {
    if (this.state.name === 'screen') await open(this, { ...sameScreen(this.state), keeps: true })
  }

  /** Fetches and shows the Card for a new record, from a List or the Card of another record. */
  async create(): Promise<void> {
    const { state } = this
    const url = state.name === 'screen' && state.screen.createUrl
    if (url) await open(this, { url, isNew: true })
  }

  /** Follows a menu item. The view must handle `open_url` and `popup`. */
  async follow({ type, url, text }: Action): Promise<void> {
    if (type === 'open_screen' || type === 'open_menu') return this.open(url)
    if (this.state.name !== 'screen') return
    const unknown = `${textOf(this, 'unknown_action')} ${type}`
    const message: Message = type === 'message' ? { kind: 'info', text } : { kind: 'error', text: unknown }
    await this.handle({ type: 'tell', message }, this)
  }

  /**
   * Saves a Card: posts the changes as a SaveChangeset to the URL of the action. Shows the screen of the response. If
   * the `status` of that screen begins with `Error:`, the shown Card and its values stay. Asks before a delete.
   *
   * @param action default: `save`, or `create` if the Card has no `save`
   */
  save(action?: 'save' | 'create' | 'delete', values: Record<string, string> = {}): Promise<void> {
    this.handle({ type: 'enter', values }, this)
    return this.handle({ type: 'save', action }, this)
  }

  /**
   * Presses a button of a screen. A `modal` button sends the given fields. A button of the login form also sends the
   * values of that form. A `confirm` button asks first. If the response leads nowhere, fetches the screen again.
   */
  act(action: ScreenAction, fields: Record<string, string> = {}): Promise<void> {
    return this.handle({ type: 'act', action, fields }, this)
  }

  /**
   * Repeats the last request for a screen in the state `failed`, or the last request if the message has
   * `help: 'retry'`. The session itself does so when the network is back.
   */
  retry(): Promise<void> {
    return this.handle({ type: 'retry' }, this)
  }

  /** Stops waiting for a screen or for the response to a login request. Does not cancel a save. */
  cancel(): void {
    this.handle({ type: 'cancel' }, this)
  }

  /** Removes the message of a screen. */
  dismiss(): void {
    this.handle({ type: 'tell', message: null }, this)
  }

  /**
   * Drops the token, and starts again. Sends a logout request for a server that can revoke sessions, and ignores the
   * response, because the contract has no logout. Asks first if there are unsaved changes.
   */
  logOut(): Promise<void> {
    return this.handle({ type: 'logOut' }, this)
  }
}

function open(session: Session, wanted: ScreenRequest): Promise<void> {
  return session.handle({ type: 'open', wanted }, session)
}
