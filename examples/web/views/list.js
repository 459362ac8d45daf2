import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { isTrue } from 'screen-auth-client'
import { html } from '../html.js'
import { session } from '../session.js'
import { shown, text } from '../texts.js'
import { ScreenLink } from './parts.js'

/** @import { Column, List, Row, Shown, State } from 'screen-auth-client' */

/** Milliseconds between the last key press and the request. */
const DEBOUNCE = 250

/**
 * The search field of a list. The server filters the list.
 *
 * @param {{ state: Shown }} props
 */
export function Filter({ state: { path, busy } }) {
  const query = queryOf(path)
  const [typed, setTyped] = useState(query)
  /** The text and the end of the last search, and the state after its request was sent. */
  const last = useRef({ text: query, state: session.state, end: Promise.resolve() })
  useEffect(() => {
    const timer = setTimeout(search, DEBOUNCE, typed)
    return () => clearTimeout(timer)
  }, [typed, busy])
  return html`<search class="input">
    <input
      id="filter"
      type="search"
      aria-label=${text('filter')}
      placeholder=${text('filter')}
      value=${typed}
      autocomplete="off"
      enterkeyhint="go"
      onInput=${type}
      onKeyDown=${press}
    />
  </search>`

  /** @param {{ target: any }} event */
  function type({ target }) {
    if (query === '') keepShape()
    setTyped(target.value)
  }

  /** Searches for a text, unless that was the last search. @param {string} typed */
  function search(typed) {
    const text = typed.trim()
    // Another screen is loading, for example that of a selected row.
    const isElsewhere = session.state.busy !== null && session.state !== last.current.state
    if (text === last.current.text || isElsewhere) return
    const end = session.search(text)
    last.current = { text, state: session.state, end }
  }

  /** @param {any} event */
  async function press(event) {
    const { key, target } = event
    const isRow = key === 'Enter' || key === 'ArrowDown'
    // Esc restores the text of the shown rows. A search that has failed may be repeated.
    if (isRow ? busy === null : key === 'Escape' && busy !== null) last.current = { ...last.current, text: query }
    if (key === 'Escape' && busy !== null) setTyped(query)
    if (!isRow) return
    event.preventDefault()
    search(target.value)
    const { text, end } = last.current
    await end
    // Enter opens the first row, and ↓ moves to it, unless the search has failed or the person has gone on.
    const { state } = session
    const isFound = 'path' in state && queryOf(`${state.path}`) === text && state.busy === null
    const row = /** @type {HTMLElement | null} */ (document.querySelector('.row-link'))
    if (!isFound || target.value.trim() !== text || document.activeElement !== target || row === null) return
    row.focus()
    if (key === 'Enter') row.click()
  }
}

/** The text of the filter in the path of a list. @param {string} path */
function queryOf(path) {
  return new URLSearchParams(path.split('?')[1]).get('query') ?? ''
}

/** Keeps the height of the list and the widths of its columns, so that the page does not jump when rows disappear. */
function keepShape() {
  const list = /** @type {HTMLElement | null} */ (document.querySelector('.list:has(td)'))
  const table = list?.querySelector('table')
  if (!list || !table || list.style.minBlockSize) return
  list.style.minBlockSize = `min(${list.offsetHeight}px, 100dvh - ${list.offsetTop}px - 1.5rem)`
  // A narrow window shows no columns.
  if (getComputedStyle(table).display !== 'table') return
  const cells = [...(table.rows[0]?.cells ?? [])]
  const widths = [list, table, ...cells].map(element => element.getBoundingClientRect().width)
  const [whole = 1, all = 1, ...each] = widths
  table.style.cssText = `table-layout: fixed; inline-size: ${(100 * all) / whole}%`
  cells.forEach((cell, index) => {
    cell.style.inlineSize = `${(100 * (each[index] ?? 0)) / all}%`
  })
}

/** Whether the list has no rows and shows the message of its screen in their place. @param {State} state */
export function toldByList(state) {
  if (state.name !== 'screen' || state.screen.list?.rows.length !== 0) return false
  return state.message?.kind === 'info' && state.message.text === state.screen.status
}

/**
 * A table. A narrow window shows each row in two lines (style.css); explicit roles keep it a table for screen readers.
 * A table that is too wide scrolls horizontally, also with the keyboard.
 *
 * @param {{ list: List, state: Shown }} props
 */
export function Table({ list, state }) {
  // Draws a list of thousands of rows once, not again with each message.
  return useMemo(() => {
    const { columns, rows } = list
    const { path, screen } = state
    const { title } = screen
    const query = queryOf(path)
    const nothing = query ? text('nothing_found', query) : text('nothing_here')
    const note = toldByList(state) ? screen.status : nothing
    return html`<div class="card list">
      <div class="table" role="region" aria-label=${title} tabindex="0">
        <table role="table" aria-label=${title}>
          <thead role="rowgroup"><tr role="row">
            ${columns.map(({ label, align }) => html`<th role="columnheader" scope="col" dir="auto" class=${align}>${label}</th>`)}
          </tr></thead>
          <tbody role="rowgroup">${rows.map(row => html`<tr role="row" class=${row.url && 'leads'}>${cellsOf(row, columns)}</tr>`)}</tbody>
        </table>
      </div>
      <p class="empty" role="status" dir="auto">${rows.length === 0 ? note : ''}</p>
    </div>`
  }, [list])
}

/**
 * The cells of a row. The first cell contains the link, which covers the whole row (style.css).
 *
 * @param {Row} row
 * @param {Column[]} columns
 */
function cellsOf({ values, url }, columns) {
  return columns.map((column, index) => {
    const value = values[index] ?? ''
    const written = shown(column, value)
    if (url !== '' && index === 0) {
      return html`<td role="cell" dir="auto" class=${column.align}><${ScreenLink} class="row-link" dir=${undefined} url=${url}>${written.trim() || text('open')}<//></td>`
    }
    const isEmpty = value.trim() === '' || (column.type === 'Boolean' && !isTrue(value))
    if (isEmpty) return html`<td role="cell" dir="auto" class="none ${column.align}">–</td>`
    if (column.type !== 'Boolean') return html`<td role="cell" dir="auto" class=${column.align}>${written}</td>`
    return html`<td role="cell" class=${column.align}><span class="yes" role="img" aria-label=${column.label || text('yes')}></span></td>`
  })
}
