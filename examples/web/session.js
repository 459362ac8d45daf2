import { Session, sharedStore, webStore } from 'screen-auth-client'
import { ask } from './views/dialog.js'

/** The service has the origin and the prefix of this page. */
const base = new URL('.', location.href)

/** @param {string} name */
const keyOf = name => `screen-auth-${name} ${base.pathname}`

/**
 * The one session of the page.
 *
 * The token is in `sessionStorage`: it survives a reload, and ends with the last tab. A foreign script on this page (XSS)
 * could read it and use it until it expires. In memory only, it would be harder to find, but each reload would need a
 * login; and the contract (5.1) rules out a cookie that scripts cannot read. So the page prevents foreign scripts: its
 * Content-Security-Policy allows only files of this server, and nothing that a server sends is parsed as HTML.
 */
export const session = new Session({
  baseUrl: base.href,
  tokens: sharedStore(
    webStore(() => sessionStorage, keyOf('token')),
    keyOf('token')
  ),
  drafts: webStore(() => sessionStorage, keyOf('draft')),
  // Words are no secret, and are wanted at the next start.
  strings: webStore(() => localStorage, keyOf('strings')),
  confirm: ask
})
