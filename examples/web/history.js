/**
 * The address of the page names the screen after the `#`, so that back, forward and reload work. It is not sent to the
 * server. The main menu has no `#`.
 *
 * @module
 */
import { session } from './session.js'

/** @import { State } from 'screen-auth-client' */

/** The screen in the address; undefined for the menu. */
export function pathInAddress() {
  return location.hash.slice(1) || undefined
}

/** Follows the browser's back and forward buttons, and updates the address for each state. */
export function keepHistory() {
  /** The last shown screen. The first one is no new entry. */
  let last = session.state.name === 'screen' ? session.state.path : undefined
  /** The place of the shown screen in the history of this page. */
  let place = placeOf(history.state) ?? 0
  /** Counts the steps: the person may go on before the screen of a step, or the reply to a question, is there. */
  let steps = 0

  addEventListener('popstate', async () => {
    const step = ++steps
    // A link that was put into the address at the login is opened after it.
    const { canOpen, busy } = session.state
    if (!canOpen && busy === null && placeOf(history.state) === undefined && pathInAddress()) {
      last = undefined
      return session.start(pathInAddress())
    }
    const target = placeInAddress()
    const { state } = session
    // The way back to the shown screen: there is nothing to open, unless another one is on its way.
    if (target === place && busy !== 'loading') return
    // What is saved must be waited for.
    if (busy === 'saving' && canOpen) return history.go(place - target)
    await session.open(pathInAddress() ?? session.menuPath)
    if (step !== steps) return
    const isShown = 'screen' in state && 'screen' in session.state && state.screen === session.state.screen
    // The person stays, so the address goes back to where it was.
    if (isShown && session.state.hasChanges && target !== place) history.go(place - target)
    // Going back does not close a login form.
    else keep(session.state)
  })
  // The page itself scrolls a list to where it was.
  history.scrollRestoration = 'manual'
  history.replaceState({ place }, '')
  session.subscribe(keep)

  /** @param {State} state */
  function keep(state) {
    if (!('screen' in state) || state.busy !== null) return
    // The address that a person came with stays, because it is opened after the login.
    if (!state.canOpen && last === undefined) return
    // No other login form has an address.
    const path = !state.canOpen || state.path === session.menuPath ? undefined : state.path
    const here = placeInAddress()
    // Only another screen is a new entry, and only when the address still names the last one. A new entry beside one
    // that names a missing screen, or is not normalised, would be a trap: "back" would lead there, and to here again.
    const isReplaced = !state.canOpen || (state.name === 'screen' && state.replaces)
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
