import { session } from './session.js'
import TEXTS from './texts.json' with { type: 'json' }

/** Languages that define the format of dates and numbers. */
export const LANGUAGES = [...navigator.languages]

/** @typedef {keyof typeof TEXTS} TextKey */

/**
 * Returns a text of the page. The `ui_strings` of a screen can translate it, under the same key.
 *
 * @param {TextKey} key
 * @param {string | number} [value] replaces `{0}`
 */
export function text(key, value = '') {
  return (session.strings.get(key) || TEXTS[key]).replace('{0}', () => `${value}`)
}
