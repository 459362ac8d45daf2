/**
 * The keys of the page, and the help that lists them. Keys without a modifier do nothing while one types in a field.
 *
 * @module
 */
import { openDialog } from './dialog.js'
import { button, byId, element } from './dom.js'
import { session } from './session.js'
import { text } from './texts.js'

const ITEMS = '.items a, .items button, .items summary, .row-link'
const FIELD = 'input, textarea, select'

export function listenToKeys() {
  addEventListener('keydown', event => {
    if (event.defaultPrevented || event.isComposing) return
    const isHandled = document.querySelector('dialog') === null && press(event)
    if (isHandled) event.preventDefault()
  })
}

/**
 * Returns whether the key did something.
 *
 * @param {KeyboardEvent} event
 */
function press({ key, ctrlKey, metaKey, altKey, target }) {
  if ((ctrlKey || metaKey) && !altKey && key.toLowerCase() === 's') {
    // The browser would save the page as a file.
    document.querySelector('form')?.requestSubmit()
    return true
  }
  if (ctrlKey || metaKey || altKey) return false
  if (key === 'F1') return openHelp()
  if (target instanceof Element && target.matches(FIELD)) return false
  if (key === '?') return openHelp()
  if (key === 'Escape') return goBack()
  return moveTo(key)
}

function goBack() {
  const { state } = session
  if (!session.canOpen || !('screen' in state) || state.path === session.menuPath) return false
  session.open(state.screen.parentUrl || session.menuPath)
  return true
}

/**
 * Moves the focus to another row or item.
 *
 * @param {string} key
 */
function moveTo(key) {
  const items = /** @type {HTMLElement[]} */ ([...byId('main').querySelectorAll(ITEMS)]).filter(item =>
    item.checkVisibility()
  )
  const current = items.indexOf(/** @type {HTMLElement} */ (document.activeElement))
  const targets = /** @type {Record<string, number>} */ ({
    ArrowDown: Math.min(current + 1, items.length - 1),
    ArrowUp: Math.max(current - 1, 0),
    Home: 0,
    End: items.length - 1
  })
  const target = items[targets[key] ?? -1]
  target?.focus()
  return target !== undefined
}

export function openHelp() {
  const keys = /** @type {const} */ ([
    ['key_move', '↑', '↓'],
    ['key_ends', 'Home', 'End'],
    ['key_tabs', '←', '→'],
    ['key_open', 'Enter'],
    ['key_back', 'Esc'],
    ['key_save', 'Ctrl S'],
    ['key_help', '?', 'F1']
  ])
  const rows = keys.flatMap(([says, ...names]) => [
    element('dt', {}, ...names.map(name => element('kbd', {}, name))),
    element('dd', {}, text(says))
  ])
  const close = button(text('close'), () => dialog.close(), { class: 'primary', autofocus: true })
  const dialog = openDialog(text('keys'), [element('dl', {}, ...rows), element('div', { class: 'buttons' }, close)])
  return true
}
