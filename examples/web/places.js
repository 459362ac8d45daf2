/** @import { State } from 'screen-auth-client' */

/**
 * Remembers where a person was in a list: how far it was scrolled, and which row had the focus.
 *
 * @returns {{ leave: (state: State) => void, restore: (before: State, state: State) => boolean }}
 */
export function placeKeeper() {
  /** @type {Map<string, { top: number, href: string }>} */
  const places = new Map()
  return {
    leave(state) {
      if (state.name !== 'screen' || state.screen.list === null) return
      const href = document.activeElement?.getAttribute('href') ?? ''
      places.set(state.path, { top: scrollY, href })
    },
    // A list that is opened from a menu begins at its top.
    restore(before, state) {
      if (state.name !== 'screen' || before.name !== 'screen' || before.screen.menu !== null) return false
      const place = places.get(state.path)
      if (place === undefined) return false
      const row = [...document.querySelectorAll('a.row-link')].find(
        link => link.getAttribute('href') === place.href
      )
      if (row instanceof HTMLElement) row.focus({ preventScroll: true })
      scrollTo(0, place.top)
      return row !== undefined
    }
  }
}
