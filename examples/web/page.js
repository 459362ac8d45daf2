/**
 * The frame of every screen: the title, the display name in the top-right corner, and the bar for messages at the
 * bottom. Between them is a view.
 *
 * @module
 */
import { closeDialogs } from './dialog.js'
import { byId, setText } from './dom.js'
import { openHelp } from './keys.js'
import { placeKeeper } from './places.js'
import { text } from './texts.js'
import { failedView } from './views/failed.js'
import { screenView } from './views/screen.js'

/** @import { Message, Session, State } from 'screen-auth-client' */
/** @import { View } from './views/view.js' */

/** Languages that are written from right to left. */
const RIGHT_TO_LEFT = /^(ar|ckb|dv|fa|he|ps|ur|yi)\b/i

/**
 * @param {Session} session
 * @returns {(state: State) => void} draws a state
 */
export function createPage(session) {
  const [title, menuLink, back, name, help, logOut, main] = /** @type {const} */ ([
    byId('title'),
    byId('menu-link'),
    byId('back'),
    byId('display-name'),
    byId('help'),
    byId('log-out'),
    byId('main')
  ])
  const places = placeKeeper()
  /** The current view. It stays for the same screen, so that typed text and the focus are kept. */
  let drawn = /** @type {{ key: unknown, view: View | null, state: State }} */ ({
    key: 'starting',
    view: null,
    state: { name: 'starting' }
  })

  help.addEventListener('click', () => openHelp(session))
  logOut.addEventListener('click', () => session.logOut())
  follow(menuLink, () => session.menuPath)
  follow(back, () => ('screen' in session.state && session.state.screen.parentUrl) || session.menuPath)

  return state => {
    main.setAttribute('aria-busy', String(state.name === 'starting' || state.busy))
    say('message' in state ? state.message : null)
    const key = 'screen' in state ? state.screen : state.name
    if (key !== drawn.key) replace(state, key)
    drawn.view?.update(state)
  }

  /**
   * @param {State} state
   * @param {unknown} key
   */
  function replace(state, key) {
    const before = drawn
    closeDialogs()
    places.leave(before.state)
    const { activeElement } = document
    const view = viewOf(state)
    drawn = { key, view, state }
    document.body.dataset.view = viewName(state)
    drawHeader(state)
    main.replaceChildren(...(view?.nodes ?? []))

    if (state.name === 'screen' && isSamePlace(before.state, state)) {
      // It was saved: the person goes on where they were.
      const again = document.getElementById(activeElement?.id ?? '') ?? title
      again.focus()
    } else if (!places.restore(before.state, state)) {
      scrollTo(0, 0)
      // So that keyboard and screen reader users continue on the new screen. A freshly loaded page needs no focus.
      if (view?.focus) view.focus.focus()
      else if (before.view !== null) title.focus()
    }
  }

  /** @param {State} state */
  function drawHeader(state) {
    const isInside = session.canOpen && !('path' in state && state.path === session.menuPath)
    menuLink.hidden = !isInside
    const parent = 'screen' in state ? state.screen.parentUrl : ''
    back.hidden = !isInside || parent === '' || session.pathOf(parent) === session.menuPath
    help.hidden = !session.canOpen
    logOut.hidden = !session.canOpen || !session.isLoggedIn
    name.hidden = logOut.hidden
    if (state.name !== 'failed') setText(name, state.name === 'screen' ? state.screen.displayName : '')

    setText(byId('menu-text'), text(session, 'main_menu'))
    for (const [button, key] of /** @type {const} */ ([
      [back, 'back'],
      [help, 'help'],
      [logOut, 'logout']
    ]))
      setText(/** @type {Element} */ (button.firstElementChild), text(session, key))

    title.textContent = titleOf(state, session)
    document.title = title.textContent
    // A screen reader must know how to pronounce it. The page's own texts are English, unless the server has others.
    const language = 'screen' in state ? state.language : ''
    document.documentElement.lang = (session.strings.size > 0 && language) || 'en'
    for (const part of [title, main]) part.lang = language || 'en'
    document.documentElement.dir = RIGHT_TO_LEFT.test(language) ? 'rtl' : 'ltr'
  }

  /**
   * @param {HTMLElement} link
   * @param {() => string} url
   */
  function follow(link, url) {
    link.addEventListener('click', event => {
      event.preventDefault()
      session.open(url())
    })
  }

  /**
   * @param {State} state
   * @returns {View | null}
   */
  function viewOf(state) {
    if (state.name === 'starting') return null
    return state.name === 'failed' ? failedView(session) : screenView(state.screen, session)
  }
}

/** @param {State} state */
function viewName(state) {
  return state.name === 'login' ? 'login' : 'screen'
}

/**
 * Whether it is the same record again.
 *
 * @param {State} before
 * @param {State} state
 */
function isSamePlace(before, state) {
  return before.name === 'screen' && state.name === 'screen' && state.replaces && before.path === state.path
}

/**
 * @param {State} state
 * @param {Session} session
 */
function titleOf(state, session) {
  if (state.name === 'starting') return text(session, 'connecting')
  if (state.name !== 'failed') return state.screen.title
  return text(session, state.isOffline ? 'offline' : 'failed')
}

/**
 * Shows a message in the bar. Screen readers announce an error at once, but the same text only once.
 *
 * @param {Message | null} message
 */
function say(message) {
  for (const kind of ['error', 'info']) setText(byId(kind), message?.kind === kind ? message.text : '')
  const bar = byId('bar')
  // So that it can be scrolled with the keyboard.
  if (bar.scrollHeight > bar.clientHeight) bar.tabIndex = 0
  else bar.removeAttribute('tabindex')
}
