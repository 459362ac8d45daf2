import { button, element, heading } from '../dom.js'
import { screenLink } from '../history.js'
import { session } from '../session.js'
import { text } from '../texts.js'

/** @import { Item, Menu } from 'screen-auth-client' */
/** @import { View } from './screen.js' */

/** The tab that was open, for the next visit of a menu. */
let lastTab = ''

/**
 * A menu as tabs, one of them open (WAI-ARIA Authoring Practices, Tabs).
 *
 * @param {Menu} menu
 * @returns {View}
 */
export function menuView({ title, tabs }) {
  if (tabs.length === 0) return { nodes: [element('p', { class: 'card' }, text('empty_menu'))], update() {} }

  const label = title || text('main_menu')
  const buttons = tabs.map(({ label }, index) =>
    button(label || `${index + 1}`, () => select(index), {
      role: 'tab',
      id: `tab-${index}`,
      'aria-controls': `panel-${index}`,
      keydown: event => move(event, index)
    })
  )
  const panels = tabs.map(({ items }, index) =>
    element('div', { role: 'tabpanel', id: `panel-${index}`, 'aria-labelledby': `tab-${index}` }, ...itemNodes(items))
  )
  const tabList = element('div', { role: 'tablist', 'aria-label': label }, ...buttons)
  const nav = element('nav', { class: 'card', 'aria-label': label }, ...heading('h2', title), tabList, ...panels)
  const last = tabs.findIndex(({ label }) => label === lastTab)
  select(Math.max(0, last))
  return { nodes: [nav], update() {} }

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
    const [next = '', before = ''] = document.dir === 'rtl' ? ['ArrowLeft', 'ArrowRight'] : ['ArrowRight', 'ArrowLeft']
    const targets = /** @type {Record<string, number>} */ ({
      [next]: index === last ? 0 : index + 1,
      [before]: index === 0 ? last : index - 1,
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
 * @returns {Node[]}
 */
function itemNodes(items) {
  /** @type {HTMLElement[]} */
  const nodes = []
  for (const item of items) {
    if (item.action.type === 'separator') nodes.push(element('hr'))
    else {
      if (nodes.at(-1)?.tagName !== 'UL') nodes.push(element('ul', { class: 'items' }))
      nodes.at(-1)?.append(element('li', {}, itemNode(item)))
    }
  }
  return nodes
}

/**
 * A link for a navigation, a button for any other action.
 *
 * @param {Item} item
 * @returns {HTMLElement}
 */
function itemNode({ label, action }) {
  const { type, url, items } = action
  const follow = () => session.follow(action)
  if (type === 'popup') return element('details', {}, element('summary', { dir: 'auto' }, label), ...itemNodes(items))
  if (type === 'open_screen' || type === 'open_menu') return screenLink(label, url, follow)
  const target = type === 'open_url' ? URL.parse(url, location.href) : null
  // Not `javascript:`, `data:` and similar URLs.
  if (target === null || !/^(https?|mailto):$/.test(target.protocol)) return button(label, follow)
  return element(
    'a',
    { href: target.href, class: 'away', target: '_blank', rel: 'noopener noreferrer', dir: 'auto' },
    label
  )
}
