// Keeps the path of the screen in the address of the page, after the `#`, so that back, forward and reload work.
// Browsers do not send this part to the server. The address of the main menu has no `#`.
import { session } from './session.js'

/** @import { State } from 'screen-auth-client' */

/** Returns the path of the screen in the address; undefined for the main menu. */
export function pathInAddress() {
  return location.hash.slice(1) || undefined
}

/** Index of the current entry in the history of this page. @type {() => number | undefined} */
const storedPlace = () => history.state?.place

/** Handles the browser's back and forward buttons, and updates the address for each state. */
export function syncHistory() {
  /** Path of the last shown screen. The first screen creates no new entry. */
  let last = session.state.name === 'screen' ? session.state.path : undefined
  /** Index of the shown screen in the history of this page. */
  let place = storedPlace() ?? 0
  /** Counts the navigations: the person may navigate again before a screen has loaded or a question is closed. */
  let navigations = 0

  addEventListener('popstate', async () => {
    const navigation = ++navigations
    // The person has entered an address with a path on the login page: open the path after the login.
    const { canOpen, busy } = session.state
    if (!canOpen && busy === null && storedPlace() === undefined && pathInAddress()) {
      last = undefined
      return session.start(pathInAddress())
    }
    const target = placeInAddress()
    const { state } = session
    // The person has returned to the shown screen: nothing to open, unless another screen is loading.
    if (target === place && busy !== 'loading') return
    // The save must end first, so restore the address.
    if (busy === 'saving' && canOpen) return history.go(place - target)
    await session.open(pathInAddress() ?? session.menuPath)
    if (navigation !== navigations) return
    const isShown = 'screen' in state && 'screen' in session.state && state.screen === session.state.screen
    // The person has decided to stay, so restore the address.
    if (isShown && session.state.hasChanges && target !== place) history.go(place - target)
    // The address must match the state: for example, going back does not close a login form.
    else updateAddress(session.state)
  })
  // The page itself restores the scroll position of a list.
  history.scrollRestoration = 'manual'
  history.replaceState({ place }, '')
  session.subscribe(updateAddress)

  /** @param {State} state */
  function updateAddress(state) {
    if (!('screen' in state) || state.busy !== null) return
    // Before the first login, keeps the initial address, because the session opens it after the login.
    if (!state.canOpen && last === undefined) return
    // A login form has no address of its own.
    const path = !state.canOpen || state.path === session.menuPath ? undefined : state.path
    const here = placeInAddress()
    // Adds an entry only for another screen, and only if the address still names the last one. If the address names a
    // missing screen, or is not normalised, an added entry would trap the person: "back" would always return here.
    const isReplaced = !state.canOpen || (state.name === 'screen' && state.replaces)
    const isStep = here === place && !isReplaced && ![undefined, state.path].includes(last)
    last = state.path
    place = isStep ? place + 1 : here
    const address = location.pathname + location.search + (path === undefined ? '' : `#${path}`)
    if (isStep) history.pushState({ place }, '', address)
    else if (path !== pathInAddress() || storedPlace() !== place) history.replaceState({ place }, '', address)
  }

  /** Index of the current entry. An entry from a typed address has no index yet: it gets the index after `place`. */
  function placeInAddress() {
    return storedPlace() ?? place + 1
  }
}
