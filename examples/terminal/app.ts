import {
  type Failed,
  type Login,
  type Message,
  type Question,
  Session,
  type SessionOptions,
  type Shown,
  type State
} from 'screen-auth-client'
import { failedView } from './failed-view.ts'
import { drawFrame } from './frame.ts'
import type { Frame, FullScreen, Size } from './full-screen.ts'
import { helpView } from './help-view.ts'
import type { Key } from './keys.ts'
import { Pane, type Part } from './pane.ts'
import { OpenQuestion } from './question.ts'
import { ScreenView } from './screen-view.ts'
import { type Segment, Sheet } from './sheet.ts'
import type { Say } from './texts.ts'
import { Trail } from './trail.ts'
import type { Context, View } from './view.ts'

/** Milliseconds between two looks at the clock of a countdown. */
const TICK = 250

/** Before the first screen. */
const WAITING: View = { title: '', pane: new Pane(() => new Sheet()), hints: [], key: () => false }

/** Shows each state of the session in its view, and handles the keys that work everywhere. */
export class App implements Context {
  readonly session: Session
  readonly #terminal: FullScreen
  readonly #quit: () => void
  readonly #trail = new Trail()
  /** The view of the state, and what is open over it. */
  #views: [View, ...View[]] = [WAITING]
  /** Keys that were typed before the first view was there. */
  #typedAhead: Key[] = []
  #notice: Message | null = null
  #question: OpenQuestion | null = null
  #deed = ''
  #displayName = ''
  #countdown: NodeJS.Timeout | undefined

  constructor(
    terminal: FullScreen,
    quit: () => void,
    options: Pick<SessionOptions, 'baseUrl' | 'tokens' | 'fetch'>
  ) {
    this.#terminal = terminal
    this.#quit = quit
    terminal.draw = size => this.#draw(size)
    this.session = new Session({
      ...options,
      onState: state => this.#show(state),
      confirm: question => this.#ask(question)
    })
  }

  readonly say: Say = (key, english) => this.session.strings.get(key) || english

  readonly tell = (message: Message): void => {
    this.#notice = message
    this.#terminal.update()
  }

  readonly run = (deed: string, work: Promise<void>): void => {
    this.#deed = deed
    work.then(() => this.#terminal.update())
  }

  readonly open = (view: View): void => {
    this.#views.push(view)
  }

  readonly close = (): void => {
    if (this.#views.length > 1) this.#views.pop()
  }

  key(key: Key): void {
    this.#terminal.update()
    if (key.name === 'quit') this.#leave()
    else this.#handle(key)
  }

  #handle(key: Key): void {
    this.#notice = null
    if (this.session.state.name === 'starting') this.#typedAhead.push(key)
    else if (this.#question !== null) this.#question.key(key)
    else if (key.name === 'log-out') this.#logOut()
    else if (this.#isBusy || this.#view.key(key)) return
    else if (key.name === 'escape') this.#back()
    else if (key.name === 'help' || key.text === '?') this.open(helpView(this))
  }

  get #view(): View {
    return this.#views.at(-1) ?? WAITING
  }

  get #isBusy(): boolean {
    const { state } = this.session
    return 'busy' in state && state.busy
  }

  #show(state: State): void {
    clearInterval(this.#countdown)
    this.#terminal.update()
    if (state.name === 'starting') this.#views = [WAITING]
    else if (state.name === 'failed') this.#showFailed(state)
    else this.#showScreen(state)
    // Not now: the session is still busy with this state.
    if (this.#typedAhead.length > 0 && state.name !== 'starting') setImmediate(() => this.#typeAgain())
  }

  #typeAgain(): void {
    for (const key of this.#typedAhead.splice(0)) this.key(key)
  }

  #showFailed(state: Failed): void {
    this.#leaveScreen()
    this.#views = [failedView(this, state)]
    if (state.retryAt !== null) this.#countdown = setInterval(() => this.#terminal.update(), TICK)
  }

  #showScreen(state: Login | Shown): void {
    const [view] = this.#views
    if (view instanceof ScreenView && view.screen === state.screen) view.update(state)
    else this.#showNewScreen(state)
  }

  #showNewScreen(state: Login | Shown): void {
    this.#leaveScreen()
    this.#displayName = state.screen.displayName
    if (!this.session.isLoggedIn && state.name === 'login') this.#trail.forget()
    const place = state.name === 'screen' ? this.#trail.visit(state.path, state.replaces) : undefined
    this.#views = [new ScreenView(this, state, place)]
  }

  /** Notes where the person was. */
  #leaveScreen(): void {
    const [view] = this.#views
    if (view instanceof ScreenView) this.#trail.note(view.path, view.place)
  }

  #ask(question: Question): Promise<boolean> {
    return new Promise(resolve => {
      const answer = (yes: boolean) => {
        this.#question = null
        resolve(yes)
      }
      this.#question = new OpenQuestion(question, this.say, () => this.#terminal.update(), answer)
      this.#terminal.update()
    })
  }

  /** Where Esc leads. When a screen cannot be loaded, the last one is the one before it. */
  get #target(): string | null {
    const { state, canOpen, menuPath } = this.session
    if (!canOpen || state.name !== 'screen') return canOpen ? this.#trail.last : null
    if (state.path === menuPath) return null
    return this.#trail.previous ?? (state.screen.parentUrl || menuPath)
  }

  #back(): void {
    const target = this.#target
    if (target !== null) this.run(this.say('loading', 'Loading…'), this.session.open(target))
    else this.tell({ kind: 'info', text: this.say('how_to_quit', 'Press Ctrl-C to quit.') })
  }

  #logOut(): void {
    this.#terminal.repaint()
    if (this.session.isLoggedIn && !this.#isBusy) this.session.logOut()
  }

  /** What is typed and not saved is not lost by one key. */
  #leave(): void {
    const text = this.say('quit_again', 'Not saved. Press Ctrl-C again to quit.')
    this.#question?.answer(false)
    if (!this.session.hasChanges || this.#notice?.text === text) this.#quit()
    else this.tell({ kind: 'error', text })
  }

  #draw(size: Size): Frame {
    const { state, isLoggedIn } = this.session
    const isKnown = isLoggedIn || state.name !== 'failed'
    return drawFrame(size, {
      title: this.#view.title,
      displayName: isKnown ? this.#displayName : '',
      message: this.#message,
      hints: part => this.#hints(part),
      show: (width, height) => {
        const part = this.#view.pane.show(width, height)
        return this.#isWaiting ? { ...part, focus: -1 } : part
      }
    })
  }

  /** Whether the keys of the view do nothing. */
  get #isWaiting(): boolean {
    return this.#isBusy || this.#question !== null
  }

  get #message(): Segment {
    const { state } = this.session
    if (this.#question !== null) return { text: this.#question.text, style: 'focused' }
    if (state.name === 'starting') return { text: this.say('connecting', 'Connecting…') }
    if (this.#isBusy && state.name !== 'failed') return { text: this.#deed }
    const message = this.#notice ?? state.message
    return message?.kind === 'error'
      ? { text: `✗ ${message.text}`, style: 'error' }
      : { text: message?.text ?? '' }
  }

  #hints({ stop, above, below }: Part): string[] {
    const { say } = this
    const quit = `Ctrl-C ${say('key_quit', 'quit')}`
    const { state, isLoggedIn } = this.session
    if (this.#isWaiting || state.name === 'starting') return [quit]
    const isRefused = state.name === 'screen' && state.message?.kind === 'error'
    const isLonger = stop === undefined && above + below > 0
    const canGoBack = this.#view.hints.length === 0 && this.#target !== null
    return [
      ...(stop?.hints ?? []),
      ...this.#view.hints,
      ...(isRefused ? [`Ctrl-R ${say('key_reload', 'load again')}`] : []),
      ...(isLonger ? [`↑↓ ${say('key_move', 'move')}`] : []),
      ...(canGoBack ? [`Esc ${say('key_back', 'back')}`] : []),
      `F1 ${say('key_help', 'help')}`,
      ...(isLoggedIn ? [`Ctrl-L ${say('key_log_out', 'log out')}`] : []),
      quit
    ]
  }
}
