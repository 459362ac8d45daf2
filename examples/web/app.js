/**
 * The web client: one session, the page that draws its states, and the browser's history.
 *
 * @module
 */
import { Session } from 'screen-auth-client'
import { askIn } from './dialog.js'
import { keepHistory, pathInAddress } from './history.js'
import { listenToKeys } from './keys.js'
import { createPage } from './page.js'
import { tabStore } from './tab-store.js'

/** @type {Session} */
const session = new Session({
  // The service has the origin and the prefix of this page.
  baseUrl: new URL('.', location.href).href,
  tokens: tabStore('screen-auth-token'),
  drafts: tabStore('screen-auth-draft'),
  confirm: question => askIn(session, question),
  onState: state => draw(state)
})
const page = createPage(session)
let draw = page

listenToKeys(session)
// The browser is the first to know that the network is back.
addEventListener('online', () => session.retry())
addEventListener('beforeunload', event => {
  if (session.hasChanges) event.preventDefault()
})

await session.start(pathInAddress())
// Only now: `start` shows the menu before the screen in the address, which must not become a history entry.
const keep = keepHistory(session)
draw = state => {
  page(state)
  keep(state)
}
