/**
 * The web client: one session, the page that draws its states, and the browser's history.
 *
 * @module
 */
import { Session } from '../client/session.js'
import { keepHistory, pathInAddress } from './history.js'
import { createPage } from './page.js'
import { tabStore } from './tab-store.js'

const session = new Session({
  // The service has the origin and the prefix of this page.
  baseUrl: new URL('.', location.href).href,
  tokens: tabStore(),
  onState: state => draw(state)
})
const page = createPage(session)
let draw = page

await session.start(pathInAddress())
// Only now: `start` shows the menu before the screen in the address, which must not become a history entry.
const keep = keepHistory(session)
draw = state => {
  page(state)
  keep(state)
}
