import { session } from './session.js'
import TEXTS from './texts.json' with { type: 'json' }

/** How the person writes dates and numbers. */
export const LANGUAGES = [...navigator.languages]

/** @typedef {keyof typeof TEXTS} TextKey */

/**
 * What the page says by itself. A screen may bring another language in its `ui_strings`, under the same keys.
 *
 * @param {TextKey} key
 * @param {string | number} [value] stands in the place of `{0}`
 */
export function text(key, value = '') {
  return (session.strings.get(key) || TEXTS[key]).replace('{0}', () => `${value}`)
}
