import { element } from '../dom.js'

/** @import { Session } from '../../client/session.js' */
/** @import { View } from './view.js' */

/**
 * Shown without a usable response. Retries automatically, or when the person clicks.
 *
 * @param {Session} session
 * @returns {View}
 */
export function offlineView(session) {
  const button = element('button', { type: 'button', click: () => session.retry() }, 'Try again')
  const kept = session.isLoggedIn ? 'You stay logged in. ' : ''
  return {
    nodes: [
      element('div', { class: 'card' }, element('p', {}, `${kept}This page tries again by itself.`), button)
    ],
    focus: button,
    update(state) {
      button.setAttribute('aria-disabled', String(state.name === 'offline' && state.busy))
    }
  }
}
