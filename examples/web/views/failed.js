import { button, element, setText } from '../dom.js'
import { session } from '../session.js'
import { text } from '../texts.js'

/** @import { View } from './screen.js' */

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer

/**
 * Shown when there is no screen. It counts down to the next try, if there will be one.
 *
 * @returns {View}
 */
export function failedView() {
  const message = element('p', { dir: 'auto' })
  const countdown = element('p', { class: 'muted' })
  const retry = button('', () => session.retry(), { class: 'primary' })
  return {
    nodes: [element('div', { class: 'card narrow' }, message, countdown, retry)],
    focus: retry,
    update(state) {
      if (state.name !== 'failed') return
      const kept = session.isLoggedIn ? ` ${text('stay_logged_in')}` : ''
      setText(message, state.message.text + kept)
      setText(retry, text(state.busy ? 'trying_again' : 'try_again'))
      retry.setAttribute('aria-disabled', String(state.busy))
      count()
    }
  }

  function count() {
    const { state } = session
    const retryAt = state.name === 'failed' ? state.retryAt : null
    countdown.hidden = retryAt === null
    if (retryAt === null) return
    const seconds = Math.max(1, Math.ceil((retryAt - Date.now()) / 1000))
    setText(countdown, `${text('trying_again_in')} ${seconds} s`)
    clearTimeout(timer)
    timer = setTimeout(count, 1000)
  }
}
