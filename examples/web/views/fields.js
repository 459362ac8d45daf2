import { element } from '../dom.js'
import { format } from '../format.js'
import { text } from '../texts.js'
import { createControl } from './control.js'

/** @import { Field } from 'screen-auth-client' */
/** @import { Control } from './control.js' */

/**
 * The fields of a form: inputs, values to read, and lines.
 *
 * @param {Field[]} fields
 * @param {string} name makes the ids of the elements unique
 * @param {boolean} isLogin
 * @param {(id: string, value: string) => void} enter called with what was typed
 */
export function createFields(fields, name, isLogin, enter) {
  /** @type {Control[]} */
  const controls = []
  /** @type {HTMLElement[]} */
  const nodes = []
  fields.forEach((field, index) => {
    if (field.type === 'Separator') nodes.push(element('hr'))
    else if (field.editable) {
      const isLast = !fields.slice(index + 1).some(({ editable, type }) => editable && type !== 'Separator')
      const control = createControl(field, `${name}-${index}`, { isLogin, isLast, enter })
      controls.push(control)
      nodes.push(control.node)
    } else {
      if (nodes.at(-1)?.tagName !== 'DL') nodes.push(element('dl'))
      nodes.at(-1)?.append(element('dt', { dir: 'auto' }, field.label), element('dd', { dir: 'auto' }, shown(field)))
    }
  })
  return { nodes, controls }
}

/**
 * Says at each control what is wrong with it. Returns whether there is one, and gives the first one the focus.
 *
 * @param {Control[]} controls
 */
export function focusFault(controls) {
  const [first] = controls.filter(control => !control.check())
  first?.input.focus()
  return first !== undefined
}

/**
 * A value to read.
 *
 * @param {Field} field
 * @returns {Node | string}
 */
function shown({ type, value, options, trueLabel, falseLabel }) {
  if (value === '') return '–'
  if (type === 'Password') return '••••••••'
  if (type === 'Option') return options.find(option => option.value === value)?.label ?? value
  const href = linkOf(type, value)
  if (href !== null) return element('a', { href, target: '_blank', rel: 'noopener noreferrer' }, value)
  return format(type, value, { yes: trueLabel || text('yes'), no: falseLabel || text('no') })
}

/**
 * Null when it is no link, or not a safe one: a `javascript:` URL, for example.
 *
 * @param {string} type
 * @param {string} value
 */
function linkOf(type, value) {
  if (type === 'Email') return /^[^\s?&%]+@[^\s?&%]+$/.test(value) ? `mailto:${value}` : null
  if (type === 'Phone') return /^\+?[\d\s()./-]+$/.test(value) ? `tel:${value.replace(/[^\d+]/g, '')}` : null
  if (type === 'URL') return /^https?:$/.test(URL.parse(value)?.protocol ?? '') ? value : null
  return null
}
