import { element } from '../dom.js'
import { addressOf } from '../history.js'

/** @import { Item, Session } from 'screen-auth-client' */

/**
 * The items as lists, with a line for each separator.
 *
 * @param {Item[]} items
 * @param {Session} session
 * @returns {Node[]}
 */
export function itemNodes(items, session) {
  /** @type {HTMLElement[]} */
  const nodes = []
  for (const item of items) {
    if (item.action.type === 'separator') nodes.push(element('hr'))
    else {
      if (nodes.at(-1)?.tagName !== 'UL') nodes.push(element('ul', { class: 'items' }))
      nodes.at(-1)?.append(element('li', {}, itemNode(item, session)))
    }
  }
  return nodes
}

/**
 * A link for a navigation, a button for any other action.
 *
 * @param {Item} item
 * @param {Session} session
 * @returns {HTMLElement}
 */
function itemNode({ label, action }, session) {
  const { type, url } = action
  if (type === 'popup') {
    return element(
      'details',
      {},
      element('summary', { dir: 'auto' }, label),
      ...itemNodes(action.items, session)
    )
  }
  if (type === 'open_screen' || type === 'open_menu') {
    const href = addressOf(session, session.pathOf(url))
    return element('a', { href, dir: 'auto', click: opener(() => session.follow(action)) }, label)
  }
  if (type === 'open_url' && isWebUrl(url)) {
    return element(
      'a',
      {
        href: new URL(url, location.href).href,
        class: 'away',
        target: '_blank',
        rel: 'noopener noreferrer',
        dir: 'auto'
      },
      label
    )
  }
  return element('button', { type: 'button', dir: 'auto', click: () => session.follow(action) }, label)
}

/**
 * Opens in this tab, unless the person wants another one.
 *
 * @param {() => unknown} open
 */
export function opener(open) {
  return (/** @type {MouseEvent} */ event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    open()
  }
}

/**
 * Rejects `javascript:`, `data:` and similar URLs.
 *
 * @param {string} url
 */
function isWebUrl(url) {
  return /^(https?|mailto):$/.test(URL.parse(url, location.href)?.protocol ?? '')
}
