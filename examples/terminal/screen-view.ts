import type { Item, Login, Screen, ScreenAction, Shown } from 'screen-auth-client'
import { addFields, type Form } from './form.ts'
import type { Key } from './keys.ts'
import { addList } from './list.ts'
import { addMenu } from './menu.ts'
import { modalView } from './modal-view.ts'
import { Pane } from './pane.ts'
import { Sheet } from './sheet.ts'
import type { Context, View } from './view.ts'

/** The place on a screen. */
export interface Place {
  tab: number
  focus: number
}

/** Layouts that may have nothing to show. */
const LAYOUTS = ['Card', 'List', 'HeaderLines', 'Grid', 'Menu']

/** Draws all parts of a screen below each other: the login form, the menu, and every other screen. */
export class ScreenView implements View {
  readonly screen: Screen
  /** Empty for the login form. */
  readonly path: string
  readonly pane: Pane
  readonly #context: Context
  readonly #form: Form
  #tab: number
  /** The open popups of the menu, with the top one last. */
  #popups: Item[] = []
  #isBusy = false

  constructor(context: Context, state: Login | Shown, place: Place = { tab: 0, focus: -1 }) {
    const { screen, values } = state
    this.screen = screen
    this.path = state.name === 'screen' ? state.path : ''
    this.#context = context
    this.#tab = place.tab
    this.#form = {
      button: this.#buttons[0]?.submits ? this.#buttons[0].label : '',
      isNew: true,
      values,
      cursors: new Map(),
      say: context.say,
      enter: (id, value) => context.session.enter(id, value),
      submit: () => this.#buttons[0]?.press()
    }
    this.pane = new Pane(width => this.#build(width), place.focus)
  }

  get title(): string {
    return this.screen.title
  }

  get hints(): string[] {
    return this.#popups.length > 0 ? [`Esc ${this.#context.say('key_close', 'close')}`] : []
  }

  /** Where to return to: not into a popup. */
  get place(): Place {
    return { tab: this.#tab, focus: this.#popups.length > 0 ? -1 : this.pane.focus }
  }

  /** Takes over what the session knows. After a login that was rejected, the focus is in the password. */
  update({ name, values, busy }: Login | Shown): void {
    const isRejected = name === 'login' && this.#isBusy && !busy && [...values.values()].includes('')
    this.#isBusy = busy
    this.#form.values = values
    if (!isRejected) return
    this.#form.isNew = false
    this.pane.go(-1)
  }

  key(key: Key): boolean {
    if (this.pane.key(key)) return true
    if (key.name === 'save' && this.#form.button !== '') this.#form.submit()
    else if (key.name === 'reload') this.#load(this.#context.session.reload())
    else if (key.name === 'left') this.#switchTab(-1)
    else if (key.name === 'right') this.#switchTab(1)
    else if (key.name === 'escape' && this.#popups.length > 0) this.#closePopup()
    else return false
    return true
  }

  #build(width: number): Sheet {
    const { screen } = this
    const { say, session } = this.#context
    const sheet = new Sheet()
    if (screen.menu !== null) {
      const place = { tab: this.#tab, popups: this.#popups }
      addMenu(sheet, screen.menu, place, width, say, item => this.#choose(item))
    }
    // A popup of the menu replaces the other parts.
    if (this.#popups.length > 0) return sheet
    addFields(sheet, screen.sections, this.#form, width)
    if (screen.list !== null) addList(sheet, screen.list, width, say, url => this.#load(session.open(url)))
    const buttons = this.#buttons
    if (buttons.length > 0) sheet.gap()
    for (const { label, press } of buttons) sheet.addButton(label, width, press)

    if (sheet.lines.length === 0 && sheet.pinned.length === 0) {
      const unknown = say('unknown_layout', 'This client does not know the layout:')
      const isKnown = LAYOUTS.includes(screen.layout)
      sheet.add(isKnown ? say('nothing_here', 'Nothing here yet.') : `${unknown} ${screen.layout}`, 'faint')
    }
    return sheet
  }

  /** The buttons. If the first one submits the form, so does an Enter in a field. */
  get #buttons(): { label: string; press: () => void; submits?: boolean }[] {
    const { authAction, actions, createUrl, screenActions } = this.screen
    const { session, say, run } = this.#context
    const log = () => run(say('logging_in', 'Logging in…'), session.submit())
    const save = () => run(say('saving', 'Saving…'), session.save('save'))
    const create = () => run(say('creating', 'Creating…'), session.save('create'))
    const remove = () => this.#load(session.save('delete'))
    return [
      ...(authAction ? [{ label: say('log_in', 'Log in'), press: log, submits: true }] : []),
      ...(actions.save ? [{ label: say('save', 'Save'), press: save, submits: true }] : []),
      ...(actions.create ? [{ label: say('create', 'Create'), press: create, submits: true }] : []),
      ...(createUrl ? [{ label: say('new', 'New'), press: () => this.#load(session.create()) }] : []),
      ...screenActions.map(action => ({ label: action.label, press: () => this.#act(action) })),
      ...(actions.delete ? [{ label: say('delete', 'Delete'), press: remove }] : [])
    ]
  }

  #act(action: ScreenAction): void {
    const { session, open } = this.#context
    if (action.kind === 'modal') open(modalView(this.#context, action))
    else this.#load(session.act(action))
  }

  #load(work: Promise<void>): void {
    const { say, run } = this.#context
    run(say('loading', 'Loading…'), work)
  }

  #choose(item: Item): void {
    const { session, say, tell } = this.#context
    const { type, url } = item.action
    if (type === 'popup') {
      this.#popups.push(item)
      this.pane.go(0)
    } else if (type !== 'open_url') this.#load(session.follow(item.action))
    // The terminal client cannot open a browser, so it shows the URL, which must be safe to copy into one.
    else if (!/^(?:https?:\/\/|mailto:)./i.test(url)) {
      tell({ kind: 'error', text: say('bad_address', 'This address cannot be followed.') })
    } else tell({ kind: 'info', text: `${say('open_in_browser', 'Open in a browser:')} ${url}` })
  }

  #closePopup(): void {
    const closed = this.#popups.pop()
    const items = this.#popups.at(-1)?.action.items ?? this.screen.menu?.tabs[this.#tab]?.items ?? []
    this.pane.go(items.filter(({ action }) => action.type !== 'separator').indexOf(closed as Item))
  }

  #switchTab(by: 1 | -1): void {
    const tabs = this.screen.menu?.tabs ?? []
    if (this.#popups.length > 0 || tabs[this.#tab + by] === undefined) return
    this.#tab += by
    this.pane.go(0)
  }
}
