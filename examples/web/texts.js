import { session } from './session.js'

/** @import { Field } from 'screen-auth-client' */
/** @typedef {keyof typeof TEXTS} TextKey */

/** @type {typeof import('./texts.json')} */
const TEXTS = await (await fetch(new URL('texts.json', import.meta.url))).json()

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
 * Returns a message for the place of its field, without the label: `Not a number.` for `Rate: not a number.`
 *
 * @type {(message: string, fields: Field[], id: string) => string}
 */
export function withoutLabel(message, fields, id) {
  const { length = 0 } = fields.find(field => field.id === id)?.label ?? ''
  const [, first = '', rest] = /^\s*[:：–—-]\s*(.)(.*)/su.exec(message.slice(length)) ?? []
  return rest === undefined ? message : first.toLocaleUpperCase() + rest
}
