import { element, heading, setText } from '../dom.js'
import { text } from '../texts.js'
import { createFields } from './fields.js'
import { rowsOf } from './rows.js'

/** @import { Screen, Session, State, Values } from 'screen-auth-client' */
/** @import { View } from './view.js' */

/**
 * A Card to read.
 *
 * @param {Screen} screen
 * @param {Session} session
 * @returns {View}
 */
export function valuesView({ sections, actions }, session) {
  const parts = sections.map(({ label, fields }, index) => {
    const values = fields.map(field => ({ ...field, editable: false }))
    const { nodes } = createFields(values, `field-${index}`, session, { isLogin: false, enter() {} })
    return element('section', {}, ...heading('h2', label), element('div', { class: 'fields' }, ...nodes))
  })
  const buttons = actions.delete ? [element('div', { class: 'buttons' }, deleteButton(session))] : []
  return { nodes: [element('div', { class: 'card' }, ...rowsOf(sections, parts), ...buttons)], update() {} }
}

/**
 * The login form, or a Card that can be saved or created.
 *
 * @param {Screen} screen
 * @param {Session} session
 * @returns {View}
 */
export function formView({ sections, authAction, actions }, session) {
  const isLogin = authAction !== ''
  const action = actions.save ? 'save' : 'create'
  const [label, busyLabel] = isLogin
    ? [text(session, 'log_in'), text(session, 'logging_in')]
    : [text(session, action), text(session, action === 'save' ? 'saving' : 'creating')]
  /** Whether this form is on its way: other requests may be so as well. */
  let isSent = false

  const groups = sections.map(({ fields }, index) =>
    createFields(fields, `field-${index}`, session, {
      isLogin,
      enter: (id, value) => session.enter(id, value)
    })
  )
  const controls = groups.flatMap(group => group.controls)
  const firstEmpty = controls.find(({ input }) => input.value === '')
  const fieldsets = sections.map((section, index) =>
    element(
      'fieldset',
      {},
      ...heading('legend', section.label),
      element('div', { class: 'fields' }, ...(groups[index]?.nodes ?? []))
    )
  )
  const fault = element('p', { id: 'form-fault', class: 'fault', dir: 'auto' })
  const button = element(
    'button',
    { type: 'submit', id: 'submit', class: 'primary', 'aria-describedby': fault.id },
    label
  )
  const buttons = [...(actions.delete ? [deleteButton(session)] : []), button]
  const form = element(
    'form',
    { class: 'card', novalidate: true, submit },
    ...rowsOf(sections, fieldsets),
    fault,
    element('div', { class: 'buttons' }, ...buttons)
  )

  return {
    nodes: [form],
    focus: (controls.find(({ isFirst }) => isFirst) ?? (isLogin ? (firstEmpty ?? controls[0]) : undefined))
      ?.input,
    update(state) {
      if (state.name !== 'login' && state.name !== 'screen') return
      const { busy, values } = state
      // Not `disabled`, which would lose the focus.
      for (const one of buttons) one.setAttribute('aria-disabled', String(busy))
      setText(button, busy && isSent ? busyLabel : label)
      for (const control of controls) {
        control.setBusy(busy)
        control.show(values.get(control.id) ?? '')
      }
      explain(state)
      if (!busy) isSent = false
    }
  }

  /** @param {SubmitEvent} event */
  function submit(event) {
    event.preventDefault()
    if (button.getAttribute('aria-disabled') === 'true') return
    for (const { hide } of controls) hide()
    const isRight = groups.map(({ check }) => check()).every(Boolean)
    if (!isRight) return controls.find(({ isExplained }) => isExplained())?.input.focus()
    isSent = true
    if (isLogin) session.submit()
    else session.save(action)
    // Nothing was sent when nothing has changed.
    isSent = 'busy' in session.state && session.state.busy
  }

  /**
   * Says beside the form what the bar says: a rejection of the credentials under the password, anything else above the
   * buttons. A rejection has cleared the password; after another failure it is still there.
   *
   * @param {Extract<State, { values: Values }>} state
   */
  function explain({ message, values, busy }) {
    const says = message?.kind === 'error' ? message.text : ''
    const password = isLogin ? controls.find(({ type }) => type === 'Password') : undefined
    const isNew = isSent && !busy && says !== ''
    if (isNew && password !== undefined && values.get(password.id) === '') {
      password.input.focus()
      password.explain(says)
    } else if (busy || says === '') password?.explain('')
    setText(fault, password?.isExplained() ? '' : says)
  }
}

/** @param {Session} session */
function deleteButton(session) {
  const click = () => session.save('delete')
  return element('button', { type: 'button', class: 'danger', click }, text(session, 'delete'))
}
