import { format, isTrue } from 'screen-auth-client'
import { html } from '../html.js'
import { LANGUAGES, text } from '../texts.js'
import { Control } from './control.js'

/** @import { VNode } from 'preact' */
/** @import { Field, Values } from 'screen-auth-client' */

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

/**
 * Draws the fields of a section: inputs, read-only values, and lines.
 *
 * @param {{ fields: Field[], name: string } & FormContext} props `name` makes the ids of the elements unique
 */
export function Fields({ fields, name, ...context }) {
  const parts = /** @type {(VNode | Field[])[]} */ ([])
  fields.forEach((field, index) => {
    const last = parts.at(-1)
    if (field.type === 'Separator') parts.push(html`<hr />`)
    else if (field.editable) parts.push(html`<${Control} field=${field} id="${name}-${index}" ...${context} />`)
    else if (Array.isArray(last)) last.push(field)
    else parts.push([field])
  })
  return parts.map(part => (Array.isArray(part) ? html`<dl>${part.map(definitionOf)}</dl>` : part))
}

/** @param {Field} field */
function definitionOf(field) {
  return html`<div><dt dir="auto">${field.label}</dt><dd dir="auto">${shown(field)}</dd></div>`
}

/** @param {Field} field */
function shown(field) {
  const { type, value, trueLabel, falseLabel } = field
  if (value === '') return '–'
  if (type === 'Password') return '••••••••'
  if (type === 'Boolean' && !trueLabel && !falseLabel) return text(isTrue(value) ? 'yes' : 'no')
  const href = linkOf(type, value)
  if (href !== null) return html`<a href=${href} target="_blank" rel="noopener noreferrer">${value}</a>`
  return format(field, value, LANGUAGES)
}

/**
 * Returns the URL of a link; null if the value is no link or an unsafe one, for example a `javascript:` URL.
 *
 * @type {(type: string, value: string) => string | null}
 */
function linkOf(type, value) {
  if (type === 'Email') return /^[^\s?&%]+@[^\s?&%]+$/.test(value) ? `mailto:${value}` : null
  if (type === 'Phone') return /^\+?[\d\s()./-]+$/.test(value) ? `tel:${value.replace(/[^\d+]/g, '')}` : null
  if (type === 'URL') return /^https?:$/.test(URL.parse(value)?.protocol ?? '') ? value : null
  return null
}
