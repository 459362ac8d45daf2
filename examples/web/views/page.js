import { render } from 'preact'
import { html } from '../html.js'
import { openHelp } from '../keys.js'
import { session } from '../session.js'
import { text } from '../texts.js'
import { closeDialogs } from './dialog.js'
import { Items } from './menu.js'
import { Messages } from './messages.js'
import { accountTab, Button, Logo, nameOf, parentOf, ScreenLink, useSeconds, visited, withoutSearch } from './parts.js'
import { Screen } from './screen.js'

/** @import { Failed as FailedState, State } from 'screen-auth-client' */

/** Scroll position of each visited list, and the row that had the focus. */
const places = /** @type {Map<string, { top: number, href: string }>} */ (new Map())

/** Whether the device has more than a touch screen. The keys of the help work in any case. */
const HAS_KEYBOARD = matchMedia('(any-hover: hover)').matches

/** The state on the page. */
let shown = session.state

/** Changes when the content must be drawn again from scratch. */
let key = 0

/** Draws a state. A new screen gets its scroll position and the focus. @param {State} state */
export function show(state) {
  const before = shown
  const isNew = contentKey(before) !== contentKey(state)
  const isSame = isSamePlace(before, state)
  const hadFocus = document.activeElement !== document.body
  if (isNew) keepPlace(before)
  if (isNew && !isSame) key += 1
  shown = state
  render(html`<${Page} state=${state} />`, /** @type {Element} */ (document.getElementById('page')))
  if (titleOf(before) !== titleOf(state)) document.title = titleOf(state)
  if (isNew) showNewScreen(before, state, isSame)
  // The focused element is gone: move keyboard and screen reader users to the title.
  if (hadFocus && document.activeElement === document.body) {
    document.getElementById('title')?.focus({ preventScroll: true })
  }
}

/** The frame of every screen: a breadcrumb, the menu of the user, and messages. @param {{ state: State }} props */
function Page({ state }) {
  const { canOpen, busy } = state
  const isFiltering = document.activeElement?.id === 'filter'
  return html`<div class="page" data-view=${canOpen ? 'screen' : 'login'}>
    ${canOpen && html`<${Header} state=${state} />`}
    <main id="main" aria-busy=${String(busy !== null)}>
      <div class="content" key=${key}>${contentOf(state)}</div>
      ${canOpen && busy === 'loading' && !isFiltering && html`<${Loading} />`}
    </main>
    ${canOpen && html`<${Messages} state=${state} />`}
  </div>`
}

/** @param {State} state */
function contentOf(state) {
  if ('screen' in state) return html`<${Screen} state=${state} />`
  if (state.name === 'failed') return html`<${Failed} state=${state} />`
  // The same picture as in index.html.
  return html`<div class="head"><${Logo} /><h1 id="title" class="unseen" tabindex="-1">${titleOf(state)}</h1></div>
    <${Loading} />`
}

/** @param {{ state: State }} props */
function Header({ state }) {
  const parent = 'screen' in state ? parentOf(state.screen) : session.menuPath
  const isMenu = 'path' in state && state.path === session.menuPath
  const account = accountTab()
  return html`<header>
    <nav aria-label=${text('breadcrumb')}>
      <${ScreenLink} id="menu-link" dir=${null} url=${session.menuPath} aria-current=${isMenu ? 'page' : null}>
        <${Logo} alt=${text('main_menu')} />
      <//>
      ${parent !== session.menuPath && html`<${ScreenLink} id="back" dir=${null} url=${parent}><bdi>${nameOf(parent)}</bdi><//>`}
      ${!isMenu && html`<span aria-current="page"><bdi>${titleOf(state)}</bdi></span>`}
    </nav>
    <button type="button" id="account" class="bare" popovertarget="account-menu">
      <span id="display-name" dir="auto" translate=${!state.displayName}>${state.displayName || text('account')}</span>
    </button>
    <div id="account-menu" popover="auto" onClickCapture=${closeMenu}>
      ${account && html`<${Items} items=${account.items} /><hr />`}
      <ul class="items">
        ${HAS_KEYBOARD && html`<li><button type="button" onClick=${openHelp}>${text('keys')}</button></li>`}
        ${state.isLoggedIn && html`<li><button type="button" onClick=${() => session.logOut()}>${text('logout')}</button></li>`}
      </ul>
    </div>
  </header>`
}

/** Closes a menu before the chosen item acts, so that a dialog returns the focus. @param {any} event */
function closeMenu({ currentTarget, target }) {
  if (!target.closest('summary')) currentTarget.hidePopover()
}

/** The page when there is no screen, with a countdown to the next attempt. @param {{ state: FailedState }} props */
function Failed({ state }) {
  const { message, status, isLoggedIn, retryAt, busy } = state
  const seconds = useSeconds(retryAt)
  const title = titleOf(state)
  return html`<div class="card narrow">
    <h1 id="title" tabindex="-1">${title}</h1>
    ${message.text !== title && html`<p role="alert" dir="auto">${message.text} ${isLoggedIn && status !== 404 && text('stay_logged_in')}</p>`}
    ${retryAt !== null && html`<p class="muted">${text('trying_again_in', Math.max(1, seconds))}</p>`}
    <div class="buttons">
      ${
        status === 404
          ? html`<${ScreenLink} data-focus url=${session.menuPath}>${text('main_menu')}<//>`
          : html`<${Button} data-focus class="primary" isBusy=${busy !== null} onClick=${() => session.retry()}>
              ${text(busy ? 'trying_again' : 'try_again')}
            <//>`
      }
    </div>
  </div>`
}

/** Covers the previous screen if the next one loads slowly (style.css). */
function Loading() {
  return html`<div class="loading">
    <div class="skeleton" aria-hidden="true">${Array.from({ length: 4 }, () => html`<i></i>`)}</div>
    <p role="status" class="slow">${text('loading')}</p>
    <button type="button" id="stop-loading" class="slow" onClick=${() => session.cancel()}>${text('cancel')}</button>
  </div>`
}

/** A value that changes when the content must be drawn again from scratch. @param {State} state */
function contentKey(state) {
  return 'screen' in state ? state.screen : state.name
}

/**
 * Whether the new screen is the same record or list, so that the scroll position and the focus stay.
 *
 * @type {(before: State, state: State) => boolean}
 */
function isSamePlace(before, state) {
  if (before.name !== 'screen' || state.name !== 'screen' || !state.replaces) return false
  const isList = before.screen.list !== null && state.screen.list !== null
  const [one, other] = [before.path, state.path].map(path => (isList ? path.replace(/\?.*/, '') : path))
  return one === other
}

/** @param {State} state */
function titleOf(state) {
  if ('screen' in state) return state.screen.title
  if (state.name === 'starting') return text('connecting')
  if (state.isOffline) return text('offline')
  if (state.status === 404) return text('not_found_title')
  return state.message.kind === 'error' ? text('failed') : state.message.text
}

/** Sets the language, the place and the focus. @type {(before: State, state: State, isSame: boolean) => void} */
function showNewScreen(before, state, isSame) {
  closeDialogs()
  // Screen readers need the language.
  document.documentElement.lang = ('screen' in state && state.language) || 'en'
  if (state.name === 'screen') visited.set(withoutSearch(state.path), { path: state.path, title: state.screen.title })
  if (state.name === 'login' || state.name === 'starting') {
    // Another person must not see the visited screens.
    visited.clear()
    places.clear()
  }
  if (!isSame && !restorePlace(before, state)) {
    scrollTo(0, 0)
    const wanted = /** @type {HTMLElement | null} */ (document.querySelector('[data-focus]'))
    // Keyboard and screen reader users must continue on the new screen. A newly loaded page needs no focus.
    if (wanted) wanted.focus()
    else if (before.name !== 'starting') document.getElementById('title')?.focus()
  }
}

/** @param {State} state */
function keepPlace(state) {
  if (state.name !== 'screen' || state.screen.list === null) return
  const href = document.activeElement?.getAttribute('href') ?? ''
  places.set(state.path, { top: scrollY, href })
}

/**
 * Restores the scroll position of a list. A list that was opened from a menu starts at the top. Returns whether a row
 * has the focus again.
 *
 * @type {(before: State, state: State) => boolean}
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
