import {
  type Failed,
  type Field,
  fieldsOf,
  type Item,
  type Login,
  type Message,
  type Screen,
  type ScreenAction,
  type Session,
  type Shown
} from 'screen-auth-client'
import { ask, Cancelled, type Choice, choose, confirm, heading, say, sayError } from './prompts.ts'

/** Shows each state of a session as a list of choices, and does what is chosen, until the person quits. */
export class Client {
  readonly #session: Session
  #screen: Screen | null = null
  #message: Message | null = null
  #visited: string[] = []
  #hasQuit = false

  constructor(session: Session) {
    this.#session = session
  }

  async run(): Promise<void> {
    await this.#session.start()
    while (!this.#hasQuit) await uncancelled(this.#show(), () => this.#quit())
    this.#session.stop()
  }

  async #show(): Promise<void> {
    const { state } = this.#session
    // The session ends this state by itself.
    if (state.name === 'starting') return new Promise(resolve => setTimeout(resolve, 50))
    if (state.name !== 'failed' && state.screen !== this.#screen) this.#showScreen(state.screen)
    if (state.message !== null && state.message !== this.#message) {
      const show = state.message.kind === 'error' ? sayError : say
      show(state.message.text)
    }
    this.#message = state.message
    if (state.name === 'login') await this.#logIn(state)
    else {
      const { act } = await choose(this.#text('choose', 'What next?'), this.#choices(state))
      // What was chosen may be cancelled; then the screen is there again.
      await uncancelled(act(), () => {})
    }
  }

  #showScreen(screen: Screen): void {
    this.#screen = screen
    heading([screen.title, screen.displayName].filter(text => text !== '').join(' – '))
    for (const field of fieldsOf(screen))
      if (!field.editable && field.type !== 'Separator')
        say(`${field.label}: ${this.#shown(field, field.value)}`)
    if (screen.list) say(screen.list.columns.map(({ label }) => label).join(' | '))
  }

  async #logIn({ screen, values }: Login): Promise<void> {
    for (const field of fieldsOf(screen).filter(isInput))
      this.#session.enter(field.id, await this.#ask(field, values.get(field.id) ?? field.value))
    await this.#session.submit()
  }

  #choices(state: Shown | Failed): Choice[] {
    const session = this.#session
    const isShown = state.name === 'screen'
    const retry = { label: this.#text('try_again', 'Try again'), act: () => session.retry() }
    const logOut = { label: this.#text('logout', 'Log out'), act: () => session.logOut() }
    const back = this.#back(state)
    return [
      ...(isShown ? this.#choicesOf(state) : [retry]),
      ...(back === null ? [] : [{ label: this.#text('back', 'Back'), act: () => this.#goBack(back) }]),
      ...(session.isLoggedIn ? [logOut] : []),
      { label: this.#text('quit_title', 'Quit'), act: () => this.#quit() }
    ]
  }

  #choicesOf({ screen, values, path }: Shown): Choice[] {
    const session = this.#session
    const { menu, list, actions } = screen
    const editable = actions.save || actions.create ? fieldsOf(screen).filter(isInput) : []
    const save = actions.create ? ('create' as const) : ('save' as const)
    return [
      ...(menu?.tabs ?? []).flatMap(({ label, items }) => this.#items(items, label)),
      ...(list?.rows ?? []).map(({ values, url }) => ({
        label: values.join(' | '),
        act: () => (url === '' ? undefined : this.#open(url))
      })),
      ...(list ? [{ label: this.#text('search', 'Search'), act: () => this.#search(path) }] : []),
      ...editable.map(field => ({
        label: `${field.label}: ${this.#shown(field, values.get(field.id) ?? '')}`,
        act: () => this.#edit(field, values.get(field.id) ?? '')
      })),
      ...(editable.length > 0 ? [{ label: this.#text('save', 'Save'), act: () => session.save(save) }] : []),
      ...(screen.createUrl ? [{ label: this.#text('new', 'New'), act: () => session.create() }] : []),
      ...screen.screenActions.map(action => ({ label: action.label, act: () => this.#press(action) })),
      ...(actions.delete
        ? [{ label: this.#text('delete', 'Delete'), act: () => session.save('delete') }]
        : [])
    ]
  }

  #items(items: Item[], tab: string): Choice[] {
    return items
      .filter(({ action }) => action.type !== 'separator')
      .map(({ label, action }) => ({ label, hint: tab, act: () => this.#follow({ label, action }) }))
  }

  async #follow({ label, action }: Item): Promise<void> {
    const items = this.#items(action.items, label)
    if (action.type === 'popup' && items.length === 0) say(this.#text('empty_menu', 'This menu is empty.'))
    else if (action.type === 'popup') await (await choose(label, items)).act()
    else if (action.type === 'open_url')
      say(`${this.#text('open_in_browser', 'Open in a browser:')} ${action.url}`)
    else {
      this.#note()
      await this.#session.follow(action)
    }
  }

  async #open(url: string): Promise<void> {
    this.#note()
    await this.#session.open(url)
  }

  async #search(path: string): Promise<void> {
    const query = await ask(this.#text('search', 'Search'), 'Text', '')
    await this.#session.open(`${path.replace(/\?.*/, '')}?query=${encodeURIComponent(query)}`)
  }

  /** Keeps where the person is, to come back to it. */
  #note(): void {
    const { state } = this.#session
    if (state.name === 'screen') this.#visited.push(state.path)
  }

  #back(state: Shown | Failed): string | null {
    const { menuPath, canOpen } = this.#session
    if (!canOpen || state.path === menuPath) return null
    if (this.#visited.at(-1) === state.path) this.#visited.pop()
    const parent = state.name === 'screen' ? state.screen.parentUrl : ''
    return this.#visited.at(-1) ?? (parent || menuPath)
  }

  async #goBack(url: string): Promise<void> {
    this.#visited.pop()
    await this.#session.open(url)
  }

  async #edit(field: Field, value: string): Promise<void> {
    this.#session.enter(field.id, await this.#ask(field, value))
  }

  /** Asks for the value of a field. */
  async #ask(field: Field, value: string): Promise<string> {
    const options = field.type === 'Boolean' ? this.#booleans(field) : field.options
    if (options.length === 0) return ask(field.label, field.type, value)
    let chosen = value
    const choices = options.map(({ label, value }) => ({
      label,
      act: () => {
        chosen = value
      }
    }))
    // A value that is no option leaves the first one chosen.
    const current = Math.max(
      0,
      options.findIndex(option => option.value === value)
    )
    const { act } = await choose(field.label, choices, current)
    act()
    return chosen
  }

  async #press(action: ScreenAction): Promise<void> {
    const fields: Record<string, string> = {}
    if (action.kind === 'modal')
      for (const field of action.fields) fields[field.id] = await this.#ask(field, field.value)
    await this.#session.act(action, fields)
  }

  #booleans({ trueLabel, falseLabel }: Field) {
    return [
      { label: trueLabel || this.#text('yes', 'Yes'), value: 'true' },
      { label: falseLabel || this.#text('no', 'No'), value: 'false' }
    ]
  }

  /** What a person reads for a value. */
  #shown(field: Field, value: string): string {
    if (field.type === 'Password') return value.replace(/./gu, '•')
    const options = field.type === 'Boolean' ? this.#booleans(field) : field.options
    return options.find(option => option.value === value)?.label ?? value
  }

  async #quit(): Promise<void> {
    const text = this.#text('ask_unsaved', 'Leave without saving?')
    this.#hasQuit = !this.#session.hasChanges || (await this.confirm(text, this.#text('leave', 'Leave')))
  }

  confirm(text: string, label: string): Promise<boolean> {
    return confirm(text, label, this.#text('cancel', 'Cancel'))
  }

  #text(key: string, english: string): string {
    return this.#session.strings.get(key) || english
  }
}

const isInput = ({ editable, type }: Field) => editable && type !== 'Separator'

/** Waits for what may be cancelled. */
async function uncancelled(work: unknown, onCancel: () => unknown): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error
    await onCancel()
  }
}
