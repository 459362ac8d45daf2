import { useEffect } from 'preact/hooks'
import { html } from '../html.js'
import { session } from '../session.js'
import { text } from '../texts.js'
import { toldByList } from './list.js'

/** @import { State } from 'screen-auth-client' */

/** Milliseconds for which a success message is shown. */
const SUCCESS_DURATION = 8_000

/**
 * The message of a state, with a button that may help. Screen readers announce an error immediately. Both elements
 * exist from the start, because screen readers announce only later changes. A message about one field is below that
 * field (fields.js), and that of an empty list is in the list.
 *
 * @param {{ state: State }} props
 */
export function Messages({ state }) {
  const { message } = state
  const isShown =
    message !== null && state.name !== 'failed' && !(message.field && state.name === 'screen') && !toldByList(state)
  const shownText = isShown ? message.text : ''

  useEffect(() => {
    if (message?.kind !== 'success') return
    const timer = setTimeout(() => session.dismiss(), SUCCESS_DURATION)
    return () => clearTimeout(timer)
  }, [message])

  return html`<footer id="bar" class=${isShown ? message.kind : 'unseen'} tabindex=${shownText.length > 200 ? 0 : undefined}>
    <p id="error" role="alert" dir="auto">${isShown && message.kind === 'error' ? shownText : ''}</p>
    <p id="info" role="status" dir="auto">${isShown && message.kind !== 'error' ? shownText : ''}</p>
    ${isShown && message.help === 'reload' && html`<button type="button" onClick=${() => session.reload()}>${text('load_theirs')}</button>`}
    ${isShown && message.help === 'retry' && html`<button type="button" onClick=${() => session.retry()}>${text('try_again')}</button>`}
    ${isShown && html`<button type="button" class="bare dismiss" aria-label=${text('close')} onClick=${() => session.dismiss()}></button>`}
  </footer>`
}
