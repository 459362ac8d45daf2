import { useEffect, useRef } from 'preact/hooks'
import { html } from '../html.js'
import { session } from '../session.js'
import { LANGUAGES, text } from '../texts.js'
import { useSeconds } from './countdown.js'

/** @import { State } from 'screen-auth-client' */

/** Milliseconds that a success is shown. */
const SUCCESS = 8_000

/** After so many milliseconds a message that says how long to wait is not true any more. */
const STALE = 60_000

/**
 * The message of a state, with what may help. Screen readers announce an error at once. Both places exist from the
 * start, because only later changes are announced. What is about one field stands below that field (control.js).
 *
 * @param {{ state: State }} props
 */
export function Messages({ state }) {
  const { message } = state
  const retryAt = state.name === 'login' ? state.retryAt : null
  const wait = useSeconds(retryAt)
  const since = useRef({ message, moment: 0 })
  if (since.current.message !== message) since.current = { message, moment: Date.now() }
  const isStale = wait > 0 && Date.now() - since.current.moment > STALE
  const isShown = message !== null && state.name !== 'failed' && !(message.field && state.name === 'screen')
  const says = !isShown ? '' : isStale ? text('wait_until', timeOf(retryAt)) : message.text

  useEffect(() => {
    if (message?.kind !== 'success') return
    const timer = setTimeout(() => session.dismiss(), SUCCESS)
    return () => clearTimeout(timer)
  }, [message])

  return html`<footer id="bar" class=${isShown ? message.kind : 'unseen'} tabindex=${says.length > 200 ? 0 : undefined}>
    <p id="error" role="alert" dir="auto">${isShown && message.kind === 'error' ? says : ''}</p>
    <p id="info" role="status" dir="auto">${isShown && message.kind !== 'error' ? says : ''}</p>
    ${isShown && message.help === 'reload' && html`<button type="button" onClick=${() => session.reload()}>${text('load_theirs')}</button>`}
    ${isShown && message.help === 'retry' && html`<button type="button" onClick=${() => session.retry()}>${text('try_again')}</button>`}
    ${isShown && html`<button type="button" class="bare dismiss" aria-label=${text('close')} onClick=${() => session.dismiss()}></button>`}
  </footer>`
}

/** @param {number | null} moment */
function timeOf(moment) {
  return new Intl.DateTimeFormat(LANGUAGES, { timeStyle: 'short' }).format(moment ?? 0)
}
