import { format } from 'screen-auth-client'
import { session } from './session.js'

/** @import { Formatted } from 'screen-auth-client' */
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
 * Returns a value in the format of the browser's languages.
 *
 * @param {Formatted} field
 * @param {string} value
 */
export function shown(field, value) {
  return format(field, value, [...navigator.languages])
}
