import { Session, sharedStore, webStore } from 'screen-auth-client'
import { ask } from './views/dialog.js'

/** URL of the service: the origin and the path prefix of this page. */
const base = new URL('.', location.href)

/** @param {string} name */
const storeOf = name => webStore(() => sessionStorage, `screen-auth-${name} ${base.pathname}`)

/** The languages of the person, for all texts and numbers of the page. */
export const LANGUAGES = navigator.languages

/**
 * The one session of the page.
 *
 * `sessionStorage` contains the token, so the token survives a reload and ends with the last tab. But a browser may
 * write it to the disk, and a restored tab is logged in again, until the logout or the end of the token. A foreign
 * script on this page (XSS) could read the token and use it until it expires. A token in memory would be harder to
 * find, but each reload would need a login. The contract (5.1) rules out a cookie that scripts cannot read. So the page
 * prevents foreign scripts: its policy (CSP) allows only files of this server, and it parses no response as HTML.
 */
export const session = new Session({
  baseUrl: base.href,
  locale: LANGUAGES,
  tokens: sharedStore(storeOf('token'), `screen-auth-token ${base.pathname}`),
  drafts: storeOf('draft'),
  confirm: ask
})
