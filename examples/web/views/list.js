import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { isTrue } from 'screen-auth-client'
import { html } from '../html.js'
import { session } from '../session.js'
import { shown, text } from '../texts.js'
import { ScreenLink } from './parts.js'

/** @import { Column, List, Row, Shown } from 'screen-auth-client' */

/** Milliseconds between the last key press and the request. */
const DEBOUNCE = 250

/**
 * The search field of a list. The server filters the list.
 *
 * @param {{ state: Shown }} props
 */
export function Filter({ state: { path, busy } }) {
  const query = new URLSearchParams(path.split('?')[1]).get('query') ?? ''
  const [typed, setTyped] = useState(query)
  /** Text of the last search, and the state after the request was sent. */
  const lastSearch = useRef({ text: query, state: session.state })
  useEffect(() => {
    const wanted = typed.trim()
    if (wanted === lastSearch.current.text) return
    const timer = setTimeout(() => {
      // Another screen is loading, for example that of a selected row.
      if (session.state.busy !== null && session.state !== lastSearch.current.state) return
      session.search(wanted)
      lastSearch.current = { text: wanted, state: session.state }
    }, DEBOUNCE)
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
      onInput=${(/** @type {any} */ event) => setTyped(event.target.value)}
      onKeyDown=${cancel}
    />
  </search>`

  /** Esc restores the text of the current filter. @param {KeyboardEvent} event */
  function cancel({ key }) {
    if (key !== 'Escape' || busy === null) return
    lastSearch.current.text = query
    setTyped(query)
  }
}

/**
 * A table. A narrow window shows each row in two lines (style.css); explicit roles keep it a table for screen readers.
 * A table that is too wide scrolls horizontally, also with the keyboard.
 *
 * @param {{ list: List, title: string, isFiltered: boolean }} props
 */
export function Table({ list, title, isFiltered }) {
  // Draws a list of thousands of rows once, not again with each message.
  return useMemo(() => {
    const { columns, rows } = list
    return html`<div class="card list">
      <div class="table" role="region" aria-label=${title} tabindex="0">
        <table role="table" aria-label=${title}>
          <thead role="rowgroup"><tr role="row">
            ${columns.map(({ label, align }) => html`<th role="columnheader" scope="col" dir="auto" class=${align}>${label}</th>`)}
          </tr></thead>
          <tbody role="rowgroup">${rows.map(row => html`<tr role="row" class=${row.url && 'leads'}>${cellsOf(row, columns)}</tr>`)}</tbody>
        </table>
      </div>
      ${rows.length === 0 && !isFiltered && html`<p class="empty">${text('nothing_here')}</p>`}
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
