// The web client: connects the session to the page that draws its states, and to the browser's history.
import { pathInAddress, syncHistory } from './history.js'
import { listenToKeys } from './keys.js'
import { session } from './session.js'
import { show } from './views/page.js'

document.getElementById('page')?.replaceChildren()
session.subscribe(show)
listenToKeys()
// A page that the browser has kept and shows again may belong to a session that has ended.
addEventListener('pageshow', ({ persisted }) => persisted && session.start(pathInAddress()))
addEventListener('beforeunload', event => {
  if (session.state.hasChanges) event.preventDefault()
})

await session.start(pathInAddress())
// Called after the start, because the first screen must not become a new entry of the history.
syncHistory()
