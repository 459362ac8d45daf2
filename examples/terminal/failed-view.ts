import type { Failed } from 'fastify-screen-auth/client'
import type { Key } from './keys.ts'
import { Pane } from './pane.ts'
import { Sheet } from './sheet.ts'
import type { Context, View } from './view.ts'
import { wrap } from './width.ts'

/** Shown without a screen. The session tries again by itself, or at once when the person wants it. */
export class FailedView implements View {
  readonly pane: Pane
  readonly hints: string[] = []
  readonly #context: Context
  readonly #state: Failed

  constructor(context: Context, state: Failed) {
    this.#context = context
    this.#state = state
    this.pane = new Pane(width => this.#build(width))
  }

  get title(): string {
    const { say } = this.#context
    return this.#state.isOffline ? say('offline', 'No connection') : say('failed', 'Something went wrong')
  }

  key(key: Key): boolean {
    return this.pane.key(key)
  }

  #build(width: number): Sheet {
    const { say, session, run } = this.#context
    const sheet = new Sheet()
    const add = (text: string) => wrap(text, width, 3).forEach(line => void sheet.add(line))
    add(this.#next)
    if (session.isLoggedIn) add(say('stay_logged_in', 'You stay logged in.'))
    sheet.gap()
    const again = say('trying_again', 'Trying again…')
    sheet.addButton(say('try_again', 'Try again'), width, () => run(again, session.retry()))
    return sheet
  }

  /** What the session does next. */
  get #next(): string {
    const { say } = this.#context
    const { busy, retryAt } = this.#state
    if (busy) return say('trying_again', 'Trying again…')
    if (retryAt === null) return ''
    const seconds = Math.max(0, Math.ceil((retryAt - Date.now()) / 1000))
    return `${say('trying_again_in', 'Trying again in')} ${seconds} s`
  }
}
