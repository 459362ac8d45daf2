import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { format, isTrue } from 'screen-auth-client'
import { html } from '../html.js'
import { session } from '../session.js'
import { LANGUAGES, text } from '../texts.js'
import { ScreenLink } from './link.js'

/** @import { Column, List, Row, Shown } from 'screen-auth-client' */

/** Milliseconds after the last key until the server is asked. */
const PAUSE = 250

/**
 * The field that filters a list on the server.
 *
 * @param {{ state: Shown }} props
 */
export function Filter({ state: { path, busy } }) {
  const query = new URLSearchParams(path.split('?')[1]).get('query') ?? ''
  const [typed, setTyped] = useState(query)
  /** What the server was asked for last, and the state since then. */
  const asked = useRef({ text: query, state: session.state })
  useEffect(() => {
    const wanted = typed.trim()
    if (wanted === asked.current.text) return
    const timer = setTimeout(() => {
      // Something else is on its way, a row that was chosen for example.
      if (session.state.busy !== null && session.state !== asked.current.state) return
      session.search(wanted)
      asked.current = { text: wanted, state: session.state }
    }, PAUSE)
    return () => clearTimeout(timer)
  }, [typed, busy])
  return html`<search>
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

  /** Esc shows what the list is filtered by. @param {KeyboardEvent} event */
  function cancel({ key }) {
    if (key !== 'Escape' || busy === null) return
    asked.current.text = query
    setTyped(query)
  }
}

/**
 * A table, of which a narrow window shows each row in two lines (style.css): the roles say that it is a table all the
 * same. If it is too wide it scrolls sideways, with the keyboard too.
 *
 * @param {{ list: List, title: string, isFiltered: boolean }} props
 */
export function Table({ list, title, isFiltered }) {
  // A list of thousands of rows is drawn once, not with each message.
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
 * The cells of a row. The first one has the link, which covers the row (style.css).
 *
 * @param {Row} row
 * @param {Column[]} columns
 */
function cellsOf({ values, url }, columns) {
  return columns.map((column, index) => {
    const value = values[index] ?? ''
    const shown = format(column, value, LANGUAGES)
    if (url !== '' && index === 0) {
      return html`<td role="cell" dir="auto" class=${column.align}><${ScreenLink} class="row-link" dir=${undefined} url=${url}>${shown.trim() || text('open')}<//></td>`
    }
    const isNone = value.trim() === '' || (column.type === 'Boolean' && !isTrue(value))
    if (isNone) return html`<td role="cell" dir="auto" class="none ${column.align}">–</td>`
    if (column.type !== 'Boolean') return html`<td role="cell" dir="auto" class=${column.align}>${shown}</td>`
    return html`<td role="cell" class=${column.align}><span class="yes" role="img" aria-label=${column.label || text('yes')}></span></td>`
  })
}
