/**
 * Two keys of the page: Ctrl+S saves, and Esc stops loading. The browser's own keys do the rest.
 *
 * @module
 */
import { session } from './session.js'

/** @import { State } from 'screen-auth-client' */

export function listenToKeys() {
  addEventListener('keydown', event => {
    const isOpen = document.querySelector('dialog[open], :popover-open') !== null
    if (!event.defaultPrevented && !event.isComposing && !isOpen && press(event)) event.preventDefault()
  })
}

/** Returns whether the key had an effect. @param {KeyboardEvent} event */
function press({ key, ctrlKey, metaKey, altKey }) {
  if ((ctrlKey || metaKey) && !altKey && key.toLowerCase() === 's') {
    // Handled even without a form: otherwise the browser saves the page as a file.
    document.querySelector('form')?.requestSubmit()
    return true
  }
  if (key !== 'Escape' || !canCancel(session.state)) return false
  session.cancel()
  return true
}

/** The person can cancel loading and a login, but not a save. @param {State} state */
function canCancel({ name, busy }) {
  return busy === 'loading' || (busy !== null && name === 'login')
}
