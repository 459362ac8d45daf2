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
  // The service is where this page came from, below the same prefix if there is one.
  baseUrl: new URL('.', location.href).href,
  tokens: tabStore(),
  onState: state => draw(state)
})
const page = createPage(session)
let draw = page

await session.start(pathInAddress())
// Not before: on the way to the screen in the address the menu is shown, and is no step to come back to.
const keep = keepHistory(session)
draw = state => {
  page(state)
  keep(state)
}
