import { html } from '../html.js'
import { session } from '../session.js'
import { text } from '../texts.js'
import { Button } from './button.js'
import { useSeconds } from './countdown.js'
import { ScreenLink } from './link.js'

/** @import { Failed as State } from 'screen-auth-client' */

/** Title of the page for a failure. @param {State} state */
export function titleOfFailure({ isOffline, status, message }) {
  if (isOffline) return text('offline')
  if (status === 404) return text('not_found_title')
  return message.kind === 'error' ? text('failed') : message.text
}

/**
 * The page when there is no screen. Shows a countdown to the next attempt, if one is planned.
 *
 * @param {{ state: State }} props
 */
export function Failed({ state }) {
  const { message, status, isLoggedIn, retryAt, busy } = state
  const seconds = useSeconds(retryAt)
  const title = titleOfFailure(state)
  return html`<div class="card narrow">
    <h1 id="title" tabindex="-1">${title}</h1>
    ${message.text !== title && html`<p role="alert" dir="auto">${message.text} ${isLoggedIn && status !== 404 && text('stay_logged_in')}</p>`}
    ${retryAt !== null && html`<p class="muted">${text('trying_again_in', Math.max(1, seconds))}</p>`}
    <div class="buttons">
      ${
        status === 404
          ? html`<${ScreenLink} data-focus url=${session.menuPath}>${text('main_menu')}<//>`
          : html`<${Button} data-focus class="primary" isBusy=${busy !== null} onClick=${() => session.retry()}>
              ${text(busy ? 'trying_again' : 'try_again')}
            <//>`
      }
    </div>
  </div>`
}
