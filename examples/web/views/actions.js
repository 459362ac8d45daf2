import { openDialog } from '../dialog.js'
import { button, element, setText } from '../dom.js'
import { session } from '../session.js'
import { text } from '../texts.js'
import { createFields, focusFault } from './fields.js'

/** @import { Screen, ScreenAction } from 'screen-auth-client' */
/** @import { View } from './screen.js' */

/**
 * The buttons of a screen that do not save it.
 *
 * @param {Screen} screen
 * @returns {View}
 */
export function actionsView({ screenActions, createUrl, list }) {
  const buttons = screenActions.map(action =>
    button(action.label, () => (action.kind === 'modal' ? openForm(action) : session.act(action)))
  )
  if (createUrl !== '') buttons.unshift(button(text('new'), () => session.create()))
  return {
    nodes: [element('div', { class: list ? 'toolbar wide' : 'toolbar' }, ...buttons)],
    update(state) {
      for (const one of buttons) one.setAttribute('aria-disabled', String('busy' in state && state.busy))
    }
  }
}

/**
 * The fields of a `modal`. They stay until the server has accepted them.
 *
 * @param {ScreenAction} action
 */
function openForm(action) {
  /** @type {Map<string, string>} */
  const values = new Map(action.fields.map(({ id, value }) => [id, value]))
  const { nodes, controls } = createFields(action.fields, 'dialog', false, (id, value) => values.set(id, value))
  const fault = element('p', { class: 'fault', role: 'alert', dir: 'auto' })
  const cancel = button(text('cancel'), () => dialog.close())
  const send = element('button', { type: 'submit', class: 'primary', dir: 'auto' }, action.label)
  const form = element(
    'form',
    { novalidate: true, submit },
    element('div', { class: 'fields' }, ...nodes),
    fault,
    element('div', { class: 'buttons' }, cancel, send)
  )
  const dialog = openDialog(action.label, [form])
  controls[0]?.input.focus()

  /** @param {SubmitEvent} event */
  async function submit(event) {
    event.preventDefault()
    if (send.getAttribute('aria-disabled') === 'true' || focusFault(controls)) return
    setText(fault, '')
    send.setAttribute('aria-disabled', 'true')
    await session.act(action, Object.fromEntries(values))
    send.setAttribute('aria-disabled', 'false')
    const { state } = session
    const message = 'message' in state ? state.message : null
    if (message?.kind === 'error') setText(fault, message.text)
    else dialog.close()
  }
}
