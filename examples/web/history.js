/**
 * The address of the page names the screen after the `#`, so that back, forward and reload work. It is not sent to the
 * server. The main menu has no `#`.
 *
 * @module
 */

/** @import { Session, State } from 'fastify-screen-auth/client' */

/** The screen in the address; undefined for the menu. */
export function pathInAddress() {
  return location.hash.slice(1) || undefined
}

/**
 * The address of a screen, for a link.
 *
 * @param {Session} session
 * @param {string | null} path
 */
export function addressOf(session, path) {
  return path === null || path === session.menuPath ? '#' : `#${path}`
}

/**
 * Follows the browser's back and forward buttons. Returns a function that updates the address for each state.
 *
 * @param {Session} session
 * @returns {(state: State) => void}
 */
export function keepHistory(session) {
  let last = session.state.name === 'screen' ? session.state.path : undefined
  /** The place of the current entry in the history of this page. */
  let place = placeOf(history.state) ?? 0
  let isReturning = false

  addEventListener('popstate', async () => {
    if (isReturning) {
      isReturning = false
      return
    }
    // An address that a person has typed is a new entry, which has no place yet.
    const target = placeOf(history.state) ?? place + 1
    await session.open(pathInAddress() ?? session.menuPath)
    if (session.hasChanges) {
      // The person stays, so the address goes back to where it was.
      isReturning = true
      history.go(place - target)
      return
    }
    place = target
    // Going back does not close a login form.
    keep(session.state)
  })
  // The page itself scrolls a list to where it was.
  history.scrollRestoration = 'manual'
  history.replaceState({ place }, '')
  keep(session.state)
  return keep

  /** @param {State} state */
  function keep(state) {
    if (state.name === 'screen' && !state.busy) {
      const path = state.path === session.menuPath ? undefined : state.path
      // Only another screen is a new entry. If the address names a missing screen or is not normalised, a new entry for
      // the current screen would be a trap: going back would lead to that address, and from there to here again.
      const isStep = state.path !== last && !state.replaces
      last = state.path
      if (path === pathInAddress()) return
      if (isStep) place += 1
      const write = isStep ? 'pushState' : 'replaceState'
      history[write]({ place }, '', pageAddress(path))
    } else if (state.name === 'login' && pathInAddress() !== undefined) {
      history.replaceState({ place }, '', pageAddress())
    }
  }
}

/** @param {unknown} state */
function placeOf(state) {
  const { place } = /** @type {{ place?: unknown }} */ (state ?? {})
  return typeof place === 'number' ? place : undefined
}

/** @param {string} [path] */
function pageAddress(path) {
  return location.pathname + location.search + (path === undefined ? '' : `#${path}`)
}
