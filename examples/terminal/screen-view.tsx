import { useRef, useState } from 'react'
import type { Item, Screen } from '../client/screen.js'
import type { Login, Shown, Submitting, Values } from '../client/session.js'
import { addCard, buttonOf, isEditable } from './card.ts'
import { Frame, layOut } from './frame.tsx'
import type { Key } from './keys.ts'
import { addList } from './list.ts'
import { addMenu, type MenuPlace } from './menu.ts'
import { clamp, reveal } from './scroll.ts'
import { Sheet, type Stop } from './sheet.ts'
import { type Editing, edit, editingAtEnd } from './text-field.ts'
import type { ViewProps } from './view.ts'
import { fit } from './width.ts'

/** Columns of the button's label in the hints: the other hints need room too, in 80 columns. */
const WIDEST_HINT = 19

/** The place on a screen. */
export interface Place extends MenuPlace {
  stop: number
}

interface ScreenViewProps extends ViewProps {
  state: Login | Submitting | Shown
  /** The place when the person left this screen. */
  remembered: Place | undefined
  onPlace: (place: Place) => void
  onSubmit: (entered: Values) => void
  onFollow: (item: Item) => void
}

/** Draws all parts of a screen below each other: the login form, the menu, and every other screen. */
export function ScreenView(props: ScreenViewProps) {
  const { state, terminal, size, message, keys } = props
  const { screen, values } = state
  const isBusy = state.name === 'submitting' || (state.name === 'screen' && state.busy)

  const layout = layOut(size, message)
  const [entered, setEntered] = useState(() => ({ from: values, fields: toEditing(values) }))
  const [place, setPlace] = useState<Place>(() => firstPlace(screen, values, props.remembered))
  const scrolled = useRef({ top: 0, focus: -1, height: -1 })
  const [, redraw] = useState({})

  // The session has new values, which replace the typed ones.
  if (entered.from !== values) {
    const emptied = stopsOf(screen, place).findIndex(
      stop =>
        stop.kind === 'field' &&
        stop.field.type === 'Password' &&
        entered.fields.get(stop.field.id)?.value !== '' &&
        values.get(stop.field.id) === ''
    )
    setEntered({ from: values, fields: toEditing(values) })
    if (emptied >= 0) setPlace({ ...place, stop: emptied })
  }

  const sheet = sheetOf(screen, place, entered.fields, layout.width)
  const { stops, lines } = sheet
  const stop = Math.min(place.stop, stops.length - 1)
  const focused = stops[stop]
  const pinned = layout.height - sheet.pinned.length >= 3 ? sheet.pinned : []
  const view = { top: scrolled.current.top, height: layout.height - pinned.length }
  const lineOf = (index: number) => lines.findIndex(line => line.stop === index)

  // Scrolls to the focus when it moves, not when the person scrolls away.
  if (stop >= 0 && (scrolled.current.focus !== stop || scrolled.current.height !== view.height)) {
    if (stop === 0) view.top = 0
    view.top = reveal(lineOf(stop), view)
  }
  view.top = clamp(view, lines.length)
  scrolled.current = { top: view.top, focus: stop, height: view.height }
  const isSeen = stopsFrom(view.top).includes(stop)

  function go(to: Partial<Place>): void {
    const next = { ...place, stop, ...to }
    setPlace(next)
    // On return, the focus is on the item that opens the popup.
    if (next.popups.length === 0) props.onPlace(next)
  }

  function stopsFrom(top: number): number[] {
    return lines.slice(top, top + view.height).flatMap(line => line.stop ?? [])
  }

  /** Keeps the focus, unless it scrolls out of view while another stop is visible. */
  function scroll(by: number): void {
    const top = clamp({ ...view, top: view.top + by }, lines.length)
    scrolled.current.top = top
    const seen = stopsFrom(top)
    const nearest = by > 0 ? seen[0] : seen.at(-1)
    if (nearest !== undefined && !seen.includes(stop)) go({ stop: nearest })
    else redraw({})
  }

  /** Moves to the next stop. Scrolls instead if there is none, or if the move would skip lines. */
  function move(by: 1 | -1): void {
    const isNear = Math.abs(lineOf(stop + by) - lineOf(stop)) <= Math.max(1, view.height)
    if (stops[stop + by] !== undefined && isSeen && isNear) go({ stop: stop + by })
    else scroll(by)
  }

  function turnPage(by: 1 | -1): void {
    if (!isSeen) {
      scroll(by * Math.max(1, view.height - 1))
      return
    }
    const target = lineOf(stop) + by * (view.height - 1)
    const within = lines.filter((line, index) => line.stop !== undefined && (index - target) * by <= 0)
    const next = (by > 0 ? within.at(-1) : within[0])?.stop ?? stop
    if ((next - stop) * by > 0) go({ stop: next })
    else scroll(by * Math.max(1, view.height - 1))
  }

  function toEnd(isLast: boolean): void {
    scroll(isLast ? lines.length : -lines.length)
    if (stops.length > 0) go({ stop: isLast ? stops.length - 1 : 0 })
  }

  function activate(): void {
    if (focused?.kind !== 'item') {
      if (focused !== undefined) props.onSubmit(toValues(entered.fields))
      return
    }
    if (!isSeen) {
      // An item that is scrolled out of view is not opened.
      scrolled.current.focus = -1
      redraw({})
      return
    }
    const { item } = focused
    if (item.action.type === 'popup') go({ popups: [...place.popups, item], stop: 0 })
    else props.onFollow(item)
  }

  function back(): void {
    if (place.popups.length === 0) {
      props.onBack()
      return
    }
    const popups = place.popups.slice(0, -1)
    const items = sheetOf(screen, { ...place, popups }, entered.fields, layout.width).stops
    const opened = items.findIndex(one => one.kind === 'item' && one.item === place.popups.at(-1))
    go({ popups, stop: Math.max(0, opened) })
  }

  function switchTab(by: 1 | -1): void {
    const tabs = screen.menu?.tabs ?? []
    const tab = place.tab + by
    if (place.popups.length === 0 && tabs[tab] !== undefined) go({ tab, stop: 0 })
  }

  /** Whether the key has changed the focused field, or moved the cursor in it. */
  function type(key: Key): boolean {
    if (focused?.kind !== 'field') return false
    const before = entered.fields.get(focused.field.id) ?? editingAtEnd('')
    const after = edit(before, key)
    if (after === before) return false
    setEntered({ ...entered, fields: new Map(entered.fields).set(focused.field.id, after) })
    // Typing scrolls back to the field.
    scrolled.current.focus = -1
    return true
  }

  keys.current = key => {
    if (isBusy || type(key)) return
    switch (key.name) {
      case 'tab':
        return stops.length > 0 ? go({ stop: (stop + 1) % stops.length }) : scroll(1)
      case 'back-tab':
        return stops.length > 0 ? go({ stop: (stop + stops.length - 1) % stops.length }) : scroll(-1)
      case 'down':
        return move(1)
      case 'up':
        return move(-1)
      case 'page-down':
        return turnPage(1)
      case 'page-up':
        return turnPage(-1)
      case 'end':
        return toEnd(true)
      case 'home':
        return toEnd(false)
      case 'left':
        return switchTab(-1)
      case 'right':
        return switchTab(1)
      case 'enter':
        return activate()
      case 'text':
        return focused?.kind === 'button' && key.text === ' ' ? activate() : undefined
      case 'escape':
        return back()
    }
  }

  return (
    <Frame
      layout={layout}
      terminal={terminal}
      title={screen.title}
      displayName={screen.displayName}
      isError={message?.kind === 'error'}
      hints={isBusy ? ['Ctrl-C quit'] : hintsFor(props, focused, place, lines.length > view.height)}
      pinned={pinned}
      lines={lines.slice(view.top, view.top + view.height)}
      focused={isBusy ? undefined : stop}
      hidden={{ above: view.top, below: Math.max(0, lines.length - view.top - view.height) }}
    />
  )
}

function sheetOf(screen: Screen, place: Place, fields: Map<string, Editing>, width: number): Sheet {
  const sheet = new Sheet()
  if (screen.menu !== null) addMenu(sheet, screen.menu, place, width)
  // A popup of the menu replaces the other parts.
  if (place.popups.length > 0) return sheet
  if (screen.sections.length > 0 || buttonOf(screen) !== null) addCard(sheet, screen, fields, width)
  if (screen.list !== null) addList(sheet, screen.list, width)
  if (sheet.lines.length === 0 && sheet.pinned.length === 0) {
    const isKnown = ['Card', 'Menu', 'List'].includes(screen.layout)
    sheet.add(
      isKnown ? 'Nothing here yet.' : `This client does not know the layout "${screen.layout}".`,
      'faint'
    )
  }
  return sheet
}

function stopsOf(screen: Screen, place: Place): Stop[] {
  return sheetOf(screen, place, new Map(), 80).stops
}

/** The first empty field, or the first stop. */
function firstPlace(screen: Screen, values: Values, remembered: Place | undefined): Place {
  const { menu, list } = screen
  if (remembered && (menu === null ? list : menu.tabs[remembered.tab])) return { ...remembered, popups: [] }
  const start = { tab: 0, popups: [], stop: 0 }
  const empty = stopsOf(screen, start).findIndex(
    stop => stop.kind === 'field' && isEditable(screen, stop.field) && values.get(stop.field.id) === ''
  )
  return { ...start, stop: Math.max(0, empty) }
}

function toEditing(values: Values): Map<string, Editing> {
  return new Map([...values].map(([id, value]) => [id, editingAtEnd(value)]))
}

function toValues(fields: Map<string, Editing>): Values {
  return new Map([...fields].map(([id, { value }]) => [id, value]))
}

function hintsFor(
  { state: { screen }, canGoBack, canLogOut }: ScreenViewProps,
  focused: Stop | undefined,
  { popups }: Place,
  isLonger: boolean
): string[] {
  const button = fit(buttonOf(screen)?.toLowerCase() ?? '', WIDEST_HINT)
  const hasTabs = popups.length === 0 && (screen.menu?.tabs.length ?? 0) > 1
  return [
    ...(focused?.kind === 'item' ? ['↑↓ move', ...(hasTabs ? ['←→ tabs'] : []), 'Enter open'] : []),
    ...(focused !== undefined && focused.kind !== 'item' ? ['Tab next', `Enter ${button}`] : []),
    ...(focused === undefined && isLonger ? ['↑↓ scroll'] : []),
    ...(popups.length > 0 ? ['Esc close'] : canGoBack ? ['Esc back'] : []),
    ...(canLogOut ? ['Ctrl-L log out'] : []),
    'Ctrl-C quit'
  ]
}
