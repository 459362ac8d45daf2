import type { Failed, Field, Item, Login, Message, Screen, ScreenAction, Shown } from 'screen-auth-client'
import { canSave, fieldsOf, isInput, Session, type SessionOptions } from 'screen-auth-client'
import { ask, Cancelled, type Choice, choose, confirm, heading, print, printError } from './prompts.ts'

/** A command that the person can select. */
type Command = Choice<() => unknown>

/** Shows each state of a session as a list of commands, and runs the selected one, until the person quits. */
export class Client {
  readonly #session: Session
  #screen: Screen | null = null
  #message: Message | null = null
  /** Paths of the visited screens, up to the current one. No path occurs twice. */
  readonly #visited: string[] = []
  #hasQuit = false

  constructor(options: Pick<SessionOptions, 'baseUrl' | 'tokens' | 'fetch'>) {
    this.#session = new Session({
      ...options,
      confirm: ({ text, details, label }) => this.#confirm(`${text} ${details}`, label)
    })
  }

  async run(): Promise<void> {
    await this.#session.start()
    while (!this.#hasQuit) await handleCancel(this.#show(), () => this.#quit())
    this.#session.stop()
  }

  async #show(): Promise<void> {
    const { state } = this.#session
    // The session leaves this state without a command.
    if (state.name === 'starting') return new Promise(resolve => setTimeout(resolve, 50))
    if (state.name !== 'failed' && state.screen !== this.#screen) this.#showScreen(state)
    if (state.name === 'screen') this.#recordVisit(state)
    if (state.message !== null && state.message !== this.#message) {
      const show = state.message.kind === 'error' ? printError : print
      show(state.message.text)
    }
    this.#message = state.message
    if (state.name === 'login') {
      const { screen, values } = state
      for (const field of fieldsOf(screen).filter(isInput)) await this.#edit(field, values.get(field.id) ?? field.value)
      if (screen.screenActions.length === 0 && !state.canOpen) return this.#session.submit()
    }
    const command = await choose(this.#text('choose', 'What next?'), this.#commands(state))
    // If the person cancels the command, the loop shows the screen again.
    await handleCancel(command(), () => {})
  }

  #showScreen({ screen, displayName }: Login | Shown): void {
    this.#screen = screen
    heading([screen.title, displayName].filter(text => text !== '').join(' – '))
    for (const field of fieldsOf(screen))
      if (!field.editable && field.type !== 'Separator') print(`${field.label}: ${this.#display(field, field.value)}`)
    if (screen.list) print(screen.list.columns.map(({ label }) => label).join(' | '))
  }

  #commands(state: Login | Shown | Failed): Command[] {
    const session = this.#session
    const back = this.#backPath(state)
    const { help } = state.message ?? {}
    const mayRetry = state.name === 'failed' || help === 'retry'
    return [
      ...(mayRetry ? [{ label: this.#text('try_again', 'Try again'), value: () => session.retry() }] : []),
      ...(help === 'reload' ? [{ label: this.#text('reload', 'Load again'), value: () => session.reload() }] : []),
      ...(state.name === 'failed' ? [] : this.#commandsOn(state)),
      ...(back === null ? [] : [{ label: this.#text('back', 'Back'), value: () => session.open(back) }]),
      ...(state.isLoggedIn ? [{ label: this.#text('logout', 'Log out'), value: () => session.logOut() }] : []),
      { label: this.#text('quit_title', 'Quit'), value: () => this.#quit() }
    ]
  }

  #commandsOn({ screen, values }: Login | Shown): Command[] {
    const session = this.#session
    const { menu, list, actions } = screen
    const editable = canSave(screen) ? fieldsOf(screen).filter(isInput) : []
    const save = actions.create ? ('create' as const) : ('save' as const)
    return [
      ...(screen.authAction ? [{ label: this.#text('log_in', 'Log in'), value: () => session.submit() }] : []),
      ...(menu?.tabs ?? []).flatMap(({ label, items }) => this.#items(items, label)),
      ...(list?.rows ?? []).map(({ values, url }) => ({
        label: values.join(' | '),
        value: () => (url === '' ? undefined : session.open(url))
      })),
      ...(list ? [{ label: this.#text('search', 'Search'), value: () => this.#search() }] : []),
      ...editable.map(field => {
        const value = values.get(field.id) ?? ''
        return {
          label: `${field.label}: ${this.#display(field, value)}`,
          value: () => this.#edit(field, value)
        }
      }),
      ...(editable.length > 0 ? [{ label: this.#text('save', 'Save'), value: () => session.save(save) }] : []),
      ...(screen.createUrl ? [{ label: this.#text('new', 'New'), value: () => session.create() }] : []),
      ...screen.screenActions.map(action => ({ label: action.label, value: () => this.#press(action) })),
      ...(actions.delete ? [{ label: this.#text('delete', 'Delete'), value: () => session.save('delete') }] : [])
    ]
  }

  #items(items: Item[], hint: string): Command[] {
    return items
      .filter(({ action }) => action.type !== 'separator')
      .map(item => ({ label: item.label, hint, value: () => this.#follow(item) }))
  }

  async #follow({ label, action }: Item): Promise<void> {
    const items = this.#items(action.items, label)
    if (action.type === 'popup' && items.length === 0) print(this.#text('empty_menu', 'This menu is empty.'))
    else if (action.type === 'popup') await (await choose(label, items))()
    else if (action.type === 'open_url') print(`${this.#text('open_in_browser', 'Open in a browser:')} ${action.url}`)
    else await this.#session.follow(action)
  }

  async #search(): Promise<void> {
    await this.#session.search(await ask(this.#text('search', 'Search'), 'Text', ''))
  }

  /** Records the current path. If the path was visited before, forgets all paths after it. */
  #recordVisit({ path, replaces }: Shown): void {
    const index = this.#visited.indexOf(path)
    if (index >= 0) this.#visited.length = index
    else if (replaces) this.#visited.pop()
    this.#visited.push(path)
  }

  /** Path that "back" opens; null on the main menu and before the login. */
  #backPath(state: Login | Shown | Failed): string | null {
    const { menuPath } = this.#session
    if (!state.canOpen || state.path === menuPath) return null
    const parent = state.name === 'failed' ? '' : state.screen.parentUrl
    return this.#visited.findLast(path => path !== state.path) ?? (parent || menuPath)
  }

  async #edit(field: Field, value: string): Promise<void> {
    this.#session.enter(field.id, await this.#ask(field, value))
  }

  #ask(field: Field, value: string): Promise<string> {
    const options = this.#optionsOf(field)
    return options.length === 0 ? ask(field.label, field.type, value) : choose(field.label, options, value)
  }

  async #press(action: ScreenAction): Promise<void> {
    const fields: Record<string, string> = {}
    if (action.kind === 'modal')
      for (const field of action.fields) fields[field.id] = await this.#ask(field, field.value)
    await this.#session.act(action, fields)
  }

  #optionsOf({ type, options, trueLabel, falseLabel }: Field): Choice<string>[] {
    if (type !== 'Boolean') return options
    return [
      { label: trueLabel || this.#text('yes', 'Yes'), value: 'true' },
      { label: falseLabel || this.#text('no', 'No'), value: 'false' }
    ]
  }

  /** Text that represents a value. */
  #display(field: Field, value: string): string {
    if (field.type === 'Password') return value.replace(/./gu, '•')
    return this.#optionsOf(field).find(option => option.value === value)?.label ?? value
  }

  async #quit(): Promise<void> {
    const text = this.#text('ask_unsaved', 'Leave without saving?')
    this.#hasQuit = !this.#session.state.hasChanges || (await this.#confirm(text, this.#text('leave', 'Leave')))
  }

  #confirm(text: string, label: string): Promise<boolean> {
    return confirm(text, label, this.#text('cancel', 'Cancel'))
  }

  #text(key: string, english: string): string {
    return this.#session.strings.get(key) || english
  }
}

/** Waits for work, and calls `onCancel` if the person cancels it. */
async function handleCancel(work: unknown, onCancel: () => unknown): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error
    await onCancel()
  }
}
