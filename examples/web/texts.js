import { format } from 'screen-auth-client'
import { session } from './session.js'
import TEXTS from './texts.json' with { type: 'json' }

/** @import { Formatted } from 'screen-auth-client' */
/** @typedef {keyof typeof TEXTS} TextKey */

/**
 * Returns a text of the page. The `ui_strings` of a screen can replace it, under the same key.
 *
 * @param {TextKey} key
 * @param {string | number} [value] replaces `{0}`
 */
export function text(key, value = '') {
  return (session.strings.get(key) || TEXTS[key]).replace('{0}', () => `${value}`)
}

/**
 * Returns a message for the place of a field, without the label at its start: `Not a number.` for `Rate: not a number.`
 *
 * @param {string} message
 * @param {string} [label]
 */
export function withoutLabel(message, label = '') {
  const rest = message.startsWith(label) && /^\s*[:：–—-]\s*(.+)/su.exec(message.slice(label.length))?.[1]
  return rest ? rest.replace(/^./su, first => first.toLocaleUpperCase()) : message
}

/**
 * Returns a value in the format of the browser's languages.
 *
 * @param {Formatted} field
 * @param {string} value
 */
export function shown(field, value) {
  return format(field, value, [...navigator.languages])
}
