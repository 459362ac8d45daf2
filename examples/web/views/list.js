import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { format, isTrue } from 'screen-auth-client'
import { html } from '../html.js'
import { LANGUAGES, session } from '../session.js'
import { text } from '../texts.js'
import { ScreenLink } from './parts.js'

/** @import { VNode } from 'preact' */
/** @import { Column, List, Row, Shown, State } from 'screen-auth-client' */

/** Milliseconds between the last key press and the request. */
const DEBOUNCE = 250

/** The search field of a list. The server filters the list. @param {{ state: Shown }} props */
export function Filter({ state: { path, busy } }) {
  const query = queryOf(path)
  const [typed, setTyped] = useState(query)
  /** Text of the last search, and the state after the request was sent. */
  const lastSearch = useRef({ text: query, state: session.state })
  /** Enter or ↓, which waits for the rows of the typed text. */
  const waitingKey = useRef('')
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
  useEffect(goToRow)
  return html`<search class="input">
    <input id="filter" type="search" aria-label=${text('filter')} placeholder=${text('filter')} value=${typed}
      autocomplete="off" enterkeyhint="go" onInput=${type} onKeyDown=${press} />
  </search>`

  /** @param {{ target: any }} event */
  function type({ target }) {
    if (query === '') keepShape()
    waitingKey.current = ''
    setTyped(target.value)
  }

  /** Enter opens the first row, ↓ moves to it, and Esc restores the text of the rows. @param {KeyboardEvent} event */
  function press(event) {
    const { key } = event
    waitingKey.current = ['Enter', 'ArrowDown'].includes(key) ? key : ''
    if (waitingKey.current) event.preventDefault()
    goToRow()
    if (key !== 'Escape' || busy === null) return
    lastSearch.current.text = query
    setTyped(query)
  }

  function goToRow() {
    if (waitingKey.current === '' || busy !== null || query !== typed.trim()) return
    const row = /** @type {HTMLElement | null} */ (document.querySelector('#page:has(#filter:focus) .row-link'))
    row?.focus()
    if (waitingKey.current === 'Enter') row?.click()
    waitingKey.current = ''
  }
}

/** The text of the filter in the path of a list. @param {string} path */
function queryOf(path) {
  return new URLSearchParams(path.split('?')[1]).get('query') ?? ''
}

/** Keeps the height of the list and the widths of its columns, so that the page does not jump when rows disappear. */
function keepShape() {
  const list = /** @type {HTMLElement | null} */ (document.querySelector('.list:has(td)'))
  if (!list || list.style.minBlockSize) return
  list.style.minBlockSize = `min(${list.offsetHeight}px, 100dvh - ${list.offsetTop}px - 1.5rem)`
  const cells = [...list.querySelectorAll('th')]
  const widths = cells.map(cell => cell.getBoundingClientRect().width)
  for (const [index, { style }] of cells.entries()) style.minInlineSize = `${widths[index]}px`
}

/** Whether the list has no rows and shows the message of its screen in their place. @param {State} state */
export function toldByList(state) {
  if (state.name !== 'screen' || state.screen.list?.rows.length !== 0) return false
  return state.message?.kind === 'info' && state.message.text === state.screen.status
}

/**
 * A table. A narrow window shows two cells of each row (style.css); explicit roles keep it a table for screen readers.
 * A table that is too wide scrolls horizontally, also with the keyboard.
 *
 * @param {{ list: List, state: Shown }} props
 */
export function Table({ list, state }) {
  // Draws a list of thousands of rows once, not again with each message.
  return useMemo(() => {
    const { columns, rows } = list
    const kinds = kindsOf(list)
    const { title, status, createUrl } = state.screen
    const query = queryOf(state.path)
    const observe = (/** @type {Element | null} */ area) => area && widths.observe(area)
    const canFill = rows.length === 0 && query === '' && createUrl !== ''
    const nothing = query ? text('nothing_found', query) : text('nothing_here')
    return html`<div class="card list">
      <div class="table" role="region" aria-label=${title} ref=${observe} hidden=${columns.length === 0}>
        <table role="table" aria-label=${title}>
          <thead role="rowgroup"><tr role="row">
            ${columns.map(({ label, align }) => html`<th role="columnheader" scope="col" dir="auto" class=${align}>${label}</th>`)}
          </tr></thead>
          <tbody role="rowgroup">${rows.map(row => html`<tr role="row" class=${row.url && 'leads'}>${cellsOf(row, columns, kinds)}</tr>`)}</tbody>
        </table>
      </div>
      <p class="empty" role="status" dir="auto">${rows.length === 0 && (toldByList(state) ? status : nothing)}</p>
      ${canFill && html`<div class="empty"><button type="button" class="plus" onClick=${() => session.create()}>${text('new')}</button></div>`}
    </div>`
  }, [list])
}

/** Makes a table a stop of the Tab key while it scrolls. */
const widths = new ResizeObserver(entries => {
  for (const { target } of entries)
    target.setAttribute('tabindex', target.scrollWidth > target.clientWidth ? '0' : '-1')
})

/** Types whose values say little without the label of the column. */
const NOT_WORDS = /^(Integer|Decimal|Boolean|Date|DateRange|Time)$/

/**
 * What a narrow window shows of each column (style.css): the first two with words, and all without words, with their
 * labels. The first one has the link.
 *
 * @type {(list: List) => string[]}
 */
function kindsOf({ columns, rows }) {
  const words = columns.flatMap(({ type }, index) => {
    const pattern = type === 'Phone' ? /\d/ : /\p{L}/u
    return !NOT_WORDS.test(type) && rows.some(({ values }) => pattern.test(values[index] ?? '')) ? [index] : []
  })
  const [first = 0, second] = words
  return columns.map((_, index) => {
    if (index === first) return 'first'
    return index === second ? 'word' : words.includes(index) ? '' : 'fact'
  })
}

/** The cells of a row. The first one has the link. @type {(row: Row, columns: Column[], kinds: string[]) => VNode[]} */
function cellsOf({ values, url }, columns, kinds) {
  return columns.map((column, index) => {
    const value = values[index] ?? ''
    const kind = kinds[index]
    const isBoolean = column.type === 'Boolean'
    const written = isBoolean ? text(isTrue(value) ? 'yes' : 'no') : format(column, value, LANGUAGES)
    const isEmpty = value.trim() === '' || (isBoolean && !isTrue(value))
    const cell = (/** @type {any} */ content, more = kind) =>
      html`<td role="cell" dir="auto" class="${column.align} ${more}" data-label=${kind === 'fact' ? column.label : null}>${content}</td>`
    if (url !== '' && kind === 'first') {
      const label = written.trim() || text('open')
      return cell(html`<${ScreenLink} class="row-link" dir=${undefined} url=${url}>${label}<//>`)
    }
    if (isEmpty) return cell('–', kind === 'first' ? 'first none' : 'none')
    if (!isBoolean) return cell(written)
    return cell(html`<span class="yes" role="img" aria-label=${column.label || text('yes')}></span>`)
  })
}
