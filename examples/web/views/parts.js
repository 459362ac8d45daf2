import { useEffect, useState } from 'preact/hooks'
import { html } from '../html.js'
import { session } from '../session.js'
import { text } from '../texts.js'

/** @import { Item, Screen } from 'screen-auth-client' */

/** The logo of the host, which is a part of index.html. */
const LOGO = /** @type {HTMLImageElement} */ (document.getElementById('logo')).src

export const Logo = ({ alt = '' }) => html`<img id="logo" src=${LOGO} alt=${alt} width="48" height="48" />`

/** The visited screens by their path without a search: the title, and the path with the last search. */
export const visited = /** @type {Map<string, { title: string, path: string }>} */ (new Map())

/** @param {string} path */
export const withoutSearch = path => path.replace(/\?query=.*/, '')

/** Returns the URL of the screen above, or of the main menu. A list keeps its search. @param {Screen} screen */
export function parentOf({ parentUrl }) {
  const path = (parentUrl && session.pathOf(parentUrl)) || session.menuPath
  return visited.get(path)?.path ?? path
}

/** Returns the tab that the menu of the user shows, so that the main menu leaves it out. */
export function accountTab() {
  const tabs = session.menu?.tabs ?? []
  return tabs.length > 1 ? tabs.find(({ label }) => label === text('account')) : undefined
}

/** Returns the name of a screen: its title, else its label in the main menu. @param {string | null} path */
export function nameOf(path) {
  if (path === session.menuPath) return text('main_menu')
  const items = session.menu?.tabs.flatMap(({ items }) => itemsOf(items)) ?? []
  const item = items.find(({ action }) => session.pathOf(action.url) === path)
  return visited.get(withoutSearch(path ?? ''))?.title ?? item?.label ?? text('back')
}

/** @type {(items: Item[]) => Item[]} */
function itemsOf(items) {
  return items.flatMap(item => [item, ...itemsOf(item.action.items)])
}

/**
 * A button that is marked as busy until its action ends. It is not `disabled`, because it would lose the focus.
 *
 * @param {{ isBusy: boolean, onClick: () => unknown, children?: any } & Record<string, any>} props
 */
export function Button({ isBusy, onClick, children, ...attributes }) {
  const [isPressed, setPressed] = useState(false)
  const busy = { 'aria-disabled': `${isBusy}`, 'aria-busy': `${isBusy && isPressed}` }
  return html`<button type="button" dir="auto" ...${attributes} ...${busy} onClick=${click}>${children}</button>`

  async function click() {
    if (isBusy) return
    setPressed(true)
    await onClick()
    setPressed(false)
  }
}

/**
 * A link to a screen. It opens in this tab, unless the person presses a modifier key.
 *
 * @param {{ url: string, children?: any } & Record<string, any>} props
 */
export function ScreenLink({ url, children, ...attributes }) {
  const path = session.pathOf(url)
  const href = path === null || path === session.menuPath ? '#' : `#${path}`
  return html`<a href=${href} dir="auto" ...${attributes} onClick=${click}>${children}</a>`

  /** @param {MouseEvent} event */
  function click(event) {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    session.open(url)
  }
}

/**
 * Returns the whole seconds until a moment; 0 if the moment has passed or is null.
 *
 * @param {number | null} moment in milliseconds since 1970
 */
export function useSeconds(moment) {
  const [, draw] = useState(0)
  const seconds = Math.max(0, Math.ceil(((moment ?? 0) - Date.now()) / 1000))
  useEffect(() => {
    if (seconds === 0) return
    const timer = setTimeout(() => draw(Date.now()), 1000)
    return () => clearTimeout(timer)
  })
  return seconds
}
