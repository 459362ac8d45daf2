import { button, element, heading, setText } from '../dom.js'
import { session } from '../session.js'
import { text } from '../texts.js'
import { createFields, focusFault } from './fields.js'

/** @import { Screen, Section, State, Values } from 'screen-auth-client' */
/** @import { View } from './screen.js' */

/**
 * A Card to read.
 *
 * @param {Screen} screen
 * @returns {View}
 */
export function valuesView({ sections, actions }) {
  const parts = sections.map(({ label, fields }, index) => {
    const values = fields.map(field => ({ ...field, editable: false }))
    const { nodes } = createFields(values, `field-${index}`, false, () => {})
    return element('section', {}, ...heading('h2', label), element('div', { class: 'fields' }, ...nodes))
  })
  const buttons = actions.delete ? [element('div', { class: 'buttons' }, deleteButton())] : []
  return { nodes: [element('div', { class: 'card' }, ...rowsOf(sections, parts), ...buttons)], update() {} }
}

/**
 * The login form, or a Card that can be saved or created.
 *
 * @param {Screen} screen
 * @returns {View}
 */
export function formView({ sections, authAction, actions }) {
  const isLogin = authAction !== ''
  const action = actions.save ? 'save' : 'create'
  const [label, busyLabel] = isLogin
    ? [text('log_in'), text('logging_in')]
    : [text(action), text(action === 'save' ? 'saving' : 'creating')]
  /** Whether this form is on its way: other requests may be so as well. */
  let isSent = false

  const groups = sections.map(({ fields }, index) =>
    createFields(fields, `field-${index}`, isLogin, (id, value) => session.enter(id, value))
  )
  const controls = groups.flatMap(group => group.controls)
  const fieldsets = sections.map((section, index) => {
    const fields = element('div', { class: 'fields' }, ...(groups[index]?.nodes ?? []))
    return element('fieldset', {}, ...heading('legend', section.label), fields)
  })
  const fault = element('p', { id: 'form-fault', class: 'fault', dir: 'auto' })
  const submitting = element(
    'button',
    { type: 'submit', id: 'submit', class: 'primary', 'aria-describedby': fault.id },
    label
  )
  const buttons = [...(actions.delete ? [deleteButton()] : []), submitting]
  const form = element(
    'form',
    { class: session.canOpen ? 'card' : undefined, novalidate: true, submit },
    ...rowsOf(sections, fieldsets),
    fault,
    element('div', { class: 'buttons' }, ...buttons)
  )
  const firstEmpty = controls.find(({ input }) => input.value === '') ?? controls[0]

  return {
    nodes: [form],
    focus: (controls.find(({ isFirst }) => isFirst) ?? (isLogin ? firstEmpty : undefined))?.input,
    update(state) {
      if (state.name !== 'login' && state.name !== 'screen') return
      const { busy, values } = state
      // Not `disabled`, which would lose the focus.
      for (const one of buttons) one.setAttribute('aria-disabled', String(busy))
      setText(submitting, busy && isSent ? busyLabel : label)
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
    if (submitting.getAttribute('aria-disabled') === 'true') return
    for (const { hide } of controls) hide()
    if (focusFault(controls)) return
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

function deleteButton() {
  return button(text('delete'), () => session.save('delete'), { class: 'danger', dir: undefined })
}

/**
 * The sections below each other, those of the same row group side by side.
 *
 * @param {Section[]} sections
 * @param {HTMLElement[]} nodes one for each section
 */
function rowsOf(sections, nodes) {
  /** @type {HTMLElement[]} */
  const rows = []
  nodes.forEach((node, index) => {
    const rowGroup = sections[index]?.rowGroup
    const isNew = rowGroup === undefined || rowGroup !== sections[index - 1]?.rowGroup
    if (isNew) rows.push(element('div', { class: 'row' }))
    rows.at(-1)?.append(node)
  })
  return rows
}
