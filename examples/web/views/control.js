import { button, element, setText } from '../dom.js'
import { isYes } from '../format.js'
import { text } from '../texts.js'

/** @import { Field } from 'screen-auth-client' */
/** @import { Attributes } from '../dom.js' */

/**
 * @typedef {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} Input
 *
 * @typedef {object} Use
 * @property {boolean} isLogin
 * @property {boolean} isLast whether the form has no field below
 * @property {(id: string, value: string) => void} enter called with what was typed
 *
 * @typedef {object} Control
 * @property {string} id of the field
 * @property {string} type
 * @property {boolean} isFirst whether the server wants the focus here
 * @property {HTMLElement} node
 * @property {Input} input the one that gets the focus
 * @property {(value: string) => void} show
 * @property {(isBusy: boolean) => void} setBusy
 * @property {() => boolean} check says what is wrong; returns whether it is right
 * @property {(fault: string) => void} explain
 * @property {() => boolean} isExplained
 * @property {() => void} hide hides the password again
 */

/** The browser's own inputs, by the type of the field. */
const INPUTS = /** @type {Record<string, Record<string, string>>} */ ({
  Integer: { type: 'number', step: '1', inputmode: 'numeric' },
  // Not a number: a browser drops the comma where its own language has a point, and 62,5 became 625.
  Decimal: { type: 'text', inputmode: 'decimal' },
  Date: { type: 'date' },
  Time: { type: 'time' },
  Email: { type: 'email' },
  Phone: { type: 'tel' },
  URL: { type: 'url' },
  Password: { type: 'password' }
})

/** Fields that need the whole width. */
const WIDE = ['TextArea', 'DateRange', 'URL']

/**
 * An input with its label, and a place for what is wrong with it.
 *
 * @param {Field} field
 * @param {string} id
 * @param {Use} use
 * @returns {Control}
 */
export function createControl(field, id, use) {
  const { type, label, validation } = field
  const isRange = type === 'DateRange' && /^((\d{4}-\d\d-\d\d)?\/(\d{4}-\d\d-\d\d)?)?$/.test(field.value)
  const isCheckbox = type === 'Boolean'
  const inputs = isRange ? rangeInputs(id, field) : [inputOf(field, id, use)]
  const first = /** @type {Input} */ (inputs[0])
  const fault = element('p', { id: `${id}-fault`, class: 'fault', dir: 'auto' })
  const revealer = button('', () => reveal(first.type === 'password'), { class: 'reveal', dir: undefined })
  const node = isRange ? range() : plain()
  let isBusy = false
  let shown = field.value

  hide()
  show(field.value)
  node.append(fault)
  for (const input of inputs) {
    input.addEventListener('input', () => {
      // A checkbox cannot be read-only.
      if (isBusy) show(shown)
      else {
        shown = read()
        use.enter(field.id, shown)
        if (isExplained() && isValid()) explain('')
      }
    })
  }
  return {
    id: field.id,
    type,
    isFirst: field.focus,
    node,
    input: first,
    show,
    setBusy,
    check,
    explain,
    isExplained,
    hide
  }

  function read() {
    if (isBox(first)) return String(first.checked)
    const values = inputs.map(({ value }) => value)
    return values.every(value => value === '') ? '' : values.join('/')
  }

  /** @param {string} value */
  function show(value) {
    shown = value
    if (isBox(first)) {
      first.checked = isYes(value)
      return
    }
    const values = isRange ? value.split('/') : [value]
    inputs.forEach((input, index) => {
      const part = values[index] ?? ''
      // Only then: it would move the cursor, and empty a date that is half typed.
      if (input.value !== part) input.value = part
    })
  }

  /** @param {boolean} busy */
  function setBusy(busy) {
    isBusy = busy
    for (const input of inputs) if ('readOnly' in input) input.readOnly = busy
  }

  function isValid() {
    return inputs.every(({ validity }) => validity.valid)
  }

  function check() {
    // The browser says it in the language of the person.
    explain(inputs.find(({ validity }) => !validity.valid)?.validationMessage ?? '')
    return isValid()
  }

  /** @param {string} says */
  function explain(says) {
    setText(fault, says)
    for (const input of inputs) {
      if (says === '') {
        input.removeAttribute('aria-invalid')
        input.removeAttribute('aria-describedby')
      } else {
        input.setAttribute('aria-invalid', 'true')
        input.setAttribute('aria-describedby', fault.id)
      }
    }
  }

  function isExplained() {
    return fault.textContent !== ''
  }

  function plain() {
    const isMarked = validation.required && !isCheckbox
    const name = element('label', { for: id, dir: 'auto', class: isMarked ? 'required' : undefined }, label)
    if (isCheckbox) return element('div', { class: 'field check' }, first, name)
    const input = element('div', { class: 'input' }, first, ...(type === 'Password' ? [revealer] : []))
    return element('div', { class: WIDE.includes(type) ? 'field wide' : 'field' }, name, input)
  }

  function range() {
    const parts = inputs.map((input, index) =>
      element(
        'div',
        {},
        element('label', { for: input.id }, text(index === 0 ? 'from' : 'to')),
        element('div', { class: 'input' }, input)
      )
    )
    const legend = element('legend', { dir: 'auto' }, label)
    return element('fieldset', { class: 'field wide fields range' }, legend, ...parts)
  }

  function hide() {
    if (type === 'Password') reveal(false)
  }

  /** @param {boolean} isShown whether the password is shown */
  function reveal(isShown) {
    first.setAttribute('type', isShown ? 'text' : 'password')
    // Not `aria-label`: a search for the label of the field would find the button too.
    const unseen = element('span', { class: 'unseen' }, ` ${label}`)
    revealer.replaceChildren(text(isShown ? 'hide' : 'show'), unseen)
  }
}

/**
 * @param {Field} field
 * @param {string} id
 * @param {Use} use
 * @returns {Input}
 */
function inputOf(field, id, { isLogin, isLast }) {
  const { type, value, placeholder, rows, validation } = field
  const { required, min, max, maxLength, pattern } = validation
  const common = { id, name: field.id, required: required && type !== 'Boolean' }
  if (type === 'Boolean') return element('input', { ...common, type: 'checkbox' })
  if (type === 'Option') return selectOf(field, common)

  const typed = {
    ...common,
    placeholder: placeholder || undefined,
    maxlength: maxLength,
    dir: 'auto',
    autocomplete: autocomplete(field, isLogin),
    autocapitalize: isLogin || type === 'Password' ? 'none' : undefined
  }
  if (type === 'TextArea' || /\n/.test(value)) return element('textarea', { ...typed, rows: rows || 4 })
  const input = element('input', {
    ...typed,
    spellcheck: 'false',
    pattern: pattern || undefined,
    enterkeyhint: isLast ? (isLogin ? 'go' : 'done') : 'next',
    min,
    max,
    ...(INPUTS[type] ?? { type: 'text' })
  })
  input.value = value
  // What a browser's input cannot show, must not be lost.
  if (input.value !== value) input.type = 'text'
  return input
}

/**
 * @param {Field} field
 * @param {Attributes} attributes
 */
function selectOf({ options, value, validation }, attributes) {
  const has = (/** @type {string} */ wanted) => options.some(option => option.value === wanted)
  const all = [
    ...(has('') ? [] : [{ label: text('choose'), value: '' }]),
    ...options,
    ...(has(value) || value === '' ? [] : [{ label: value, value }])
  ]
  const shown = validation.required && value !== '' ? all.filter(option => option.value !== '') : all
  return element('select', attributes, ...shown.map(({ label, value }) => element('option', { value }, label)))
}

/**
 * Two dates, of which the second is not before the first.
 *
 * @param {string} id
 * @param {Field} field
 */
function rangeInputs(id, field) {
  const { required } = field.validation
  const from = element('input', { id, name: field.id, type: 'date', required })
  const to = element('input', { id: `${id}-to`, name: `${field.id}-to`, type: 'date', required })
  const limit = () => {
    to.min = from.value
    // One date alone is no range.
    from.required = required || to.value !== ''
    to.required = required || from.value !== ''
  }
  for (const input of [from, to]) input.addEventListener('input', limit)
  from.value = field.value.split('/')[0] ?? ''
  limit()
  return [from, to]
}

/**
 * @param {Input} input
 * @returns {input is HTMLInputElement}
 */
function isBox(input) {
  return input.type === 'checkbox'
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
