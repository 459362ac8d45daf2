import { Session } from 'screen-auth-client'
import { ask } from './dialog.js'
import { tabStore } from './tab-store.js'

/** @import { State } from 'screen-auth-client' */

/** What draws each state. */
export const drawings = /** @type {Set<(state: State) => void>} */ (new Set())

/** The one session of the page. */
export const session = new Session({
  // The service has the origin and the prefix of this page.
  baseUrl: new URL('.', location.href).href,
  tokens: tabStore('screen-auth-token'),
  drafts: tabStore('screen-auth-draft'),
  confirm: ask,
  onState(state) {
    for (const draw of drawings) draw(state)
  }
})
