import { element, setText } from '../dom.js'
import { text } from '../texts.js'

/** @import { Session } from 'screen-auth-client' */
/** @import { View } from './view.js' */

/**
 * Shown when there is no screen. It counts down to the next try, if there will be one.
 *
 * @param {Session} session
 * @returns {View}
 */
export function failedView(session) {
  const message = element('p', { dir: 'auto' })
  const countdown = element('p', { class: 'muted' })
  const button = element('button', { type: 'button', class: 'primary', click: () => session.retry() })
  return {
    nodes: [element('div', { class: 'card narrow failed' }, message, countdown, button)],
    focus: button,
    update(state) {
      if (state.name !== 'failed') return
      const kept = session.isLoggedIn ? ` ${text(session, 'stay_logged_in')}` : ''
      setText(message, state.message.text + kept)
      setText(button, text(session, state.busy ? 'trying_again' : 'try_again'))
      button.setAttribute('aria-disabled', String(state.busy))
      count()
    }
  }

  function count() {
    const { state } = session
    const retryAt = state.name === 'failed' ? state.retryAt : null
    countdown.hidden = retryAt === null
    if (retryAt === null) return
    const seconds = Math.max(1, Math.ceil((retryAt - Date.now()) / 1000))
    setText(countdown, `${text(session, 'trying_again_in')} ${seconds} s`)
    clearTimeout(timer)
    timer = setTimeout(count, 1000)
  }
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer
