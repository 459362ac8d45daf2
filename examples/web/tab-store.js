/** @import { TokenStore } from '../client/session.js' */

const KEY = 'screen-auth-token'

/**
 * Keeps the token in `sessionStorage`: a reload keeps the session, closing the tab ends it, and no other tab has it
 * but a duplicate of this one.
 *
 * A script of somebody else on this page (XSS) could read it there, as it could use a token in memory, or a cookie,
 * as long as the page is open. The difference is that it could take it away and use it until it expires. Memory alone
 * would make that harder, at the price of a login for each reload; a cookie that scripts cannot read is not what the
 * contract has (5.1). So the page makes sure that there is no other script: its Content-Security-Policy allows files
 * of this server only, and nothing that a server sends is ever parsed as HTML. `localStorage` would add nothing but
 * tokens that outlive the tab.
 *
 * @returns {TokenStore}
 */
export function tabStore() {
  /** @type {string | null} where the browser allows no storage */
  let memory = null
  /**
   * @template T
   * @param {() => T} use
   */
  const attempt = use => {
    try {
      return use()
    } catch {
      return null
    }
  }
  return {
    read: () => attempt(() => sessionStorage.getItem(KEY)) ?? memory,
    write(token) {
      memory = token
      attempt(() => sessionStorage.setItem(KEY, token))
    },
    clear() {
      memory = null
      attempt(() => sessionStorage.removeItem(KEY))
    }
  }
}
