/**
 * The web client: the session, the page that draws its states, and the browser's history.
 *
 * @module
 */
import { render } from 'preact'
import { keepHistory, pathInAddress } from './history.js'
import { html } from './html.js'
import { listenToKeys } from './keys.js'
import { session } from './session.js'
import { Page } from './views/page.js'

const page = /** @type {Element} */ (document.getElementById('page'))
page.replaceChildren()
session.subscribe(state => render(html`<${Page} state=${state} />`, page))
listenToKeys()
// The browser is the first to know that the network is back.
addEventListener('online', () => {
  if (session.state.name === 'failed') session.retry()
})
addEventListener('beforeunload', event => {
  if (session.state.hasChanges) event.preventDefault()
})

await session.start(pathInAddress())
// Only now: the first screen is no new entry of the history.
keepHistory()
