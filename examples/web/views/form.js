import { element, heading, setText } from '../dom.js'
import { text } from '../texts.js'
import { createFields } from './fields.js'

/** @import { Screen, Session, State, Values } from 'fastify-screen-auth/client' */
/** @import { View } from './view.js' */

/** @typedef {ReturnType<typeof createFields>} Fields */

/**
 * The login form, or a Card that can be saved, created or deleted.
 *
 * @param {Screen} screen
 * @param {Session} session
 * @returns {View}
 */
export function formView(screen, session) {
  const isLogin = screen.authAction !== ''
  const { actions } = screen
  const action = actions.save ? 'save' : 'create'
  const [label, busyLabel] = isLogin
    ? [text(session, 'log_in'), text(session, 'logging_in')]
    : [text(session, action), text(session, action === 'save' ? 'saving' : 'creating')]
  const canSubmit = isLogin || actions.save !== '' || actions.create !== ''
  /** What the person has sent last: other screens may be on their way as well. */
  let sent = /** @type {'submit' | 'delete' | null} */ (null)

  const groups = screen.sections.map(({ fields }, index) =>
    createFields(
      canSubmit ? fields : fields.map(field => ({ ...field, editable: false })),
      `field-${index}`,
      session,
      {
        isLogin,
        enter: (id, value) => session.enter(id, value)
      }
    )
  )
  const inputs = groups.flatMap(({ controls }) => controls)
  const button = element(
    'button',
    { type: 'submit', id: 'submit', class: 'primary', 'aria-describedby': 'form-fault' },
    label
  )
  const remove = element(
    'button',
    { type: 'button', class: 'danger', click: onDelete },
    text(session, 'delete')
  )
  const fault = element('p', { id: 'form-fault', class: 'fault', dir: 'auto' })
  const form = element(
    'form',
    { class: 'card', novalidate: true, submit: onSubmit },
    ...screen.sections.map((section, index) =>
      element(
        'fieldset',
        {},
        ...heading('legend', section.label),
        element('div', { class: 'fields' }, ...nodesOf(index))
      )
    ),
    fault,
    element('div', { class: 'buttons' }, ...(actions.delete ? [remove] : []), ...(canSubmit ? [button] : []))
  )

  return {
    nodes: [form],
    focus: inputs.find(({ isFirst }) => isFirst)?.input ?? (isLogin ? emptyInput() : undefined),
    update(state) {
      if (state.name !== 'login' && state.name !== 'screen') return
      const { busy, values, message } = state
      // Not `disabled`, which would lose the focus.
      for (const one of [button, remove]) one.setAttribute('aria-disabled', String(busy))
      setText(button, busy && sent === 'submit' ? busyLabel : label)
      for (const control of inputs) {
        control.setBusy(busy)
        control.show(values.get(control.id) ?? '')
      }
      explain(state)
      if (!busy && message !== null) sent = null
    }
  }

  /** @param {number} index */
  function nodesOf(index) {
    return groups[index]?.nodes ?? []
  }

  /** @param {SubmitEvent} event */
  function onSubmit(event) {
    event.preventDefault()
    if (!canSubmit || session.state.name === 'starting' || session.state.busy) return
    for (const { hide } of inputs) hide()
    if (!groups.map(group => group.areValid()).every(Boolean)) return
    sent = 'submit'
    if (isLogin) session.submit()
    else session.save(action)
  }

  function onDelete() {
    sent = 'delete'
    session.save('delete')
  }

  /**
   * Says beside the form what the bar says: rejected credentials under the password, anything else above the buttons.
   *
   * @param {Extract<State, { values: Values }>} state
   */
  function explain({ message, values, busy }) {
    const says = message?.kind === 'error' ? message.text : ''
    // A rejection has cleared the password. After any other failure it is still there.
    const password = isLogin
      ? inputs.find(({ type, id }) => type === 'Password' && values.get(id) === '')
      : undefined
    const isRejected = says !== '' && password !== undefined && (sent === 'submit' || password.isExplained())
    password?.explain(isRejected ? says : '')
    setText(fault, isRejected ? '' : says)
    if (isRejected && sent === 'submit' && !busy) password.input.focus()
  }

  function emptyInput() {
    return (inputs.find(({ input }) => input instanceof HTMLInputElement && input.value === '') ?? inputs[0])
      ?.input
  }
}
