import type { ScreenAction } from 'screen-auth-client'
import { addFields, type Form } from './form.ts'
import { Pane } from './pane.ts'
import { Sheet } from './sheet.ts'
import type { Context, View } from './view.ts'
import { wrap } from './width.ts'

/** The form of a button. It stays open while the server refuses what is in it. */
export function modalView({ session, say, run, close }: Context, action: ScreenAction): View {
  const { label, fields, confirmMessage } = action
  const values = new Map(fields.map(({ id, value }) => [id, value]))
  const form: Form = {
    button: label,
    isNew: true,
    values,
    cursors: new Map(),
    say,
    enter: (id, value) => values.set(id, value),
    submit: () => run(say('saving', 'Saving…'), send())
  }

  async function send(): Promise<void> {
    const before = session.state
    await session.act(action, Object.fromEntries(values))
    const { state } = session
    const isRefused = state.name === 'screen' && state.message?.kind === 'error'
    if (state !== before && !isRefused) close()
  }

  const pane = new Pane(width => {
    const sheet = new Sheet()
    for (const line of wrap(confirmMessage, width, 3)) sheet.add(line)
    addFields(sheet, [{ label: '', fields }], form, width)
    sheet.gap()
    sheet.addButton(label, width, form.submit)
    sheet.addButton(say('cancel', 'Cancel'), width, close)
    return sheet
  })
  return {
    title: label,
    pane,
    hints: [`Esc ${say('key_close', 'close')}`],
    key(key) {
      if (pane.key(key)) return true
      if (key.name === 'save') form.submit()
      else if (key.name === 'escape') close()
      else return false
      return true
    }
  }
}
