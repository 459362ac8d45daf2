import type { Item, Menu } from 'screen-auth-client'
import type { Segment, Sheet, Stop } from './sheet.ts'
import type { Say } from './texts.ts'
import { fit, widthOf } from './width.ts'

/** The place in a menu: the tab, and the open popups, with the top one last. */
export interface MenuPlace {
  tab: number
  popups: Item[]
}

/** The tabs of a menu with the items of the active one, or the items of a popup instead. */
export function addMenu(
  sheet: Sheet,
  { title, tabs }: Menu,
  { tab, popups }: MenuPlace,
  width: number,
  say: Say,
  choose: (item: Item) => void
): void {
  const popup = popups.at(-1)
  if (popup) {
    const path = popups.map(({ label }) => label).join(' › ')
    sheet.pin({ draw: () => [{ text: fit(path, width), style: 'strong' }] })
  } else {
    if (title !== '') sheet.pin({ draw: () => [{ text: fit(title, width), style: 'strong' }] })
    if (tabs.length > 0) sheet.pin({ draw: () => tabLine(tabs.map(nameOfTab), tab, width) })
  }
  if (sheet.pinned.length > 0) sheet.pin({ draw: () => [] })

  const hasTabs = popup === undefined && tabs.length > 1
  const hints = [
    `↑↓ ${say('key_move', 'move')}`,
    ...(hasTabs ? [`←→ ${say('key_tabs', 'tabs')}`] : []),
    `Enter ${say('key_open', 'open')}`
  ]
  const items = popup ? popup.action.items : (tabs[tab]?.items ?? [])
  for (const item of items) {
    if (item.action.type === 'separator') addSeparator(sheet, item.label, width)
    else addItem(sheet, item, width, { press: () => choose(item), hints })
  }
  if (items.length === 0) sheet.add(say('empty_menu', 'This menu is empty.'), 'faint')
}

/** A line across, perhaps with a heading. */
export function addSeparator(sheet: Sheet, label: string, width: number): void {
  sheet.add(label === '' ? '─'.repeat(Math.min(width, 30)) : fit(`── ${label} ──`, width), 'faint')
}

function addItem(sheet: Sheet, { label, action }: Item, width: number, stop: Stop): void {
  const mark = action.type === 'popup' ? ' ›' : ''
  const name = fit(label, width - mark.length)
  sheet.addStop(stop, {
    draw: isFocused => [
      { text: name, style: isFocused ? 'focused' : undefined },
      { text: mark, style: 'faint' }
    ]
  })
}

function nameOfTab({ label }: { label: string }, index: number): string {
  return label || `Tab ${index + 1}`
}

/** The tabs side by side. If they do not fit, the first ones are left out until the active one is visible. */
function tabLine(names: string[], active: number, width: number): Segment[] {
  const texts = names.map((name, index) => {
    const fitted = fit(name, Math.max(1, width - 4))
    return index === active ? `[${fitted}]` : ` ${fitted} `
  })
  const before = texts.slice(0, active).map(text => `${text} `)
  const current = texts[active] ?? ''
  const after = texts.slice(active + 1).map(text => ` ${text}`)
  let mark = ''
  while (before.length > 0 && widthOf(mark + before.join('') + current) > width) {
    before.shift()
    mark = '‹ '
  }
  const start = mark + before.join('')
  return [
    { text: start, style: 'faint' },
    { text: current, style: 'active' },
    { text: fit(after.join(''), width - widthOf(start + current)), style: 'faint' }
  ]
}
