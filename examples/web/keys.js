/**
 * The keyboard shortcuts of the page. Keys without a modifier have no effect in a field.
 *
 * @module
 */
import { session } from './session.js'

/** @import { State } from 'screen-auth-client' */

/** Visible items. Avoids `checkVisibility`, because browsers calculate the layout of each of 5,000 rows for it. */
const ITEMS = ':is(.items :is(a, button, summary), .row-link):not([hidden] *, details:not([open]) .items *)'
const FIELD = 'input, textarea, select'

export function listenToKeys() {
  addEventListener('keydown', event => {
    if (event.defaultPrevented || event.isComposing) return
    const isHandled = document.querySelector('dialog[open], :popover-open') === null && press(event)
    if (isHandled) event.preventDefault()
  })
}

/** Returns whether the key had an effect. @param {KeyboardEvent} event */
function press({ key, ctrlKey, metaKey, altKey, target }) {
  if ((ctrlKey || metaKey) && !altKey && key.toLowerCase() === 's') {
    // Handled even without a form: otherwise the browser saves the page as a file.
    document.querySelector('form')?.requestSubmit()
    return true
  }
  if (ctrlKey || metaKey || altKey) return false
  if (key === 'Escape' && canCancel(session.state)) return stopLoading()
  if (target instanceof Element && target.matches(FIELD)) return false
  if (key === '/') return focus(document.getElementById('filter'))
  if (key === 'Escape') return goBack()
  return moveTo(key)
}

/** The person can cancel loading and a login, but not a save. @param {State} state */
function canCancel({ name, busy }) {
  return busy === 'loading' || (busy !== null && name === 'login')
}

export function stopLoading() {
  session.cancel()
  return true
}

function goBack() {
  const { state } = session
  if (!state.canOpen || !('screen' in state) || state.path === session.menuPath) return false
  session.open(state.screen.parentUrl || session.menuPath)
  return true
}

/** Moves the focus to another row or item. @param {string} key */
function moveTo(key) {
  const items = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(ITEMS)])
  const current = items.indexOf(/** @type {HTMLElement} */ (document.activeElement))
  const targets = /** @type {Record<string, number>} */ ({
    ArrowDown: Math.min(current + 1, items.length - 1),
    ArrowUp: Math.max(current - 1, 0),
    Home: 0,
    End: items.length - 1
  })
  return focus(items[targets[key] ?? -1])
}

/** @param {HTMLElement | null | undefined} element */
function focus(element) {
  element?.focus()
  return element != null
}
