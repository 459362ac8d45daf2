import { html } from '../html.js'
import { session } from '../session.js'
import { text } from '../texts.js'
import { accountTab, ScreenLink } from './parts.js'

/** @import { VNode } from 'preact' */
/** @import { Item, Menu as MenuOf } from 'screen-auth-client' */

/** A menu with more items shows the labels of its tabs. */
const MAX_WITHOUT_LABELS = 7

/** Draws the tabs of a menu below each other. @param {{ menu: MenuOf }} props */
export function Menu({ menu }) {
  const { title } = menu
  const tabs = menu.tabs.filter(tab => tab !== accountTab())
  if (tabs.length === 0) return html`<p class="card">${text('empty_menu')}</p>`
  const isLong = tabs.flatMap(({ items }) => items).length > MAX_WITHOUT_LABELS
  return html`<nav class="card menu" aria-label=${title || text('main_menu')}>
    ${tabs.map(
      ({ label, items }, index) => html`${index > 0 && html`<hr />`}<div role="group" aria-label=${label}>
        ${isLong && label && html`<h2 dir="auto">${label}</h2>`}
        <${Items} items=${items} />
      </div>`
    )}
  </nav>`
}

/** Draws the items as lists, with a line for each separator. @param {{ items: Item[] }} props */
export function Items({ items }) {
  const lists = /** @type {VNode[][]} */ ([[]])
  for (const item of items) {
    if (item.action.type === 'separator') lists.push([])
    else if (item.label) lists.at(-1)?.push(html`<li><${Link} ...${item} /></li>`)
  }
  return lists.map(
    (list, index) => html`${index > 0 && html`<hr />`}${list.length > 0 && html`<ul class="items">${list}</ul>`}`
  )
}

/** Draws a link for a navigation and a button for any other action. @param {Item} item */
function Link({ label, action }) {
  const { type, url, items } = action
  if (type === 'popup')
    return html`<details><summary dir="auto">${label}</summary><${Items} items=${items} /></details>`
  if (type === 'open_screen' || type === 'open_menu') return html`<${ScreenLink} url=${url}>${label}<//>`
  const target = type === 'open_url' ? URL.parse(url, location.href) : null
  // Never links to `javascript:`, `data:` and similar URLs.
  if (target === null || !/^(https?|mailto):$/.test(target.protocol)) {
    return html`<button type="button" dir="auto" onClick=${() => session.follow(action)}>${label}</button>`
  }
  return html`<a href=${target.href} class="away" target="_blank" rel="noopener noreferrer" dir="auto">${label}</a>`
}
