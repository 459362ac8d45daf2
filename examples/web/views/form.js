import { element, heading } from '../dom.js'

/** @import { Session, Values } from '../../client/session.js' */
/** @import { Field, Screen, Section } from '../../client/screen.js' */
/** @import { View } from './view.js' */

/**
 * @typedef {object} FieldView
 * @property {string} id
 * @property {Node} node
 * @property {HTMLInputElement | HTMLTextAreaElement} input
 * @property {() => void} hide hides the password again
 */

/**
 * A Card: a form when it has an action, else read-only.
 *
 * @param {Screen} screen
 * @param {Session} session
 * @returns {View}
 */
export function formView(screen, session) {
  const isLogin = screen.authAction !== ''
  if (!isLogin && screen.saveAction === '') {
    return {
      nodes: [element('div', { class: 'card' }, ...screen.sections.flatMap(readOnlySection))],
      update() {}
    }
  }

  /** @type {FieldView[]} */
  const fields = []
  const [label, busyLabel] = buttonLabels(screen)
  const button = element('button', { type: 'submit', class: 'primary', dir: 'auto' }, label)
  const sections = screen.sections.map((section, index) => formSection(section, index, isLogin, fields))
  const form = element('form', { class: 'card', submit, novalidate: true }, ...sections, button)
  /** @type {Values | undefined} */
  let filled

  return {
    nodes: [form],
    focus: fields.find(({ input }) => input.value === '')?.input ?? fields[0]?.input,
    update(state) {
      if (!('values' in state)) return
      const isBusy = state.name === 'submitting' || (state.name === 'screen' && state.busy)
      // Not `disabled`, which would lose the focus.
      button.setAttribute('aria-disabled', String(isBusy))
      // New values mean that this form is submitted. Otherwise another screen is loading.
      button.textContent = isBusy && state.values !== filled ? busyLabel : label
      for (const { input } of fields) input.readOnly = isBusy
      if (isBusy || state.values === filled) return
      filled = state.values
      for (const { id, input } of fields) input.value = state.values.get(id) ?? ''
    }
  }

  /** @param {SubmitEvent} event */
  function submit(event) {
    event.preventDefault()
    for (const { hide } of fields) hide()
    const values = new Map(fields.map(({ id, input }) => [id, input.value]))
    if (isLogin) session.submit(values)
    else session.save(values)
  }
}

/**
 * The label of the button, and its label while busy.
 *
 * @param {Screen} screen
 * @returns {[string, string]}
 */
function buttonLabels({ authAction, saveLabel }) {
  if (authAction !== '') return ['Log in', 'Logging in…']
  return saveLabel === '' ? ['Save', 'Saving…'] : [saveLabel, `${saveLabel}…`]
}

/**
 * @param {Section} section
 * @param {number} index
 * @param {boolean} isLogin
 * @param {FieldView[]} fields the inputs are added to it
 */
function formSection({ label, fields: described }, index, isLogin, fields) {
  const nodes = described.map((field, place) => {
    if (!field.editable) return element('dl', {}, ...description(field))
    const view = fieldView(field, `field-${index}-${place}`, isLogin)
    fields.push(view)
    return view.node
  })
  return element('fieldset', {}, ...heading('legend', label), ...nodes)
}

/**
 * @param {Field} field
 * @param {string} id
 * @param {boolean} isLogin
 * @returns {FieldView}
 */
function fieldView(field, id, isLogin) {
  const isPassword = field.type === 'Password'
  const attributes = {
    id,
    name: field.id,
    autocomplete: autocomplete(field, isLogin),
    autocapitalize: 'none',
    spellcheck: 'false',
    dir: 'auto'
  }
  // An input would remove the line breaks.
  const input = /\n/.test(field.value)
    ? element('textarea', { ...attributes, rows: '4' })
    : element('input', { ...attributes, type: isPassword ? 'password' : 'text' })
  input.value = field.value

  const show = element('button', {
    type: 'button',
    class: 'quiet',
    click: () => reveal(input.type === 'password')
  })
  reveal(false)
  const node = element(
    'div',
    { class: 'field' },
    element('label', { for: id, dir: 'auto' }, field.label),
    element('div', { class: 'input' }, input, ...(isPassword ? [show] : []))
  )
  return { id: field.id, node, input, hide: () => reveal(false) }

  /** @param {boolean} isShown */
  function reveal(isShown) {
    if (!isPassword) return
    input.setAttribute('type', isShown ? 'text' : 'password')
    // Not `aria-label`: a search for the label of the field would find the button too.
    show.replaceChildren(isShown ? 'Hide' : 'Show', element('span', { class: 'unseen' }, ` ${field.label}`))
  }
}

/**
 * The autofill value for password managers (HTML, autofill).
 *
 * @param {Field} field
 * @param {boolean} isLogin
 */
function autocomplete({ id, type }, isLogin) {
  if (type === 'Password') return isLogin || /current|old/i.test(id) ? 'current-password' : 'new-password'
  return isLogin && id === 'username' ? 'username' : 'off'
}

/**
 * @param {Section} section
 * @returns {Node[]}
 */
function readOnlySection({ label, fields }) {
  return [...heading('h2', label), element('dl', {}, ...fields.flatMap(description))]
}

/**
 * @param {Field} field
 * @returns {Node[]}
 */
function description({ label, type, value }) {
  const shown = type === 'Password' ? '••••••••' : value || '–'
  return [element('dt', { dir: 'auto' }, label), element('dd', { dir: 'auto' }, shown)]
}
