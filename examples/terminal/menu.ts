import type { Item, Menu } from '../client/screen.js'
import type { Segment, Sheet } from './sheet.ts'
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
  width: number
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

  const items = popup ? popup.action.items : (tabs[tab]?.items ?? [])
  for (const item of items) addItem(sheet, item, width)
  if (items.length === 0) sheet.add('This menu is empty.', 'faint')
}

function addItem(sheet: Sheet, item: Item, width: number): void {
  const { label, action } = item
  if (action.type === 'separator') {
    const rule = '─'.repeat(Math.min(width, 30))
    sheet.add(label === '' ? rule : fit(`── ${label} ──`, width), 'faint')
    return
  }
  const mark = action.type === 'popup' ? ' ›' : ''
  const name = fit(label, width - mark.length)
  sheet.addStop(
    { kind: 'item', item },
    {
      draw: isFocused => [
        { text: name, style: isFocused ? 'focused' : undefined },
        { text: mark, style: 'faint' }
      ]
    }
  )
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
  let first = 0
  const used = () => widthOf(texts.slice(first, active + 1).join(' ')) + (first > 0 ? 2 : 0)
  while (first < active && used() > width) first++

  const before = first > 0 ? '‹ ' : ''
  const text = [...texts.slice(first, active), ''].join(' ')
  const activeText = texts[active] ?? ''
  const room = width - widthOf(before + text + activeText)
  const after = texts
    .slice(active + 1)
    .map(one => ` ${one}`)
    .join('')
  return [
    { text: before + text, style: 'faint' },
    { text: activeText, style: 'active' },
    { text: fit(after, room), style: 'faint' }
  ]
}
