import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { session } from '../session.js'
import { text } from '../texts.js'
import { ScreenLink } from './parts.js'

/** @import { VNode } from 'preact' */
/** @import { Item, Menu as MenuOf } from 'screen-auth-client' */

/** A menu with more items has tabs. */
const MAX_WITHOUT_TABS = 7

/** Label of the tab that was open last, to open it on the next visit. */
let lastTab = ''

/** @param {{ menu: MenuOf }} props */
export function Menu({ menu: { title, tabs } }) {
  const label = title || text('main_menu')
  const count = tabs.flatMap(({ items }) => items).filter(({ action }) => action.type !== 'separator').length
  if (tabs.length === 0) return html`<p class="card">${text('empty_menu')}</p>`
  if (count > MAX_WITHOUT_TABS && tabs.length > 1) return html`<${Tabs} tabs=${tabs} label=${label} />`
  return html`<nav class="card menu" aria-label=${label}>
    ${tabs.map(({ label, items }) => html`<div role="group" aria-label=${label}><${Items} items=${items} /></div>`)}
  </nav>`
}

/**
 * A menu with tabs, one of which is open (WAI-ARIA Authoring Practices, Tabs).
 *
 * @param {{ tabs: MenuOf['tabs'], label: string }} props
 */
function Tabs({ tabs, label }) {
  const last = tabs.length - 1
  const [wanted, select] = useState(() => tabs.findIndex(({ label }) => label && label === lastTab))
  // An updated menu may have fewer tabs.
  const selected = Math.min(Math.max(wanted, 0), last)
  lastTab = tabs[selected]?.label ?? ''
  return html`<nav class="card menu" aria-label=${label}>
    <div role="tablist" aria-label=${label} onKeyDown=${move}>
      ${tabs.map(
        ({ label }, index) => html`<button
          type="button"
          role="tab"
          id=${`tab-${index}`}
          dir="auto"
          aria-controls=${`panel-${index}`}
          aria-selected=${String(index === selected)}
          tabindex=${index === selected ? 0 : -1}
          onClick=${() => select(index)}
        >${label || index + 1}</button>`
      )}
    </div>
    ${tabs.map(
      (
        { items },
        index
      ) => html`<div role="tabpanel" id=${`panel-${index}`} aria-labelledby=${`tab-${index}`} hidden=${index !== selected}>
        <${Items} items=${items} />
      </div>`
    )}
  </nav>`

  /** @param {KeyboardEvent} event */
  function move(event) {
    const targets = /** @type {Record<string, number>} */ ({
      ArrowRight: selected === last ? 0 : selected + 1,
      ArrowLeft: selected === 0 ? last : selected - 1,
      Home: 0,
      End: last
    })
    const target = targets[event.key]
    if (target === undefined) return
    event.preventDefault()
    select(target)
    document.getElementById(`tab-${target}`)?.focus()
  }
}

/** Draws the items as lists, with a line for each separator. @param {{ items: Item[] }} props */
function Items({ items }) {
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
  const follow = () => session.follow(action)
  if (type === 'popup')
    return html`<details><summary dir="auto">${label}</summary><${Items} items=${items} /></details>`
  if (type === 'open_screen' || type === 'open_menu') return html`<${ScreenLink} url=${url} open=${follow}>${label}<//>`
  const target = type === 'open_url' ? URL.parse(url, location.href) : null
  // Never links to `javascript:`, `data:` and similar URLs.
  if (target === null || !/^(https?|mailto):$/.test(target.protocol)) {
    return html`<button type="button" dir="auto" onClick=${follow}>${label}</button>`
  }
  return html`<a href=${target.href} class="away" target="_blank" rel="noopener noreferrer" dir="auto">${label}</a>`
}
