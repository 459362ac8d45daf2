/**
 * The keyboard shortcuts of the page, and the help that lists them. Keys without a modifier have no effect in a field.
 *
 * @module
 */
import { html } from './html.js'
import { session } from './session.js'
import { text } from './texts.js'
import { openDialog } from './views/dialog.js'

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
  if (key === 'F1') return openHelp()
  if (key === 'Escape' && canCancel(session.state)) return stopLoading()
  if (target instanceof Element && target.matches(FIELD)) return false
  if (key === '?') return openHelp()
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

export function openHelp() {
  const keys = /** @type {const} */ ([
    ['key_move', '↑', '↓'],
    ['key_ends', 'Home', 'End'],
    ['key_tabs', '←', '→'],
    ['key_open', 'Enter'],
    ['key_filter', '/'],
    ['key_back', 'Esc'],
    ['key_save', 'Ctrl S'],
    ['key_help', '?', 'F1']
  ])
  openDialog({
    title: text('keys'),
    content: close => html`
      <dl>${keys.map(([key, ...names]) => html`<dt>${names.map(name => html`<kbd>${name}</kbd>`)}</dt><dd>${text(key)}</dd>`)}</dl>
      <div class="buttons"><button type="button" class="primary" autofocus onClick=${close}>${text('close')}</button></div>`
  })
  return true
}
