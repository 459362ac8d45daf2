import { useEffect, useState } from 'preact/hooks'
import { html } from '../html.js'
import { session } from '../session.js'
import { text } from '../texts.js'
import { toldByList } from './list.js'

/** @import { State } from 'screen-auth-client' */

/** Milliseconds for which a success message is shown. */
const SUCCESS_DURATION = 8_000

/**
 * The message of a state, with a button that may help: in the bottom bar, or in the login form above its button. A
 * message about one field is below that field (fields.js), and that of an empty list is in the list.
 *
 * @param {{ state: State }} props
 */
export function Messages({ state }) {
  const { name, message } = state
  // Screen readers announce a change, not an element that is new, so a new element starts empty.
  const [isThere, setThere] = useState(false)
  const isElsewhere = name === 'failed' || (name === 'screen' && message?.field) || toldByList(state)
  const { kind = 'unseen', text: told = '', help = '' } = (isThere && !isElsewhere && message) || {}

  useEffect(() => setThere(true), [])
  useEffect(() => {
    // An on-screen keyboard leaves little room.
    if (name === 'login') document.getElementById('bar')?.scrollIntoView({ block: 'nearest' })
    if (message?.kind !== 'success') return
    const timer = setTimeout(() => session.dismiss(), SUCCESS_DURATION)
    return () => clearTimeout(timer)
  }, [isThere, message])

  return html`<footer id="bar" class=${kind} tabindex=${told.length > 200 ? 0 : undefined}>
    <p id="error" role="alert" dir="auto">${kind === 'error' ? told : ''}</p>
    <p id="info" role="status" dir="auto">${kind === 'error' ? '' : told}</p>
    ${help === 'reload' && html`<button type="button" onClick=${() => session.reload()}>${text('load_theirs')}</button>`}
    ${help === 'retry' && html`<button type="button" onClick=${() => session.retry()}>${text('try_again')}</button>`}
    ${told && html`<button type="button" class="bare dismiss" aria-label=${text('close')} onClick=${() => session.dismiss()}></button>`}
  </footer>`
}
