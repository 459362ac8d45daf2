/**
 * The address of the page names the screen after the `#`, so that back, forward and reload work. It is not sent to the
 * server. The main menu has no `#`.
 *
 * @module
 */
import { element } from './dom.js'
import { session } from './session.js'

/** @import { State } from 'screen-auth-client' */
/** @import { Attributes } from './dom.js' */

/** The screen in the address; undefined for the menu. */
export function pathInAddress() {
  return location.hash.slice(1) || undefined
}

/**
 * A link to a screen. It opens in this tab, unless the person wants another one.
 *
 * @param {string} label
 * @param {string} url
 * @param {() => unknown} open
 * @param {Attributes} [attributes]
 */
export function screenLink(label, url, open, attributes) {
  const path = session.pathOf(url)
  const href = path === null || path === session.menuPath ? '#' : `#${path}`
  return element('a', { href, click, dir: 'auto', ...attributes }, label)

  /** @param {MouseEvent} event */
  function click(event) {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    open()
  }
}

/**
 * Follows the browser's back and forward buttons. Returns a function that updates the address for each state.
 *
 * @returns {(state: State) => void}
 */
export function keepHistory() {
  /** The last shown screen. The first one is no new entry. */
  let last = 'screen' in session.state ? session.state.path : undefined
  /** The place of the shown screen in the history of this page. */
  let place = placeOf(history.state) ?? 0
  /** Counts the steps: the person may go on before the screen of a step, or the reply to a question, is there. */
  let steps = 0

  addEventListener('popstate', async () => {
    const step = ++steps
    const target = placeInAddress()
    const { state } = session
    // The way back to the shown screen: there is nothing to open, unless another one is on its way.
    if (target === place && !('busy' in state && state.busy)) return
    await session.open(pathInAddress() ?? session.menuPath)
    if (step !== steps) return
    const isShown = 'screen' in state && 'screen' in session.state && state.screen === session.state.screen
    // The person stays, so the address goes back to where it was.
    if (isShown && session.hasChanges && target !== place) history.go(place - target)
    // Going back does not close a login form.
    else keep(session.state)
  })
  // The page itself scrolls a list to where it was.
  history.scrollRestoration = 'manual'
  history.replaceState({ place }, '')
  keep(session.state)
  return keep

  /** @param {State} state */
  function keep(state) {
    if (!('screen' in state) || state.busy) return
    // The login form has no address.
    const path = !session.canOpen || state.path === session.menuPath ? undefined : state.path
    const here = placeInAddress()
    // Only another screen is a new entry, and only when the address still names the last one. A new entry beside one
    // that names a missing screen, or is not normalised, would be a trap: "back" would lead there, and to here again.
    const isReplaced = !session.canOpen || (state.name === 'screen' && state.replaces)
    const isStep = here === place && !isReplaced && ![undefined, state.path].includes(last)
    last = state.path
    place = isStep ? place + 1 : here
    const address = location.pathname + location.search + (path === undefined ? '' : `#${path}`)
    if (isStep) history.pushState({ place }, '', address)
    else if (path !== pathInAddress() || placeOf(history.state) !== place) history.replaceState({ place }, '', address)
  }

  /** The place of the entry that the browser is at. An address that a person has typed has none yet. */
  function placeInAddress() {
    return placeOf(history.state) ?? place + 1
  }
}

/** @param {unknown} state */
function placeOf(state) {
  const { place } = /** @type {{ place?: unknown }} */ (state ?? {})
  return typeof place === 'number' ? place : undefined
}
