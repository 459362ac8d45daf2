import { element, heading } from '../dom.js'
import { addressOf } from '../history.js'

/** @import { Session } from '../../client/session.js' */
/** @import { Item, Menu } from '../../client/screen.js' */
/** @import { View } from './view.js' */

/** Whoever comes back to a menu finds the tab that was open. */
let lastTab = ''

/**
 * A menu as tabs, one of them open (WAI-ARIA Authoring Practices, Tabs).
 *
 * @param {Menu} menu
 * @param {Session} session
 * @returns {View}
 */
export function menuView({ title, tabs }, session) {
  if (tabs.length === 0)
    return { nodes: [element('p', { class: 'card' }, 'This menu is empty.')], update() {} }

  const buttons = tabs.map(({ label }, index) =>
    element(
      'button',
      {
        type: 'button',
        role: 'tab',
        id: `tab-${index}`,
        'aria-controls': `panel-${index}`,
        dir: 'auto',
        click: () => select(index),
        keydown: event => move(event, index)
      },
      label || `Tab ${index + 1}`
    )
  )
  const panels = tabs.map(({ items }, index) =>
    element(
      'div',
      { role: 'tabpanel', id: `panel-${index}`, 'aria-labelledby': `tab-${index}` },
      ...itemNodes(items, session)
    )
  )
  const tabList = element('div', { role: 'tablist', 'aria-label': title || 'Menu' }, ...buttons)
  select(
    Math.max(
      0,
      tabs.findIndex(({ label }) => label === lastTab)
    )
  )
  return {
    nodes: [
      element(
        'nav',
        { class: 'card', 'aria-label': title || 'Menu' },
        ...heading('h2', title),
        tabList,
        ...panels
      )
    ],
    update() {}
  }

  /** @param {number} selected */
  function select(selected) {
    lastTab = tabs[selected]?.label ?? ''
    buttons.forEach((button, index) => {
      button.setAttribute('aria-selected', String(index === selected))
      button.tabIndex = index === selected ? 0 : -1
    })
    panels.forEach((panel, index) => {
      panel.hidden = index !== selected
    })
  }

  /**
   * @param {KeyboardEvent} event
   * @param {number} index
   */
  function move(event, index) {
    const last = tabs.length - 1
    const targets = /** @type {Record<string, number>} */ ({
      ArrowRight: index === last ? 0 : index + 1,
      ArrowLeft: index === 0 ? last : index - 1,
      Home: 0,
      End: last
    })
    const target = targets[event.key]
    if (target === undefined) return
    event.preventDefault()
    select(target)
    buttons[target]?.focus()
  }
}

/**
 * The items as lists, with a line for each separator.
 *
 * @param {Item[]} items
 * @param {Session} session
 * @returns {Node[]}
 */
function itemNodes(items, session) {
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
 * A link where it leads somewhere, a button where it does something.
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
    const follow = (/** @type {MouseEvent} */ event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return
      event.preventDefault()
      session.follow(action)
    }
    return element('a', { href: addressOf(session, session.pathOf(url)), dir: 'auto', click: follow }, label)
  }
  if (type === 'open_url' && isWebUrl(url)) {
    return element(
      'a',
      { href: new URL(url, location.href).href, target: '_blank', rel: 'noopener noreferrer', dir: 'auto' },
      label
    )
  }
  return element('button', { type: 'button', dir: 'auto', click: () => session.follow(action) }, label)
}

/**
 * Not `javascript:`, `data:` and the like.
 *
 * @param {string} url
 */
function isWebUrl(url) {
  return /^(https?|mailto):$/.test(URL.parse(url, location.href)?.protocol ?? '')
}
