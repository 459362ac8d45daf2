/** @import { Store } from 'screen-auth-client' */

/**
 * Keeps a text in `sessionStorage`: it survives a reload, ends with the tab, and is shared only with duplicates of the
 * tab.
 *
 * A foreign script on this page (XSS) could read the token and use it until it expires. Keeping it only in memory would
 * make that harder, but would need a login after each reload. The contract (5.1) rules out a cookie that scripts cannot
 * read. So the page prevents foreign scripts: its Content-Security-Policy allows only files of this server, and nothing
 * that a server sends is parsed as HTML. `localStorage` would only add tokens that survive the tab.
 *
 * @param {string} key
 * @returns {Store}
 */
export function tabStore(key) {
  /** @type {string | null} used when the browser allows no storage */
  let memory = null
  /** @param {() => string | null | void} use */
  const attempt = use => {
    try {
      return use()
    } catch {}
  }
  return {
    read: () => attempt(() => sessionStorage.getItem(key)) ?? memory,
    write(text) {
      memory = text
      attempt(() => sessionStorage.setItem(key, text))
    },
    clear() {
      memory = null
      attempt(() => sessionStorage.removeItem(key))
    }
  }
}
