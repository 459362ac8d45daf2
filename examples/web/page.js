/**
 * The frame of every screen: the title, the display name in the top-right corner, and the bar for messages at the
 * bottom. Between them is a view.
 *
 * @module
 */
import { closeDialogs } from './dialog.js'
import { byId, setText } from './dom.js'
import { openHelp } from './keys.js'
import { session } from './session.js'
import { text } from './texts.js'
import { failedView, screenView } from './views/screen.js'

/** @import { Message, State } from 'screen-auth-client' */
/** @import { View } from './views/screen.js' */

/** Languages that are written from right to left. */
const RIGHT_TO_LEFT = /^(ar|ckb|dv|fa|he|ps|ur|yi)\b/i

const title = byId('title')
const menuLink = byId('menu-link')
const back = byId('back')
const name = byId('display-name')
const help = byId('help')
const logOut = byId('log-out')
const main = byId('main')

/** The current view. It stays for the same screen, so that typed text and the focus are kept. */
let drawn = /** @type {{ key: unknown, view: View | null, state: State }} */ ({
  key: 'starting',
  view: null,
  state: session.state
})

/** Where the person was in each list: how far it was scrolled, and which row had the focus. */
const places = /** @type {Map<string, { top: number, href: string }>} */ (new Map())

help.addEventListener('click', openHelp)
logOut.addEventListener('click', () => session.logOut())
follow(menuLink, () => session.menuPath)
follow(back, () => ('screen' in session.state && session.state.screen.parentUrl) || session.menuPath)

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

/** @param {State} state */
export function draw(state) {
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
  keepPlace(before.state)
  const { activeElement } = document
  const view = 'screen' in state ? screenView(state.screen) : state.name === 'failed' ? failedView() : null
  drawn = { key, view, state }
  document.body.dataset.view = state.name === 'login' && !session.canOpen ? 'login' : 'screen'
  drawHeader(state)
  main.replaceChildren(...(view?.nodes ?? []))

  if (isSamePlace(before.state, state)) {
    // It was saved: the person goes on where they were.
    const again = document.getElementById(activeElement?.id ?? '') ?? title
    again.focus()
  } else if (!restorePlace(before.state, state)) {
    scrollTo(0, 0)
    // So that keyboard and screen reader users continue on the new screen. A freshly loaded page needs no focus.
    if (view?.focus) view.focus.focus()
    else if (before.view !== null) title.focus()
  }
}

/** @param {State} state */
function drawHeader(state) {
  const isInside = session.canOpen && !('path' in state && state.path === session.menuPath)
  const parent = 'screen' in state ? state.screen.parentUrl : ''
  byId('logo').hidden = isInside
  menuLink.hidden = !isInside
  back.hidden = !isInside || parent === '' || session.pathOf(parent) === session.menuPath
  byId('account').hidden = !session.canOpen
  logOut.hidden = !session.isLoggedIn
  name.hidden = !session.isLoggedIn
  if (state.name !== 'failed') setText(name, 'screen' in state ? state.screen.displayName : '')

  setText(byId('menu-text'), text('main_menu'))
  setText(/** @type {Element} */ (back.firstElementChild), text('back'))
  setText(/** @type {Element} */ (help.firstElementChild), text('help'))
  setText(/** @type {Element} */ (logOut.firstElementChild), text('logout'))

  title.textContent = titleOf(state)
  document.title = title.textContent
  // A screen reader must know how to pronounce it. The page's own texts are English, unless the server has others.
  const language = 'screen' in state ? state.language : ''
  document.documentElement.lang = (session.strings.size > 0 && language) || 'en'
  for (const part of [title, main]) part.lang = language || 'en'
  document.documentElement.dir = RIGHT_TO_LEFT.test(language) ? 'rtl' : 'ltr'
}

/** @param {State} state */
function titleOf(state) {
  if (state.name === 'starting') return text('connecting')
  if (state.name !== 'failed') return state.screen.title
  return text(state.isOffline ? 'offline' : 'failed')
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

/** @param {State} state */
function keepPlace(state) {
  if (state.name !== 'screen' || state.screen.list === null) return
  const href = document.activeElement?.getAttribute('href') ?? ''
  places.set(state.path, { top: scrollY, href })
}

/**
 * Scrolls a list to where it was. One that is opened from a menu begins at its top.
 *
 * @param {State} before
 * @param {State} state
 * @returns {boolean} whether a row has the focus again
 */
function restorePlace(before, state) {
  if (state.name !== 'screen' || before.name !== 'screen' || before.screen.menu !== null) return false
  const place = places.get(state.path)
  if (place === undefined) return false
  const row = [...document.querySelectorAll('a.row-link')].find(link => link.getAttribute('href') === place.href)
  if (row instanceof HTMLElement) row.focus({ preventScroll: true })
  scrollTo(0, place.top)
  return row !== undefined
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
