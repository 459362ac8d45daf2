/**
 * The frame of every screen: the title, the display name in the top-right corner, and the bar for messages at the
 * bottom. Between them is a view.
 *
 * @module
 */
import { byId } from './dom.js'
import { offlineView } from './views/offline.js'
import { screenView } from './views/screen.js'

/** @import { Message, Session, State } from '../client/session.js' */
/** @import { View } from './views/view.js' */

/**
 * @param {Session} session
 * @returns {(state: State) => void} draws a state
 */
export function createPage(session) {
  const [title, menuLink, name, logOut, main] = /** @type {const} */ ([
    byId('title'),
    byId('menu-link'),
    byId('display-name'),
    byId('log-out'),
    byId('main')
  ])
  /** The current view. It stays for the same screen, so that typed text and the focus are kept. */
  let drawn = /** @type {{ key: unknown, view: View | null }} */ ({ key: 'starting', view: null })
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer

  logOut.addEventListener('click', () => session.logOut())
  menuLink.addEventListener('click', event => {
    event.preventDefault()
    session.open(session.menuPath)
  })
  // The browser is the first to know that the network is back.
  addEventListener('online', () => session.retry())

  return state => {
    const busy = state.name === 'starting' || state.name === 'submitting' || ('busy' in state && state.busy)
    main.setAttribute('aria-busy', String(busy))
    menuLink.hidden = !session.canOpen || ('path' in state && state.path === session.menuPath)
    logOut.hidden = !session.canOpen || !session.isLoggedIn
    say('message' in state ? state.message : null)

    const key = 'screen' in state ? state.screen : state.name
    if (key !== drawn.key) replace(state, key)
    drawn.view?.update(state)

    clearTimeout(timer)
    if (state.name === 'offline' && !busy) timer = setTimeout(() => session.retry(), state.retryIn * 1000)
  }

  /**
   * @param {State} state
   * @param {unknown} key
   */
  function replace(state, key) {
    const isFirst = drawn.view === null
    const view = viewOf(state)
    drawn = { key, view }
    title.textContent = titleOf(state)
    document.title = titleOf(state)
    if (state.name !== 'offline') name.textContent = state.name === 'screen' ? state.screen.displayName : ''
    // A screen reader must know how to pronounce it.
    for (const part of [title, main]) part.lang = languageOf(state)
    main.replaceChildren(...(view?.nodes ?? []))
    scrollTo(0, 0)
    // So that keyboard and screen reader users continue on the new screen. A freshly loaded page needs no focus.
    if (view?.focus) view.focus.focus()
    else if (!isFirst) title.focus()
  }

  /**
   * @param {State} state
   * @returns {View | null}
   */
  function viewOf(state) {
    if (state.name === 'starting') return null
    return state.name === 'offline' ? offlineView(session) : screenView(state.screen, session)
  }
}

/** @param {State} state */
function titleOf(state) {
  if (state.name === 'starting') return 'Starting…'
  return state.name === 'offline' ? 'No answer' : state.screen.title
}

/** @param {State} state */
function languageOf(state) {
  return ('screen' in state && state.screen.locale) || document.documentElement.lang
}

/**
 * Shows a message in the bar. Screen readers announce an error at once, but the same text only once.
 *
 * @param {Message | null} message
 */
function say(message) {
  for (const kind of ['error', 'info']) {
    const text = message?.kind === kind ? message.text : ''
    const line = byId(kind)
    if (line.textContent !== text) line.textContent = text
  }
  const bar = byId('bar')
  // So that it can be scrolled with the keyboard.
  if (bar.scrollHeight > bar.clientHeight) bar.tabIndex = 0
  else bar.removeAttribute('tabindex')
}
