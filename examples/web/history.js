/**
 * The address of the page names the screen, behind the `#`: back, forward and reload work, and the server sees none of
 * it. The main menu has the address without anything.
 *
 * @module
 */

/** @import { Session, State } from '../client/session.js' */

/** The screen that the address names; undefined for the menu. */
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
 * Follows the browser's buttons, and answers a function that keeps the address in step with the states.
 *
 * @param {Session} session
 * @returns {(state: State) => void}
 */
export function keepHistory(session) {
  let last = session.state.name === 'screen' ? session.state.path : undefined
  addEventListener('popstate', async () => {
    await session.open(pathInAddress() ?? session.menuPath)
    // A login form does not go away by going back.
    keep(session.state)
  })
  keep(session.state)
  return keep

  /** @param {State} state */
  function keep(state) {
    if (state.name === 'screen' && !state.busy) {
      const path = state.path === session.menuPath ? undefined : state.path
      // Only another screen is a step. To push the same one again, because the address names one that is gone, or
      // has another spelling, would be a trap: back would lead to that address, and from there to here.
      const isStep = state.path !== last
      last = state.path
      if (path === pathInAddress()) return
      if (isStep) history.pushState(null, '', pageAddress(path))
      else history.replaceState(null, '', pageAddress(path))
    } else if (state.name === 'login' && pathInAddress() !== undefined) {
      history.replaceState(null, '', pageAddress())
    }
  }
}

/** @param {string} [path] */
function pageAddress(path) {
  return location.pathname + location.search + (path === undefined ? '' : `#${path}`)
}
