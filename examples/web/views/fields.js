import { useEffect, useState } from 'preact/hooks'
import { faultOf, format, isNumber, isTrue, parse } from 'screen-auth-client'
import { html } from '../html.js'
import { LANGUAGES } from '../session.js'
import { text } from '../texts.js'

/** @import { VNode } from 'preact' */
/** @import { Field, Values } from 'screen-auth-client' */
/** @import { TextKey } from '../texts.js' */

/**
 * The properties that all fields of a form share.
 *
 * @typedef {object} FormContext
 * @property {Values} values
 * @property {ReadonlyMap<string, string>} faults the errors, by the id of the field
 * @property {(id: string, value: string) => void} enter
 * @property {boolean} isBusy
 * @property {ReadonlyMap<string, string>} [theirs] the values that others have saved, by the id of the field
 * @property {string} [focus] the id of the field that has the focus initially
 * @property {boolean} [isLogin]
 */

/** Formats data for the person. @type {(field: Field, data: string) => string} */
const show = (field, data) => format(field, data, LANGUAGES)

/** The text of an input that has a value of its field. @type {(field: Field, value?: string) => string} */
export const textOf = (field, value = field.value) => (isNumber(field.type) ? show(field, value) : value)

/** The text of an input, for reading. @type {(field: Field, text: string) => string} */
const readable = (field, text) => (isNumber(field.type) ? text : show(field, text))

/**
 * Draws the fields of a section: inputs, read-only values, and lines. Without `enter`, all fields are read-only.
 *
 * @param {{ fields: Field[], name: string } & Partial<FormContext>} props `name` makes the ids of the elements unique
 */
export function Fields({ fields, name, ...context }) {
  const parts = /** @type {(VNode | VNode[])[]} */ ([])
  fields.forEach((field, index) => {
    const last = parts.at(-1)
    if (field.type === 'Separator') parts.push(html`<hr />`)
    else if (field.editable && context.enter)
      parts.push(html`<${Control} key=${field.id} field=${field} id="${name}-${index}" ...${context} />`)
    else {
      const line = html`<div><dt dir="auto">${field.label}</dt><dd dir="auto">${definedBy(field)}</dd></div>`
      if (Array.isArray(last)) last.push(line)
      else parts.push([line])
    }
  })
  return parts.map(part => (Array.isArray(part) ? html`<dl>${part}</dl>` : part))
}

/** @param {Field} field */
function definedBy(field) {
  const { type, value, trueLabel, falseLabel } = field
  if (value === '') return '–'
  if (type === 'Password') return '••••••••'
  if (type === 'Boolean' && !trueLabel && !falseLabel) return text(isTrue(value) ? 'yes' : 'no')
  const href = linkOf(type, value)
  return href === null ? show(field, value) : html`<a ...${NEW_TAB} href=${href}>${value}</a>`
}

/** The attributes of a link that keeps this page, with its unsaved changes. */
const NEW_TAB = { target: '_blank', rel: 'noopener noreferrer' }

/**
 * Returns the URL of a link; null if the value is no link or an unsafe one, for example a `javascript:` URL.
 *
 * @type {(type: string, value: string) => string | null}
 */
function linkOf(type, value) {
  if (type === 'Email') return /^[^\s?&%]+@[^\s?&%]+$/.test(value) ? `mailto:${value}` : null
  if (type === 'Phone')
    return /^\+?[\s()./-]*\d[\d\s()./-]*$/.test(value) ? `tel:${value.replace(/(?<=\+.*)\(0\)|[^\d+]/g, '')}` : null
  if (type === 'URL') return /^https?:$/.test(URL.parse(value)?.protocol ?? '') ? value : null
  return null
}

/**
 * The attributes of browser inputs, by the type of the field. No input has the type number: the mouse wheel would
 * change the value, and a browser whose language has a decimal point ignores a comma, so that 62,5 becomes 625.
 *
 * @type {Record<string, { type?: string, inputmode?: string }>}
 */
const INPUTS = {
  Integer: { inputmode: 'numeric' },
  Decimal: { inputmode: 'decimal' },
  Date: { type: 'date' },
  Time: { type: 'time' },
  // Chromium turns the value of an input of the type email into punycode.
  Email: { inputmode: 'email' },
  Phone: { type: 'tel' },
  Password: { type: 'password' },
  URL: { type: 'url' }
}

/** An input with its label, and notes about its value. @param {{ field: Field, id: string } & FormContext} props */
function Control({ field, id, values, faults, theirs, focus, enter, ...context }) {
  const { type, label, validation } = field
  const value = values.get(field.id) ?? ''
  const fault = faults.get(field.id)
  const other = theirs?.get(field.id) ?? value
  const minLength = type === 'Password' && !context.isLogin && validation.minLength
  const isMarked = validation.required && type !== 'Boolean'
  const notes = [
    minLength && !fault && html`<p id="${id}-hint" class="hint">${text('fault_min_length', minLength)}</p>`,
    other !== value &&
      html`<p id="${id}-theirs" class="theirs" dir="auto">
        ${text('theirs', readable(field, other) || text('nothing'))}${' '}
        <button type="button" onClick=${useTheirs}>${text('use_theirs')}</button>
      </p>`,
    fault && html`<p key=${fault} id="${id}-fault" class="fault" dir="auto" ref=${announce}>${fault}</p>`
  ].filter(note => note)
  const attributes = {
    id,
    name: field.id,
    'data-focus': focus === field.id || null,
    'aria-invalid': fault === undefined ? null : 'true',
    'aria-required': isMarked ? 'true' : null,
    'aria-describedby': notes.map(note => /** @type {any} */ (note).props.id).join(' ') || null
  }
  // Moves the focus, because the button disappears.
  function useTheirs() {
    enter(field.id, other)
    document.getElementById(id)?.focus()
  }
  const name = html`<label for=${id} dir="auto" class=${isMarked ? 'required' : ''}>${label}</label>`
  if (type === 'Boolean') {
    // A checkbox cannot be read-only.
    const onClick = (/** @type {MouseEvent} */ event) => context.isBusy && event.preventDefault()
    const box = html`<input ...${attributes} ref=${setting('checked', isTrue(value))} type="checkbox" onClick=${onClick} />`
    return html`<div class="field check">${box}${name}${notes}</div>`
  }
  if (type === 'DateRange' && /^((\d{4}-\d\d-\d\d)?\/(\d{4}-\d\d-\d\d)?)?$/.test(field.value)) {
    return html`<fieldset class="field wide range">
      <legend dir="auto">${label}</legend>
      <${Day} name=${text('from')} attributes=${attributes} value=${value.split('/')[0]} isBusy=${context.isBusy} />
      <${Day} name=${text('to')} attributes=${{ ...attributes, id: `${id}-to` }} value=${value.split('/')[1]} isBusy=${context.isBusy} />
      ${notes}
    </fieldset>`
  }
  const Input = type === 'Option' ? Choice : Text
  const printed = (type !== 'Password' && readable(field, value)) || '–'
  return html`<div class=${/^(TextArea|DateRange|URL)$/.test(type) ? 'field wide' : 'field'}>
    ${name}<span class="input" data-printed=${printed}><${Input} field=${field} attributes=${attributes} value=${value} ...${context} /></span>${notes}
  </div>`
}

/** The value that each input got from the session. */
const drawn = new WeakMap()

/**
 * Returns a `ref` that sets an input when its value changes in the session. Otherwise the input keeps its content at a
 * redraw: a password manager may have filled it in without an event.
 *
 * @type {(property: 'value' | 'checked', value: string | boolean) => (input: any) => void}
 */
function setting(property, value) {
  return input => {
    if (input === null || drawn.get(input) === value) return
    drawn.set(input, value)
    // To set an equal value would empty a half-typed date.
    if (input[property] !== value) input[property] = value
  }
}

/**
 * Makes a new error an alert if its input has the focus already. Otherwise a screen reader reads it with the input.
 *
 * @param {HTMLElement | null} fault
 */
function announce(fault) {
  if (fault?.parentElement?.contains(document.activeElement)) fault.role = 'alert'
}

/** @typedef {{ field: Field, attributes: Record<string, any>, value: string, isLogin?: boolean, isBusy: boolean }} Props */

/** @param {{ name: string } & Omit<Props, 'field'>} props */
function Day({ name, attributes, value = '', isBusy }) {
  return html`<div>
    <label for=${attributes.id}>${name}</label>
    <span class="input" data-printed=${format({ type: 'Date' }, value, LANGUAGES) || '–'}>
      <input ...${attributes} ref=${setting('value', value)} data-range type="date" readonly=${isBusy} />
    </span>
  </div>`
}

/** @param {Props} props */
function Choice({ field: { options, value: sent, validation }, attributes, value, isBusy }) {
  const labels = new Map([['', text('choose')]])
  for (const { value, label } of options) labels.set(value, label)
  if (validation.required && sent !== '') labels.delete('')
  // Adds values that are not among the choices, so that they are not lost.
  for (const one of [sent, value]) if (one !== '' && !labels.has(one)) labels.set(one, one)
  // A select cannot be read-only. The keys keep the chosen option when others come or go.
  return html`<select ...${attributes} ref=${setting('value', value)}>
    ${[...labels].map(([value, label]) => html`<option key=${value} value=${value} disabled=${isBusy}>${label}</option>`)}
  </select>`
}

/** @param {Props} props */
function Text({ field, attributes, value, isLogin, isBusy }) {
  const { id, label, type, placeholder, rows, validation } = field
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    if (isBusy) setShown(false)
  }, [isBusy])
  const isPassword = type === 'Password'
  const password = isLogin || /current|old/i.test(id) ? 'current-password' : 'new-password'
  const typed = {
    ...attributes,
    ref: setting('value', value),
    readonly: isBusy,
    placeholder: textOf(field, placeholder) || null,
    // The text of a number can be longer than its data.
    maxlength: isNumber(field.type) ? null : validation.maxLength,
    autocomplete: isPassword ? password : isLogin && (id === 'username' || type === 'Email') ? 'username' : 'off',
    autocapitalize: isLogin || /^(Password|Email|URL)$/.test(type) ? 'none' : null,
    dir: 'auto'
  }
  if (type === 'TextArea' || (!isPassword && /[\r\n]/.test(field.value)))
    return html`<textarea ...${typed} rows=${rows || 4}></textarea>`
  const own = INPUTS[type] ?? {}
  // A text input keeps a value that the browser's input of this type cannot show.
  const kind = own.type && !isShown && (isPassword || canShow(own.type, field.value)) ? own.type : 'text'
  const data = parse(field, value, LANGUAGES)
  const href = isLogin || data === null || faultOf(field, data) ? null : linkOf(type, data)
  const name = href && text(/** @type {TextKey} */ (`open_${type}`), data ?? '')
  const toggle = html`${text(isShown ? 'hide' : 'show')}<span class="unseen"> ${label}</span>`
  // The number keyboard of some phones has no minus.
  const inputmode = isNumber(field.type) && (validation.min ?? -1) < 0 ? null : own.inputmode
  return html`
    <input ...${typed} type=${kind} inputmode=${inputmode} spellcheck=${false} />
    ${href && html`<a ...${NEW_TAB} class="addon" href=${href} aria-label=${name} title=${name}></a>`}
    ${isPassword && html`<button type="button" class="addon" onClick=${() => setShown(!isShown)}>${toggle}</button>`}`
}

/** @type {(type: string, value: string) => boolean} */
function canShow(type, value) {
  return Object.assign(document.createElement('input'), { type, value }).value === value
}
