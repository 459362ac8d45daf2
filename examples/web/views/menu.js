import { element, heading } from '../dom.js'
import { text } from '../texts.js'
import { itemNodes } from './item.js'

/** @import { Menu, Session } from 'screen-auth-client' */
/** @import { View } from './view.js' */

/** The tab that was open, for the next visit of a menu. */
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
    return { nodes: [element('p', { class: 'card' }, text(session, 'empty_menu'))], update() {} }

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
      label || `${index + 1}`
    )
  )
  const panels = tabs.map(({ items }, index) =>
    element(
      'div',
      { role: 'tabpanel', id: `panel-${index}`, 'aria-labelledby': `tab-${index}` },
      ...itemNodes(items, session)
    )
  )
  const tabList = element(
    'div',
    { role: 'tablist', 'aria-label': title || text(session, 'main_menu') },
    ...buttons
  )
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
        { class: 'card', 'aria-label': title || text(session, 'main_menu') },
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
    const [next = '', before = ''] =
      document.dir === 'rtl' ? ['ArrowLeft', 'ArrowRight'] : ['ArrowRight', 'ArrowLeft']
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
