import { element } from '../dom.js'
import { format } from '../format.js'
import { text } from '../texts.js'

/** @import { Field, Session } from 'screen-auth-client' */

/**
 * @param {Field} field
 * @param {Session} session
 * @returns {Node[]} a `dt` and its `dd`
 */
export function description(field, session) {
  return [element('dt', { dir: 'auto' }, field.label), element('dd', { dir: 'auto' }, shown(field, session))]
}

/**
 * @param {Field} field
 * @param {Session} session
 * @returns {Node | string}
 */
function shown(field, session) {
  const { type, value, options } = field
  if (value === '') return '–'
  if (type === 'Password') return '••••••••'
  if (type === 'Option') return options.find(option => option.value === value)?.label ?? value
  const href = linkOf(type, value)
  if (href !== null) return element('a', { href, target: '_blank', rel: 'noopener noreferrer' }, value)
  return format(type, value, {
    yes: field.trueLabel || text(session, 'yes'),
    no: field.falseLabel || text(session, 'no')
  })
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
