import type { ScreenAction } from 'fastify-screen-auth/client'
import { addFields, type Form } from './form.ts'
import type { Key } from './keys.ts'
import { Pane } from './pane.ts'
import { Sheet } from './sheet.ts'
import type { Context, View } from './view.ts'
import { wrap } from './width.ts'

/** The form of a button. It stays open while the server refuses what is in it. */
export class ModalView implements View {
  readonly title: string
  readonly pane: Pane
  readonly #context: Context
  readonly #action: ScreenAction
  readonly #form: Form

  constructor(context: Context, action: ScreenAction) {
    this.#context = context
    this.#action = action
    this.title = action.label
    const values = new Map(action.fields.map(({ id, value }) => [id, value]))
    this.#form = {
      button: action.label,
      isNew: true,
      values,
      cursors: new Map(),
      say: context.say,
      enter: (id, value) => values.set(id, value),
      submit: () => context.run(context.say('saving', 'Saving…'), this.#send())
    }
    this.pane = new Pane(width => this.#build(width))
  }

  get hints(): string[] {
    return [`Esc ${this.#context.say('key_close', 'close')}`]
  }

  key(key: Key): boolean {
    if (this.pane.key(key)) return true
    if (key.name === 'save') this.#form.submit()
    else if (key.name === 'escape') this.#context.close()
    else return false
    return true
  }

  #build(width: number): Sheet {
    const { label, fields, confirmMessage } = this.#action
    const sheet = new Sheet()
    for (const line of wrap(confirmMessage, width, 3)) sheet.add(line)
    addFields(sheet, [{ label: '', fields }], this.#form, width)
    sheet.gap()
    sheet.addButton(label, width, this.#form.submit)
    sheet.addButton(this.#context.say('cancel', 'Cancel'), width, () => this.#context.close())
    return sheet
  }

  async #send(): Promise<void> {
    const { session, close } = this.#context
    const before = session.state
    await session.act(this.#action, Object.fromEntries(this.#form.values))
    const { state } = session
    const isRefused = state.name === 'screen' && state.message?.kind === 'error'
    if (state !== before && !isRefused) close()
  }
}
