// The keyboard shortcuts of the page, and the help that lists them.
import { html } from './html.js'
import { session } from './session.js'
import { text } from './texts.js'
import { openDialog } from './views/dialog.js'
import { parentOf } from './views/parts.js'

/** @import { TextKey } from './texts.js' */

/** Visible items. Avoids `checkVisibility`, because browsers calculate the layout of each of 5,000 rows for it. */
const ITEMS = ':is(.items :is(a, button, summary), .row-link):not(details:not([open]) .items *)'

/**
 * The lines of the help: a text, and each key with its function. If that returns false, the key has had no effect.
 *
 * @type {[about: TextKey, keys: Record<string, () => unknown>][]}
 */
const KEYS = [
  ['key_move', { ArrowUp: () => move(-1), ArrowDown: () => move(1) }],
  ['key_ends', { Home: () => move(-Infinity), End: () => move(Infinity) }],
  // The browser itself opens a link.
  ['open', { Enter: () => false }],
  ['key_filter', { '/': () => focus(document.getElementById('filter')) }],
  ['key_back', { Escape: goBack }],
  ['save', { 'Ctrl S': save }],
  ['key_help', { '?': openHelp, F1: openHelp }]
]

/** Short names of keys, for the help. */
const NAMES = /** @type {Record<string, string>} */ ({ ArrowUp: '↑', ArrowDown: '↓', Escape: 'Esc' })

export function listenToKeys() {
  const skip = (/** @type {KeyboardEvent} */ event) => {
    // A key that composes a text, as in Japanese, has no other effect. In Safari, only the code of its Enter tells.
    if (!event.isComposing && event.keyCode !== 229) return
    event.stopPropagation()
    if (event.key === 'Enter' || event.key === 'Escape') event.preventDefault()
  }
  addEventListener('keydown', skip, true)
  addEventListener('keydown', event => {
    const isOpen = document.querySelector('dialog[open]') !== null
    if (!event.defaultPrevented && !isOpen && press(event)) event.preventDefault()
  })
}

/** Returns whether the key had an effect. @param {KeyboardEvent} event */
function press({ key, ctrlKey, metaKey, altKey, target }) {
  const isMenuOpen = document.querySelector(':popover-open') !== null
  if (altKey || (isMenuOpen && !/^(Arrow|Home|End)/.test(key))) return false
  const name = ctrlKey || metaKey ? `Ctrl ${key.toUpperCase()}` : key
  const { busy } = session.state
  if (name === 'Escape') session.cancel()
  if (session.state.busy !== busy) return true
  // In a field, other keys enter text or move the cursor.
  const isTyping = target instanceof HTMLElement && target.matches('input, textarea, select')
  if (isTyping && name === 'Escape') {
    target.blur()
    return true
  }
  if (isTyping && name !== 'F1' && name !== 'Ctrl S') return false
  return KEYS.some(([, keys]) => Object.hasOwn(keys, name) && keys[name]?.() !== false)
}

/** Moves the focus to another row or item, and from the first row to the filter. @param {number} by */
function move(by) {
  const area = /** @type {Element} */ (document.querySelector(':popover-open, main'))
  const items = /** @type {HTMLElement[]} */ ([...area.querySelectorAll(ITEMS)])
  const current = items.indexOf(/** @type {HTMLElement} */ (document.activeElement))
  const filter = by === -1 && current === 0 && /** @type {HTMLElement | null} */ (area.querySelector('#filter'))
  return focus(filter || items[Math.max(0, Math.min(current + by, items.length - 1))])
}

/** @param {HTMLElement | null | undefined} element */
function focus(element) {
  element?.focus()
  return element != null
}

function goBack() {
  const { state } = session
  if (!state.canOpen || !('screen' in state) || state.path === session.menuPath) return false
  return session.open(parentOf(state.screen))
}

/** Has an effect even without a form: otherwise the browser saves the page as a file. */
function save() {
  document.querySelector('form')?.requestSubmit()
}

export function openHelp() {
  const lines = KEYS.map(([about, keys]) => {
    const names = Object.keys(keys).map(key => html`<kbd translate=${false}>${NAMES[key] ?? key}</kbd>`)
    return html`<div><dt>${names}</dt><dd>${text(about)}</dd></div>`
  })
  const content = html`<dl>${lines}</dl>
    <form method="dialog" class="buttons"><button class="primary" autofocus>${text('close')}</button></form>`
  openDialog({ title: text('keys'), content })
}
