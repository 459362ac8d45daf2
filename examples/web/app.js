/**
 * The web client: the session, the page that draws its states, and the browser's history.
 *
 * @module
 */
import { keepHistory, pathInAddress } from './history.js'
import { listenToKeys } from './keys.js'
import { draw } from './page.js'
import { drawings, session } from './session.js'

drawings.add(draw)
listenToKeys()
// The browser is the first to know that the network is back.
addEventListener('online', () => session.retry())
addEventListener('beforeunload', event => {
  if (session.hasChanges) event.preventDefault()
})

await session.start(pathInAddress())
// Only now: `start` shows the menu before the screen in the address, which must not become a history entry.
drawings.add(keepHistory())
