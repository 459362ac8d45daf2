import { openDialog } from '../dialog.js'
import { element, setText } from '../dom.js'
import { text } from '../texts.js'
import { createFields } from './fields.js'

/** @import { Screen, ScreenAction, Session } from 'screen-auth-client' */
/** @import { View } from './view.js' */

/**
 * The buttons of a screen that do not save it.
 *
 * @param {Screen} screen
 * @param {Session} session
 * @returns {View}
 */
export function actionsView({ screenActions, createUrl, list }, session) {
  const buttons = screenActions.map(action =>
    element(
      'button',
      {
        type: 'button',
        dir: 'auto',
        click: () => (action.kind === 'modal' ? openForm(action, session) : session.act(action))
      },
      action.label
    )
  )
  if (createUrl !== '') {
    const click = () => session.create()
    buttons.unshift(element('button', { type: 'button', click }, text(session, 'new')))
  }
  return {
    nodes: [element('div', { class: list ? 'toolbar wide' : 'toolbar' }, ...buttons)],
    update(state) {
      for (const button of buttons)
        button.setAttribute('aria-disabled', String(state.name === 'screen' && state.busy))
    }
  }
}

/**
 * The fields of a `modal`. They stay until the server has accepted them.
 *
 * @param {ScreenAction} action
 * @param {Session} session
 */
function openForm(action, session) {
  /** @type {Map<string, string>} */
  const values = new Map(action.fields.map(({ id, value }) => [id, value]))
  const fields = createFields(action.fields, 'dialog', session, {
    isLogin: false,
    enter: (id, value) => values.set(id, value)
  })
  const fault = element('p', { class: 'fault', role: 'alert', dir: 'auto' })
  const send = element('button', { type: 'submit', class: 'primary', dir: 'auto' }, action.label)
  const form = element(
    'form',
    { novalidate: true, submit },
    element('div', { class: 'fields' }, ...fields.nodes),
    fault,
    element(
      'div',
      { class: 'buttons' },
      element('button', { type: 'button', click: () => dialog.close() }, text(session, 'cancel')),
      send
    )
  )
  const dialog = openDialog(action.label, [form])
  fields.controls[0]?.input.focus()

  /** @param {SubmitEvent} event */
  async function submit(event) {
    event.preventDefault()
    if (send.getAttribute('aria-disabled') === 'true') return
    if (!fields.check()) return fields.controls.find(({ isExplained }) => isExplained())?.input.focus()
    setText(fault, '')
    send.setAttribute('aria-disabled', 'true')
    await session.act(action, Object.fromEntries(values))
    send.setAttribute('aria-disabled', 'false')
    const { state } = session
    const message = state.name === 'screen' ? state.message : null
    if (message?.kind === 'error') setText(fault, message.text)
    else dialog.close()
  }
}
