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
 * A table. A narrow window shows two cells of each row (style.css); explicit roles keep it a table for screen readers.
 * A table that is too wide scrolls horizontally, also with the keyboard.
 *
 * @param {{ list: List, title: string, isFiltered: boolean }} props
 */
export function Table({ list, title, isFiltered }) {
  // Draws a list of thousands of rows once, not again with each message.
  return useMemo(() => {
    const { columns, rows } = list
    const second = secondOf(list)
    return html`<div class="card list">
      <div class="table" role="region" aria-label=${title} tabindex="0">
        <table role="table" aria-label=${title}>
          <thead role="rowgroup"><tr role="row">
            ${columns.map(({ label, align }) => html`<th role="columnheader" scope="col" dir="auto" class=${align}>${label}</th>`)}
          </tr></thead>
          <tbody role="rowgroup">${rows.map(row => html`<tr role="row" class=${row.url && 'leads'}>${cellsOf(row, columns, second)}</tr>`)}</tbody>
        </table>
      </div>
      ${rows.length === 0 && !isFiltered && html`<p class="empty">${text('nothing_here')}</p>`}
    </div>`
  }, [list])
}

/** Types whose values say little without the label of the column. */
const NOT_WORDS = /^(Integer|Decimal|Boolean|Date|DateRange|Time)$/

/**
 * Chooses the column that a narrow window shows below the first one: the first other column with words. If there is
 * none, chooses the next column, and the window shows its label too.
 *
 * @param {List} list
 */
function secondOf({ columns, rows }) {
  const words = columns.findIndex(({ type }, index) => {
    const pattern = type === 'Phone' ? /\d/ : /\p{L}/u
    return index > 0 && !NOT_WORDS.test(type) && rows.some(({ values }) => pattern.test(values[index] ?? ''))
  })
  return words > 0 ? { index: words } : { index: 1, label: columns[1]?.label }
}

/**
 * The cells of a row. The first cell contains the link, which covers the whole row (style.css).
 *
 * @param {Row} row
 * @param {Column[]} columns
 * @param {{ index: number, label?: string | undefined }} second
 */
function cellsOf({ values, url }, columns, second) {
  return columns.map((column, index) => {
    const value = values[index] ?? ''
    const written = shown(column, value)
    const isBoolean = column.type === 'Boolean'
    const isEmpty = value.trim() === '' || (isBoolean && !isTrue(value))
    const isSecond = index === second.index
    const cell = (/** @type {any} */ content, kind = isSecond ? 'second' : '') =>
      html`<td role="cell" dir="auto" class="${column.align} ${kind}" data-label=${isSecond ? second.label : null}>${content}</td>`
    if (url !== '' && index === 0) {
      return cell(
        html`<${ScreenLink} class="row-link" dir=${undefined} url=${url}>${written.trim() || text('open')}<//>`
      )
    }
    if (isEmpty) return cell('–', 'none')
    if (!isBoolean) return cell(written)
    return cell(html`<span class="yes" role="img" aria-label=${column.label || text('yes')}></span>`)
  })
}
